// What is above the boards in the app: its title, and the choice of a light or a dark page. Voilà's page has no main
// landmark for screen readers to jump to, so its cells are made one.

const THEMES = { light: "JupyterLab Light", dark: "JupyterLab Dark" };

// Dress the page as Voilà would with ?theme=…, but without loading it again, which would end the games.
function wear(theme) {
  const { classList, dataset } = document.body;
  for (const sheet of document.querySelectorAll('link[href*="/static/theme-"]')) {
    sheet.href = sheet.href.replace(/theme-\w+\.css.*/, `theme-${theme}.css`);
  }
  for (const name of Object.keys(THEMES)) classList.toggle(`theme-${name}`, name === theme);
  dataset.jpThemeLight = theme === "light";
  dataset.jpThemeName = THEMES[theme];
  history.replaceState(null, "", `?theme=${theme}`);
}

function render({ el }) {
  const now = document.body.dataset.jpThemeLight === "false" ? "dark" : "light";
  const button = (theme) => `<button type="button" aria-pressed="${theme === now}">${theme}</button>`;
  el.innerHTML = `<div class="ttt-top"><h1>Tic-tac-toe</h1>
    <div role="group" aria-label="Theme">Page: ${Object.keys(THEMES).map(button).join(" ")}</div></div>`;
  const buttons = el.querySelectorAll("button");
  for (const chosen of buttons) {
    chosen.addEventListener("click", () => {
      wear(chosen.textContent);
      for (const each of buttons) each.setAttribute("aria-pressed", each === chosen);
    });
  }
  document.getElementById("rendered_cells")?.setAttribute("role", "main");
}

export default { render };
