// What is above the boards in the app: its title, and the choice of a light or a dark page. Voilà's page has no main
// landmark for screen readers to jump to, so its cells are made one.

function render({ el }) {
  const now = document.body.dataset.jpThemeLight === "false" ? "dark" : "light";
  const link = (theme) => `<a href="?theme=${theme}" ${theme === now ? 'aria-current="true"' : ""}>${theme}</a>`;
  el.innerHTML = `<div class="ttt-top"><h1>Tic-tac-toe</h1>
    <nav aria-label="Theme">Page: ${link("light")} ${link("dark")}</nav></div>`;
  document.getElementById("rendered_cells")?.setAttribute("role", "main");
}

export default { render };
