// Sorts a table by a click on a heading, and the other way round by another.
for (const [column, button] of document.querySelectorAll(".roster thead button").entries()) {
  button.addEventListener("click", () => {
    const head = button.parentElement, body = document.querySelector(".roster tbody");
    const down = head.getAttribute("aria-sort") === "ascending";
    const text = (row) => row.cells[column].textContent.trim();
    const rows = [...body.rows].sort((one, other) => text(one).localeCompare(text(other), undefined, { numeric: true }));
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...(down ? rows.reverse() : rows));
  });
}
