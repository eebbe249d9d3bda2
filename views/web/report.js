// The tables of a report: a press on the head of a column sorts by it.
for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll(".scroll table"))) {
  const heads = [...(table.tHead?.rows[0].cells || [])], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (/** @type {HTMLTableRowElement} */ row) => {
        const text = row.cells[column].textContent || "", number = parseFloat(text.replace(/,/g, ""));
        return head.className === "number" ? (text ? number : Infinity) : text;
      };
      const order = (/** @type {string | number} */ a, /** @type {string | number} */ b) => a < b ? -1 : a > b ? 1 : 0;
      const rows = [...body.rows].sort((a, b) => order(key(a), key(b)));
      body.append(...(down ? rows.reverse() : rows));
    };
  });
}
