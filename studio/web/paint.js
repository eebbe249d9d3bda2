/* Draw mode: cells that are painted with a pointer (press and drag) or with keys (arrows move, a character paints).
   When the pointer is up, the element tells what was painted: event `paint`, detail [[row, column, character], ...]. */
const PLAIN = new Set([" ", ".", "-", "_"]);

/** How a cell looks: as on the board; what is not there yet is a quiet piece. */
function paintCell(cell, char, looks) {
  cell.textContent = char === " " ? "" : char;
  cell.dataset.char = char;
  cell.className = `cell ${looks[char] ?? (PLAIN.has(char) ? "" : "piece quiet")}`;
}

function brush(char, name, choose, looks) {
  const button = document.createElement("button");
  button.type = "button"; button.className = "brush budge-board"; button.title = name;
  button.setAttribute("aria-label", name);
  paintCell(button.appendChild(document.createElement("span")), char, looks);
  button.addEventListener("click", () => choose(char));
  button.dataset.char = char;
  return button;
}

/** Build the cells of a map into an element. `palette`: [character, what it stands for]; `looks`: classes by character. */
export function painter(element, rows, width, palette, looks) {
  let chosen = palette[1]?.[0] || palette[0][0], strokes = null, cursor = [0, 0];
  const empty = palette[0][0], tools = document.createElement("div"), table = document.createElement("div");
  tools.className = "brushes"; tools.setAttribute("role", "group"); tools.setAttribute("aria-label", "Paint with");
  const choose = (char) => {
    chosen = char;
    for (const one of tools.children) one.setAttribute("aria-pressed", String(one.dataset.char === char));
  };
  tools.append(...palette.map(([char, name]) => brush(char, name, choose, looks)));
  table.className = "grid budge-board"; table.tabIndex = 0; table.setAttribute("role", "application");
  table.setAttribute("aria-label", "Map: arrows move, a character paints the cell");
  table.style.gridTemplateColumns = `repeat(${width}, var(--cell))`;
  rows.forEach((row, r) => {
    for (let c = 0; c < width; c++) {
      const cell = document.createElement("div");
      paintCell(cell, row[c] ?? empty, looks);
      cell.dataset.at = `${r},${c}`;
      table.append(cell);
    }
  });
  const cellAt = (r, c) => table.children[r * width + c];
  const stroke = (cell) => {
    if (!cell?.dataset?.at || cell.dataset.char === chosen) return;
    const [r, c] = cell.dataset.at.split(",").map(Number);
    paintCell(cell, chosen, looks);
    strokes.push([r, c, chosen]);
  };
  const tell = () => {
    if (strokes?.length) element.dispatchEvent(new CustomEvent("paint", {detail: strokes}));
    strokes = null;
  };
  table.addEventListener("pointerdown", (event) => {
    event.preventDefault(); table.focus(); strokes = []; stroke(event.target);
    table.setPointerCapture(event.pointerId);
  });
  table.addEventListener("pointermove", (event) => {
    if (strokes) stroke(document.elementFromPoint(event.clientX, event.clientY));
  });
  table.addEventListener("pointerup", tell);
  table.addEventListener("pointercancel", tell);
  const WAYS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  table.addEventListener("keydown", (event) => {
    const way = WAYS[event.key];
    if (way) {
      cellAt(...cursor).classList.remove("cursor");
      cursor = [Math.max(0, Math.min(rows.length - 1, cursor[0] + way[0])), Math.max(0, Math.min(width - 1, cursor[1] + way[1]))];
      cellAt(...cursor).classList.add("cursor");
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      choose(event.key); strokes = []; stroke(cellAt(...cursor)); tell();
    } else return;
    event.preventDefault();
  });
  element.replaceChildren(tools, table);
  choose(chosen);
}
