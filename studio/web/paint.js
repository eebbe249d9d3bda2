/* Drawing: a map of the text as a board, on which pieces are painted or dragged. The text follows, by its characters
only; comments and everything else stay. A map is drawn from its characters alone, so that it can be drawn while the
text is not a puzzle yet. */
import {icon, made, on, state} from "./app.js";

/** @typedef {import("./app.js").PuzzleMap} PuzzleMap */
/** @typedef {[row: number, column: number, char: string]} Stroke */

const SVG = "http://www.w3.org/2000/svg", CELL = 40, LARGEST = 64; // rows or columns
const HAND = "hand";

/** @param {string} tag @param {{[name: string]: string | number}} attributes @param {string} [text] */
function shape(tag, attributes, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

/** The text with some cells of a map painted. @param {string} text @param {PuzzleMap} map @param {Stroke[]} strokes */
export function painted(text, map, strokes) {
  const lines = text.split("\n");
  for (const [row, column, char] of strokes) {
    const [line, start] = map.origins[row], at = start + column, old = lines[line].padEnd(at);
    lines[line] = old.slice(0, at) + char + old.slice(at + 1);
  }
  return lines.join("\n");
}

/** The text with a map of one more (1) or one less (-1) row below or column at the right.
    @param {string} text @param {PuzzleMap} map @param {number} rows @param {number} columns */
export function resized(text, {origins, width, rows: old, empty, border}, rows, columns) {
  const lines = text.split("\n"), [last, indent] = origins[origins.length - 1];
  if (columns) origins.forEach(([line, start], row) => {
    const end = start + width;
    if (columns > 0) lines[line] = lines[line].slice(0, start + old[row].length).padEnd(end, empty) + border;
    else if (width > 1) lines[line] = lines[line].slice(0, end - 1);
  });
  if (rows > 0) lines.splice(last + 1, 0, lines[last].slice(0, indent) + border.repeat(width));
  else if (rows < 0 && origins.length > 1) lines.splice(last, 1);
  return lines.join("\n");
}

/** The drawing board. @param {(text: string) => void} write changes the text @returns {{turn: () => boolean}} */
export function drawing(write) {
  let active = false, number = 0, tool = HAND, known = "", none = ""; // the text of which `maps` are; why there are none
  /** @type {PuzzleMap[]} */ let maps = [];
  /** @type {[number, number]} */ let cursor = [0, 0];
  const board = made("div", {class: "drawboard", hidden: true});
  document.querySelector("#about")?.before(board);

  const map = () => maps[Math.min(number, maps.length - 1)];
  /** @param {number} row @param {number} column */
  const charAt = (row, column) => map().rows[row]?.[column] ?? map().empty;
  /** @param {string} char */
  const named = char => map().palette.find(([one]) => one === char)?.[1] || char;
  /** A piece on a ground by their names, as "box on goal". @param {string} name */
  const called = name => map().palette.find(([, one]) => one === name)?.[0];
  /** Letters are pieces, of one cell or more; on other maps each cell has a sign. */
  const lettered = () => map().palette.some(([, name]) => name.startsWith("new piece "));
  /** @param {string} char */
  const pieces = char => lettered() && char !== map().empty && char !== "#";

  function read() {
    if (!state.read) return;
    if (state.read.maps?.length || !maps.length) {
      maps = structuredClone(state.read.maps || []);
      none = state.read.no_maps || "";
      known = state.read.text;
    }
    if (active) show();
  }

  /** @param {Stroke[]} strokes */
  function stroke(strokes) {
    const here = map(), rows = here.rows.map(row => [...row.padEnd(here.width, here.empty)]);
    if (!strokes.length || known !== state.text) return;
    for (const [row, column, char] of strokes) rows[row][column] = char;
    const text = painted(known, here, strokes);
    here.rows = rows.map(row => row.join(""));
    known = text;
    write(text);
    draw();
  }

  // Showing

  /** @type {SVGElement} */ let svg;

  /** The shapes of a piece's cells: one body, whatever its form. @param {[number, number][]} cells @param {string} look @param {string} text */
  function body(cells, look, text) {
    const group = shape("g", {class: "body"}), has = new Set(cells.map(String));
    for (const [row, column] of cells) {
      const right = has.has(`${row},${column + 1}`), below = has.has(`${row + 1},${column}`);
      group.append(shape("rect", {x: column * CELL + 5, y: row * CELL + 5, width: CELL - 10 + (right ? 10 : 0), height: CELL - 10, class: look}));
      if (below) group.append(shape("rect", {x: column * CELL + 5, y: row * CELL + CELL - 6, width: CELL - 10, height: 12, class: look}));
      if (right && below && has.has(`${row + 1},${column + 1}`)) group.append(shape("rect", {x: column * CELL + CELL - 6, y: row * CELL + CELL - 6, width: 12, height: 12, class: look}));
    }
    const rows = cells.map(([row]) => row), columns = cells.map(([, column]) => column);
    const middle = [(Math.min(...rows) + Math.max(...rows)) / 2, (Math.min(...columns) + Math.max(...columns)) / 2];
    const [row, column] = has.has(String(middle)) || has.has(String(middle.map(Math.floor))) ? middle : cells[0];
    group.append(shape("text", {x: (column + .5) * CELL, y: (row + .5) * CELL, class: look.includes("key") ? "on-key" : "ink"}, text));
    return group;
  }

  /** A cell of a map of signs. @param {number} row @param {number} column @param {string} char */
  function sign(row, column, char) {
    const here = map(), look = here.looks[char], name = named(char), [x, y] = [column * CELL, row * CELL], group = shape("g", {});
    if (char === "#" || look === "wall") group.append(shape("rect", {x, y, width: CELL, height: CELL, class: "wall"}));
    else if (char !== here.empty && char !== " ") {
      if (look === "goal" || name.endsWith("on goal")) group.append(shape("circle", {cx: x + 20, cy: y + 20, r: 6, class: "goal"}));
      if (look === "box" || look === "done") group.append(shape("rect", {x: x + 5, y: y + 5, width: 30, height: 30, rx: 4, class: look}));
      else if (look === "player") group.append(shape("circle", {cx: x + 20, cy: y + 20, r: 13, class: "player"}));
      else if (look !== "goal") group.append(shape("circle", {cx: x + 20, cy: y + 20, r: 16, class: look || "piece quiet"}), shape("text", {x: x + 20, y: y + 20, class: "ink"}, char));
    }
    return group;
  }

  /** The look of a piece; one that the puzzle does not have yet has a hue of its own. @param {string} char */
  const lookOf = char => map().looks[char] || `piece hue-${[210, 44, 152, 290, 180, 28, 225, 95, 335, 60][char.charCodeAt(0) % 10]}`;

  /** @param {number[]} [lifted] the row and column of what is dragged, and where it is */
  function draw(lifted) {
    const {rows, width} = map(), wide = width * CELL, high = rows.length * CELL;
    svg.setAttribute("viewBox", `-4 -4 ${wide + 8} ${high + 8}`);
    svg.style.setProperty("--ratio", String(wide / high)); svg.style.setProperty("--wide", `${width * 96}px`);
    const lines = [...Array(rows.length + 1)].map((_, i) => `M0 ${i * CELL}H${wide}`).concat([...Array(width + 1)].map((_, i) => `M${i * CELL} 0V${high}`)).join("");
    svg.replaceChildren(shape("rect", {x: 0, y: 0, width: wide, height: high, class: "ground", rx: 4}), shape("path", {d: lines, class: "grid-line", fill: "none"}));
    /** @type {Map<string, [number, number][]>} */
    const cells = new Map();
    rows.forEach((_, row) => { for (let column = 0; column < width; column++) {
      const char = charAt(row, column);
      if (pieces(char)) cells.set(char, [...(cells.get(char) || []), [row, column]]);
      else svg.append(sign(row, column, char));
    }});
    for (const [char, all] of cells) svg.append(body(all, lookOf(char), char));
    if (lifted) {
      const [row, column, toRow, toColumn, fits] = lifted, char = charAt(row, column);
      const moved = grabbed(row, column).map(([r, c]) => /** @type {[number, number]} */ ([r + toRow - row, c + toColumn - column]));
      const ghost = pieces(char) ? body(moved, lookOf(char), char) : sign(moved[0][0], moved[0][1], char);
      ghost.setAttribute("class", fits ? "lifted" : "lifted no");
      svg.append(ghost);
    }
    svg.append(shape("rect", {x: cursor[1] * CELL + 1.5, y: cursor[0] * CELL + 1.5, width: CELL - 3, height: CELL - 3, rx: 4, class: "cursor"}));
  }

  /** @param {string} char */
  function brush(char) {
    const face = /** @type {SVGElement} */ (shape("svg", {viewBox: "0 0 40 40", class: "budge-board", "aria-hidden": "true"}));
    if (pieces(char)) face.append(body([[0, 0]], lookOf(char), char)); else face.append(shape("rect", {x: 1, y: 1, width: 38, height: 38, rx: 4, class: "ground"}), sign(0, 0, char));
    return face;
  }

  function show() {
    if (!maps.length) return board.replaceChildren(made("p", {class: "empty"}, none));
    const here = map(), again = board.contains(document.activeElement) && document.activeElement === /** @type {Element} */ (svg);
    const tools = here.palette.map(([char, name]) => /** @type {[string, string, Element]} */ ([char, name, brush(char)]));
    const picked = [HAND, ...here.palette.map(([char]) => char)].includes(tool) ? tool : tool = HAND;
    const brushes = made("div", {class: "brushes", role: "group", "aria-label": "Draw with"},
      ...[[HAND, "Move pieces", icon("hand")], ...tools].map(([char, name, face]) => made("button", {type: "button", "data-char": char, title: name, "aria-label": name, "aria-pressed": String(char === picked), onclick: () => choose(String(char))}, face)));
    /** @param {string} text @param {string} name @param {number} rows @param {number} columns */
    const size = (text, name, rows, columns) => made("button", {type: "button", class: "round", "aria-label": name, title: name, disabled: (rows || columns) > 0 && Math.max(here.rows.length, here.width) >= LARGEST, onclick: () => {
      if (known === state.text) write(resized(state.text, here, rows, columns));
    }}, text);
    svg = /** @type {SVGElement} */ (shape("svg", {class: "budge-board", tabindex: 0, role: "application", "aria-label": `${here.key}: arrows move, a character paints, Backspace clears`}));
    board.replaceChildren(
      maps.length > 1 && made("div", {class: "maps", role: "group", "aria-label": "Maps"}, ...maps.map((one, i) => made("button", {type: "button", "aria-pressed": String(i === number), onclick: () => { number = i; cursor = [0, 0]; show(); }}, one.key))),
      brushes, made("div", {class: "paper"}, svg),
      made("div", {class: "sizes"}, made("span", {class: "quiet"}, `${here.width} columns`), size("−", "A column less", 0, -1), size("+", "A column more", 0, 1), made("span", {class: "quiet"}, `${here.rows.length} rows`), size("−", "A row less", -1, 0), size("+", "A row more", 1, 0)));
    for (const child of [...board.childNodes]) if (child.nodeType === Node.TEXT_NODE) child.remove();
    const [row, column] = cursor;
    cursor = [Math.min(row, here.rows.length - 1), Math.min(column, here.width - 1)];
    draw();
    svg.addEventListener("pointerdown", down);
    svg.addEventListener("keydown", key);
    if (again) svg.focus();
  }

  /** @param {string} char */
  function choose(char) {
    tool = char;
    for (const one of /** @type {NodeListOf<HTMLElement>} */ (board.querySelectorAll(".brushes button"))) one.setAttribute("aria-pressed", String(one.dataset.char === char));
  }

  // Painting and dragging

  /** The cells of what is on a cell. @param {number} row @param {number} column @returns {[number, number][]} */
  function grabbed(row, column) {
    const char = charAt(row, column), {rows, width} = map();
    if (!pieces(char)) return [[row, column]];
    return rows.flatMap((_, r) => [...Array(width).keys()].filter(c => charAt(r, c) === char).map(c => /** @type {[number, number]} */ ([r, c])));
  }

  /** What is painted if a piece is dragged; none if it does not fit. @param {number[]} from @param {number[]} to @returns {Stroke[] | null} */
  function dragged([row, column], [toRow, toColumn]) {
    const {rows, width, empty} = map(), char = charAt(row, column), cells = grabbed(row, column), own = new Set(cells.map(String));
    const there = cells.map(([r, c]) => [r + toRow - row, c + toColumn - column]);
    if (there.some(([r, c]) => r < 0 || c < 0 || r >= rows.length || c >= width)) return null;
    if (pieces(char)) {
      if (there.some(([r, c]) => !own.has(`${r},${c}`) && charAt(r, c) !== empty)) return null;
      return [...cells.map(([r, c]) => /** @type {Stroke} */ ([r, c, empty])), ...there.map(([r, c]) => /** @type {Stroke} */ ([r, c, char]))];
    }
    const [piece, ground] = named(char).split(" on "), onto = charAt(toRow, toColumn), target = onto === empty ? "" : named(onto);
    const left = ground ? called(ground) ?? empty : empty, laid = target ? called(`${piece} on ${target}`) : called(piece) ?? char;
    return laid === undefined ? null : [[row, column, left], [toRow, toColumn, laid]];
  }

  /** @param {MouseEvent} event @returns {[number, number]} */
  function cellOf(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(/** @type {SVGSVGElement} */ (svg).getScreenCTM()?.inverse());
    return [Math.floor(point.y / CELL), Math.floor(point.x / CELL)];
  }

  /** @param {PointerEvent} event */
  function down(event) {
    const {rows, width, empty} = map(), start = cellOf(event), [row, column] = start;
    if (event.button || row < 0 || column < 0 || row >= rows.length || column >= width) return;
    event.preventDefault();
    svg.focus({preventScroll: true});
    cursor = start;
    const char = charAt(row, column), paint = tool === HAND ? null : char === tool ? empty : tool;
    if (paint === null && char === empty) return draw();
    /** @type {Stroke[] | null} */ let strokes = [];
    const before = [...map().rows];
    const move = (/** @type {PointerEvent} */ now) => {
      const [r, c] = cellOf(now);
      if (paint === null) { strokes = dragged(start, [r, c]); cursor = strokes ? [r, c] : start; return draw([row, column, r, c, strokes ? 1 : 0]); }
      if (r < 0 || c < 0 || r >= rows.length || c >= width || charAt(r, c) === paint) return;
      const line = [...map().rows[r].padEnd(width, empty)];
      line[c] = paint;
      map().rows[r] = line.join("");
      strokes?.push([r, c, paint]);
      cursor = [r, c];
      draw();
    };
    const up = () => {
      removeEventListener("pointermove", move); removeEventListener("pointerup", up); removeEventListener("pointercancel", up);
      map().rows = before;
      if (strokes?.length && !(paint === null && String(cursor) === String(start))) stroke(strokes); else draw();
    };
    addEventListener("pointermove", move); addEventListener("pointerup", up); addEventListener("pointercancel", up);
    if (paint !== null) move(event);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const {rows, width, empty} = map(), way = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key], [row, column] = cursor;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) { cursor = [Math.max(0, Math.min(rows.length - 1, row + way[0])), Math.max(0, Math.min(width - 1, column + way[1]))]; draw(); }
    else if (event.key === "Backspace" || event.key === "Delete") stroke([[row, column, empty]]);
    else if (event.key === "Enter" && tool !== HAND) stroke([[row, column, tool]]);
    else if (event.key.length === 1) stroke([[row, column, event.key]]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  on("read", read);
  on("opened", () => { maps = []; number = 0; if (active) show(); });
  read();
  return {turn() {
    active = !active;
    board.hidden = !active;
    document.body.classList.toggle("drawing", active);
    if (active) { read(); show(); }
    return active;
  }};
}
