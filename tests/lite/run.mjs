// Runs a Python file in the site's Pyodide: node run.mjs FOLDER FILE. Nothing is fetched from elsewhere.
import { readFileSync } from "node:fs";

const [folder, file] = process.argv.slice(2);
const lock = JSON.parse(readFileSync(`${folder}/pyodide-lock.json`, "utf8"));
const here = ([, entry]) => !entry.file_name.includes("://");
lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(here));
for (const entry of Object.values(lock.packages)) {
  entry.depends = entry.depends.filter((name) => name.toLowerCase().replaceAll("_", "-") in lock.packages);
}

const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
try {
  const python = await loadPyodide({ lockFileContents: JSON.stringify(lock), packageBaseUrl: `${folder}/` });
  await python.loadPackage("ttt", { messageCallback: () => {} });
  python.runPython(readFileSync(file, "utf8"));
} catch (error) {
  console.error(error.message); // its stack would hold Pyodide's source, a megabyte in one line
  process.exitCode = 1;
}
