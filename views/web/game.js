/* <budge-game>: a puzzle to play, and what one wants to know of it: the moves so far against the optimum, a tree of moves
to go back and forth in, the distance to the goal, hints by degrees. Rules are data (rules.js); a worker visits all states
and knows every distance (search.js).

Properties:
  game     {scene, units, digest, best, known, expected, least, positions | operators ...}; see views/player.py. `best`:
           the proven optimum; `known`: the cost of the best plan known; `least`: a lower bound
  notation the moves to where the game is, as texts
Events (they bubble):
  game     detail {cost, solved, notation}: the game has come to another state */
import {Sliding, rulesOf} from "./rules.js";

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./rules.js").Data} Data */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {import("./rules.js").Places} Places */
/** @typedef {import("./rules.js").Operator} Operator */
/** @typedef {{row: Row, at: Places, cost: number[], solved: boolean, moved?: string[], via?: {[id: string]: Cell[]},
     lines?: string[], last?: string}} State `last`: whose next move in a row costs nothing more */
/** @typedef {{piece?: string | null, to?: Cell | null, way?: string, tap?: Cell, notation: string, then: () => State}} Move */
/** @typedef {{number: number, text: string, state: State | null, parent: Node | null, children: Node[],
     far?: number[] | null}} Node a state in the tree of moves; `far`: its distance to the goal, null where is no way */
/** @typedef {Data & {digest: string, best?: number[], known?: number[], least?: number[], expected?: number[]}} Game */

const SEARCH = "search.js"; // the worker's script, which is put here
const MOST = 1_000_000; // states that are visited
const LISTED = 400; // moves that are listed
/** @type {{[way: string]: Cell}} */
const WAYS = {U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1]};
/** @type {{[way: string]: string}} */
const ARROWS = {U: "↑", D: "↓", L: "←", R: "→"};
/** @type {{[key: string]: string}} */
const KEYS = {z: "undo", u: "undo", y: "redo", r: "again", h: "hint"};
const PARTS = `<div class="play"><budge-board></budge-board></div><div class="beside"><p class="goal"></p>
<p class="told" role="status"></p><div class="gauge" role="status"><div class="bar" aria-hidden="true"><i></i></div><span></span></div>
<div class="tools"><button type="button" data-do="undo">Undo</button><button type="button" data-do="redo">Redo</button>
<button type="button" data-do="again">Start again</button><button type="button" data-do="hint">Hint</button>
<output class="counter"></output></div><p class="hint" role="status" hidden></p><div class="choices"></div>
<div class="history" hidden tabindex="0" aria-label="Moves so far"></div><p class="keys quiet"></p></div>`;

/** @param {number[]} a @param {number[]} b */
const sum = (a, b) => a.map((n, i) => n + b[i]);
/** @param {number[]} a @param {number[]} b */
const compared = (a, b) => a.map((n, i) => n - b[i]).find(n => n) || 0;
/** @param {Cell} cell */
const key = ([row, column]) => `${row},${column}`;
/** @param {Cell} cell @param {string} path @returns {Cell[]} */
const along = (cell, path) => [...path].map(way => cell = [cell[0] + WAYS[way][0], cell[1] + WAYS[way][1]]);
/** @param {Cell} a @param {Cell} b */
const wayTo = (a, b) => Object.keys(WAYS).find(way => key(along(a, way)[0]) === key(b)) || "";
/** @param {string} tag @param {{[name: string]: string}} attributes @param {(string | globalThis.Node)[]} inside */
function made(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

/** The moves of a state as the board offers them, by rules that are data. */
class Moves {
  /** @param {Data} data */
  constructor(data) {
    this.rules = rulesOf(data);
    this.data = data;
    const {scene, marked = []} = data;
    this.marks = new Set(marked.map(key));
    /** @type {{[id: string]: number}} */
    this.faces = Object.fromEntries(scene.pieces.map((/** @type {any} */ {id, faces}) => [id, faces.length]));
    /** @type {{[id: string]: string}} */
    this.labels = Object.fromEntries(scene.pieces.map((/** @type {any} */ {id, label}) => [id, label]));
  }

  /** @returns {State} */
  get start() {
    const row = this.rules.start, {at, lines} = this.data.positions ? this.data.positions[0] : this.data.scene.start;
    return {row, at, lines, cost: this.data.units.map(() => 0), solved: this.rules.solved(row)};
  }

  /** @param {State} here @returns {Move[]} */
  of(here) {
    return this.rules instanceof Sliding ? this.#sliding(here, this.rules) : this.#listed(here);
  }

  /** @param {State} here @returns {Move[]} */
  #listed(here) {
    const positions = /** @type {import("./rules.js").Position[]} */ (this.data.positions);
    return positions[here.row[0]].moves.map(([target, cost, option]) => ({...option, then: () => {
      const {at, lines, moved, solved} = positions[target];
      return {row: Int32Array.of(target), at, lines, moved, solved, cost: sum(here.cost, cost)};
    }}));
  }

  /** @param {State} here @param {Sliding} rules @returns {Move[]} */
  #sliding(here, rules) {
    /** @type {Move[]} */
    const found = [], {walker} = rules, me = this.data.scene.walker;
    const on = new Map(Object.entries(here.at).map(([id, place]) => [key(/** @type {Cell} */ (place)), id]));
    if (walker) this.#walks(here, rules, walker, me, found);
    rules.each(here.row, (row, cost, {operators, before}) => {
      const [first] = operators, id = /** @type {string} */ (on.get(key(first.cell))), path = operators.map(op => op.path).join("");
      const cells = along(first.cell, path), to = cells[cells.length - 1], way = /^(.)\1*$/.test(path) ? {way: path[0]} : {};
      if (!walker) {
        found.push({piece: id, to, ...way, notation: this.#written(id, path), then: () => this.#after(here, row, id, cells, path, cost)});
        return;
      }
      const walk = this.#walked(walker, here.row[rules.words], before), from = /** @type {Cell} */ (here.at[me]);
      found.push({piece: id, to, ...way, notation: walk.toLowerCase() + path, then: () => {
        const next = this.#after(here, row, id, cells, path, cost), still = Array(walk.length).fill(first.cell);
        return {...next, at: this.#put(next.at, me, walker.cells[row[rules.words]]),
          via: {[me]: along(from, walk + path), [id]: [...still, ...cells]}};
      }});
    });
    return found;
  }

  /** The walker alone, to every cell that it reaches. @param {State} here @param {Sliding} rules
      @param {import("./rules.js").Walker} walker @param {string} me @param {Move[]} found */
  #walks(here, rules, walker, me, found) {
    const from = here.row[rules.words], reached = rules.reached(here.row);
    for (const cell of reached.keys()) {
      if (cell === from) continue;
      /** @type {number[]} */
      const cells = [];
      for (let there = cell; there !== from; there = /** @type {number} */ (reached.get(there))) cells.unshift(there);
      const path = this.#walked(walker, from, cells), to = walker.cells[cell];
      found.push({piece: me, to, notation: path.toLowerCase(), ...(path.length === 1 ? {way: path} : {}), then: () => {
        const row = here.row.slice();
        row[rules.words] = cell;
        return {...here, row, at: this.#put(here.at, me, to), moved: [me], last: undefined,
          cost: sum(here.cost, walker.cost.map(cost => cost * path.length)), via: {[me]: cells.map(number => walker.cells[number])}};
      }});
    }
  }

  /** @param {import("./rules.js").Walker} walker @param {number} from @param {number[]} cells */
  #walked({cells: places}, from, cells) {
    return cells.map((cell, i) => wayTo(places[i ? cells[i - 1] : from], places[cell])).join("");
  }

  /** The state after a move; one that goes on with the last one costs nothing more.
      @param {State} here @param {Row} row @param {string} id @param {Cell[]} cells @param {string} path @param {number[]} cost
      @returns {State} */
  #after(here, row, id, cells, path, cost) {
    const {compound, far} = this.data, last = compound ? id : far ? `${id} ${path[0]}` : undefined;
    return {...here, row, at: this.#put(here.at, id, cells[cells.length - 1]), moved: [id], solved: this.rules.solved(row), last,
      cost: last && last === here.last ? here.cost : sum(here.cost, cost), via: cells.length > 1 ? {[id]: cells} : {}};
  }

  /** @param {Places} at @param {string} id @param {Cell} cell @returns {Places} */
  #put(at, id, cell) { return {...at, [id]: [...cell, this.faces[id] > 1 && this.marks.has(key(cell)) ? 1 : 0]}; }

  /** @param {string} id @param {string} path */
  #written(id, path) {
    return `${this.labels[id]} ${path.replace(/(.)\1*/g, (run, way) => ARROWS[way] + (run.length > 1 ? run.length : ""))}`.trim();
  }
}

/** The worker, and what it has found out. */
class Distances {
  /** @param {Data} data @param {() => void} learnt */
  constructor(data, learnt) {
    this.states = 0; this.done = false; this.more = false;
    /** @type {number[] | null | undefined} */
    this.optimum = undefined;
    /** @type {Map<number, (distances: (number[] | null)[]) => void>} */
    const waiting = new Map();
    let asked = 0;
    const url = URL.createObjectURL(new Blob([SEARCH], {type: "text/javascript"})), worker = new Worker(url);
    worker.onmessage = ({data: said}) => {
      if (said.answer !== undefined) { waiting.get(said.answer)?.(said.distances); waiting.delete(said.answer); }
      else { Object.assign(this, said); if (said.done) learnt(); }
    };
    worker.onerror = () => { this.more = this.done = true; learnt(); };
    const {positions, units, init, goal, operators, compound, walker} = data;
    worker.postMessage({game: {positions: positions?.map(({moves, solved}) =>
      ({solved, moves: moves.map(([target, cost]) => [target, cost])})), units, init, goal, operators, compound, walker}, most: MOST});
    /** @param {Row[]} rows @returns {Promise<(number[] | null)[]>} */
    this.ask = rows => new Promise(answer => { waiting.set(++asked, answer); worker.postMessage({ask: asked, rows}); });
    this.end = () => { worker.terminate(); URL.revokeObjectURL(url); };
  }
}

class GameElement extends HTMLElement {
  /** @type {Game | null} */ #game = null;
  /** @type {Moves | null} */ #rules = null;
  /** @type {Distances | null} */ #distances = null;
  /** @type {Move[]} */ #moves = [];
  /** @type {Node} */ #root = {number: -1, text: "", state: null, parent: null, children: []};
  /** @type {Node} */ #now = this.#root;
  /** @type {Node | null} */ #line = null; // the end of the line that is shown
  #told = -1; // degrees of the hint that are told, less one
  /** @type {any} */ #board = null;
  #keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);

  connectedCallback() {
    const source = this.querySelector("script[type='application/json']");
    if (!this.#game && source) this.game = JSON.parse(/** @type {string} */ (source.textContent));
    if (Object.hasOwn(this, "game")) { const {game} = this; delete (/** @type {any} */ (this)).game; this.game = game; }
    document.addEventListener("keydown", this.#keys);
  }

  disconnectedCallback() { this.#distances?.end(); this.#distances = null; document.removeEventListener("keydown", this.#keys); }

  get game() { return this.#game; }
  set game(game) {
    this.#distances?.end();
    this.#game = game;
    if (!game) { this.replaceChildren(); return; }
    this.#rules = new Moves(game);
    this.#root = this.#now = {number: -1, text: "", state: this.#rules.start, parent: null, children: []};
    this.#build(game);
    this.#restore();
    this.#distances = new Distances(game, () => this.#learnt());
    this.#show();
  }

  get notation() { return this.#path(this.#now).map(node => node.text); }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) { return /** @type {HTMLElement} */ (this.querySelector(name)); }

  /** @param {Game} game */
  #build(game) {
    this.innerHTML = PARTS;
    this.#board = this.#part("budge-board");
    this.#board.scene = game.scene;
    const [, , wide, high] = game.scene.view;
    this.style.setProperty("--ratio", String(wide / high)); this.style.setProperty("--budge-units", `${wide}px`);
    this.#board.addEventListener("move", (/** @type {CustomEvent} */ event) => this.#play(event.detail.index));
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("[data-do]")))
      button.addEventListener("click", () => this.#do(/** @type {string} */ (button.dataset.do)));
    this.#part(".history").addEventListener("click", event => {
      const node = this.#named.get(/** @type {Element} */ (event.target).closest("button"));
      if (node) this.#go(node);
    });
    const drags = game.operators || game.positions?.some(({moves}) => moves.some(([, , option]) => option.piece));
    this.#part(".keys").append(drags ? "Drag a piece, or use arrow keys. " : "", ...Object.entries(
      {Z: "undo", Y: "redo", R: "start again", H: "hint"}).flatMap(([name, does]) => [made("kbd", {}, name), ` ${does}  `]));
  }

  /** @param {number[]} cost */
  #counted(cost) {
    const {units} = /** @type {Game} */ (this.#game);
    return cost.map((n, i) => `${n.toLocaleString("en")} ${units[i][n === 1 ? 0 : 1]}`).join(", ");
  }

  // Going through the tree

  /** @param {Node} node @returns {Node[]} */
  #path(node) {
    const path = [];
    for (let at = node; at.parent; at = at.parent) path.unshift(at);
    return path;
  }

  /** @param {Node} node @returns {State} */
  #state(node) {
    if (!node.state) {
      const move = /** @type {Moves} */ (this.#rules).of(this.#state(/** @type {Node} */ (node.parent)))[node.number];
      node.state = move.then();
    }
    return node.state;
  }

  /** @param {number} number */
  #play(number) {
    const move = this.#moves[number];
    if (!move) return void (this.#board.moves = this.#board.moves);
    let node = this.#now.children.find(child => child.number === number);
    if (!node) this.#now.children.push(node = {number, text: move.notation, state: move.then(), parent: this.#now, children: []});
    this.#go(node);
  }

  /** @param {Node} node */
  #go(node) {
    const on = node.parent === this.#now;
    this.#now = node;
    this.#told = -1;
    this.#show(on);
  }

  /** @param {string} what */
  #do(what) {
    const {parent} = this.#now, on = this.#on();
    if (what === "undo" && parent) this.#go(parent);
    if (what === "redo" && on) this.#go(on);
    if (what === "again") this.#go(this.#root);
    if (what === "hint") { this.#told += 1; this.#advise(); }
  }

  /** The next state of the line that was gone before. */
  #on() {
    const line = this.#line ? this.#path(this.#line) : [];
    return this.#now.children.find(child => line.includes(child)) || this.#now.children[0];
  }

  // Showing

  #show(via = false) {
    const state = this.#state(this.#now);
    if (!this.#line || !this.#path(this.#line).includes(this.#now)) this.#line = this.#now;
    this.#moves = /** @type {Moves} */ (this.#rules).of(state);
    this.#board.state = {at: state.at, moved: this.#now.parent ? state.moved || [] : [], via: via ? state.via || {} : {}, lines: state.lines};
    this.#board.moves = this.#moves.map(({then, ...move}) => move);
    this.#part(".counter").textContent = this.#counted(state.cost);
    this.classList.toggle("solved", state.solved);
    for (const [name, able] of /** @type {[string, unknown][]} */ ([["undo", this.#now.parent], ["redo", this.#on()], ["again", this.#now.parent]]))
      /** @type {HTMLButtonElement} */ (this.#part(`[data-do=${name}]`)).disabled = !able;
    this.#part("[data-do=hint]").hidden = state.solved;
    this.#part(".hint").hidden = true;
    this.#board.choices(this.#part(".choices"));
    this.#listed();
    this.#tell(state);
    this.#measure(this.#now);
    this.#keep();
    this.dispatchEvent(new CustomEvent("game", {bubbles: true, detail: {cost: state.cost, solved: state.solved, notation: this.notation}}));
  }

  /** @param {State} state */
  #tell(state) {
    const {known, least, expected} = /** @type {Game} */ (this.#game), best = this.#best;
    const claim = expected && known && compared(expected, known) < 0;
    const found = known && `The best plan found here has ${this.#counted(known)}${claim ? `; the file expects ${this.#counted(expected)}` : ""}`;
    const told = this.#part(".told");
    if (!state.solved) {
      const asks = best ? `Can you do it in ${this.#counted(best)}?` : known ? `${found}. Can you do better?` : "";
      return told.replaceChildren(this.#now.parent ? this.#lost() : asks);
    }
    const shortest = best && compared(state.cost, best) <= 0, [mine] = state.cost;
    const mark = made("strong", {}, shortest
      ? `${best.length > 1 ? this.#counted(best) : `${mine} of ${best}`}: a shortest solution` : `Solved in ${this.#counted(state.cost)}`);
    const next = document.querySelector("a[rel=next]")?.cloneNode(true);
    const more = best && !shortest ? `. The shortest has ${best.length > 1 ? this.#counted(best) : best}. ${this.#lost()}`
      : best || !known ? "." : `. ${found}${least ? `; at least ${this.#counted(least)} must be made.` : "."}`;
    told.replaceChildren(mark, more, ...(next ? [" ", next] : []));
  }

  /** The optimum: of a proof, or of the worker, which has visited all states. */
  get #best() { return this.#game?.best || this.#distances?.optimum || undefined; }

  /** The costs that moves have lost, and where most of it. */
  #lost() {
    let worst = null;
    for (const [i, node] of this.#path(this.#now).entries()) {
      const loss = this.#loss(node);
      if (loss && (!worst || compared(loss.lost, worst.lost) > 0)) worst = {...loss, at: i + 1};
    }
    if (!worst) return "";
    return worst.dead ? `From move ${worst.at} on there is no way to the goal.` : `You lost ${this.#counted(worst.lost)} at move ${worst.at}.`;
  }

  /** What a move has lost against the best one; null if nothing, or not known. @param {Node} node */
  #loss({parent, far, state}) {
    if (!parent?.state || !state || far === undefined || !parent.far) return null;
    if (far === null) return {lost: parent.far, dead: true};
    const before = sum(parent.state.cost, parent.far), lost = sum(state.cost, far).map((n, i) => n - before[i]);
    return compared(lost, lost.map(() => 0)) > 0 ? {lost, dead: false} : null;
  }

  /** @type {Map<Element | null, Node>} */ #named = new Map();

  #listed() {
    const list = this.#part(".history"), line = this.#path(/** @type {Node} */ (this.#line));
    this.#named = new Map();
    const named = (/** @type {Node} */ node, /** @type {number} */ depth) => {
      const button = made("button", {type: "button"}, made("small", {}, `${depth}.`), ` ${node.text}`), loss = this.#loss(node);
      if (node === this.#now) button.setAttribute("aria-current", "step");
      if (loss) { button.className = "lost"; button.title = loss.dead ? "no way to the goal from here" : `${this.#counted(loss.lost)} lost`; }
      this.#named.set(button, node);
      return button;
    };
    /** @param {Node} node @param {Node[]} on @param {number} depth @returns {HTMLElement[]} */
    const moves = (node, on, depth) => {
      const shown = [];
      for (let at = node; at.children.length; depth++) {
        const main = at.children.find(child => on.includes(child)) || at.children[0];
        shown.push(named(main, depth));
        for (const other of at.children)
          if (other !== main) shown.push(made("span", {class: "branch"}, named(other, depth), ...moves(other, on, depth + 1)));
        at = main;
        if (this.#named.size > LISTED) break;
      }
      return shown;
    };
    const skipped = Math.max(0, line.indexOf(this.#now) - LISTED / 2);
    list.replaceChildren(...moves(skipped ? line[skipped - 1] : this.#root, line, skipped + 1));
    list.hidden = !list.children.length;
    const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
    else list.scrollTop = 0;
  }

  // Distances and hints

  #learnt() {
    this.#part(".gauge").hidden = Boolean(this.#distances?.more);
    if (!this.#distances?.more) for (const node of [...this.#path(this.#now), this.#root]) this.#measure(node);
    if (this.#told >= 0) this.#advise();
    this.#tell(this.#state(this.#now));
  }

  /** Find out how far the goal is from a state, if the worker knows. @param {Node} node */
  async #measure(node) {
    const all = this.#distances;
    this.#gauge();
    if (node.far !== undefined || !all?.done || all.more) return;
    const [far] = await all.ask([this.#state(node).row]);
    if (all !== this.#distances) return;
    node.far = far;
    this.#gauge();
    if (this.#path(this.#now).includes(node) && this.#loss(node)) { this.#listed(); this.#tell(this.#state(this.#now)); }
  }

  #gauge() {
    const {far} = this.#now, all = this.#distances, best = this.#best, line = this.#path(this.#now);
    const text = this.#state(this.#now).solved ? "at the goal" : far ? `${this.#counted(far)} to the goal`
      : far === null ? "no way to the goal from here" : all && !all.done ? `${all.states.toLocaleString("en")} states visited` : "";
    const most = Math.max(1, ...[best, this.#root.far, ...line.map(node => node.far)].map(cost => cost?.[0] || 0));
    this.#part(".gauge span").textContent = text;
    this.#part(".gauge i").style.setProperty("width", `${far ? 100 * (1 - far[0] / most) : far === null ? 0 : this.#state(this.#now).solved ? 100 : 0}%`);
  }

  /** A hint, by degrees: how far, which piece, the best moves. */
  async #advise() {
    const box = this.#part(".hint"), node = this.#now, all = this.#distances, state = this.#state(node);
    box.hidden = false;
    if (!all || all.more) return box.replaceChildren("There are too many states here to know the distance to the goal.");
    if (!all.done) return box.replaceChildren("Visiting all states ...");
    const moves = this.#moves, after = moves.map(move => move.then());
    const [far, ...fars] = await all.ask([state.row, ...after.map(({row}) => row)]);
    if (node !== this.#now) return;
    if (!far) return box.replaceChildren("There is no way to the goal from here. Undo a move.");
    const sums = after.map(({cost}, i) => { const rest = fars[i]; return rest && sum(cost, rest); });
    const best = moves.filter((_, i) => { const whole = sums[i]; return whole && compared(fars[i] || [], far) < 0 && compared(whole, sum(state.cost, far)) <= 0; });
    const pieces = [...new Set(best.map(({piece}) => piece).filter(Boolean))].map(id => this.#rules?.labels[/** @type {string} */ (id)]);
    const parts = [`${this.#counted(far)} to the goal.`], most = pieces.length ? 2 : 1;
    if (this.#told >= 1 && pieces.length) parts.push(` Move ${pieces.join(" or ")}.`);
    box.replaceChildren(...parts, ...(this.#told < most ? [" Press Hint again to be told more."] : best.map(move => {
      const button = made("button", {type: "button"}, move.notation);
      button.addEventListener("click", () => this.#play(moves.indexOf(move)));
      return button;
    })));
  }

  // Keeping, and keys

  get #memory() { return `budge ${this.#game?.digest}`; }

  /** @returns {any} */
  #kept() { try { return JSON.parse(localStorage.getItem(this.#memory) || "{}") || {}; } catch { return {}; } }

  #keep() {
    const {solved, cost} = this.#state(this.#now), old = this.#kept();
    const best = solved && (!old.best || compared(cost, old.best) < 0) ? cost : old.best;
    const line = this.#path(/** @type {Node} */ (this.#line));
    try { localStorage.setItem(this.#memory, JSON.stringify({played: line.map(({number}) => number), now: line.indexOf(this.#now) + 1, best})); }
    catch { /* private, or full */ }
  }

  /** The game as it was left: undo works across a reload. */
  #restore() {
    const {played = [], now = 0} = this.#kept(), rules = /** @type {Moves} */ (this.#rules);
    let node = this.#root;
    for (const number of played) {
      const move = rules.of(this.#state(node))[number];
      if (!move) break;
      node.children.push({number, text: move.notation, state: move.then(), parent: node, children: []});
      node = node.children[0];
    }
    this.#line = node;
    this.#now = [this.#root, ...this.#path(node)][Math.max(0, Math.min(now | 0, this.#path(node).length))];
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || !this.#game || !this.checkVisibility()) return;
    if (target.closest?.("input, select, textarea, summary, budge-replay, [contenteditable]")) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey, letter = event.key.toLowerCase(), name = KEYS[letter];
    if (plain && event.isTrusted && !this.#board.contains(target) && (event.key.startsWith("Arrow") || event.key.length === 1)) {
      const stage = this.#board.firstElementChild;
      if (!target.closest?.("button, a")) stage.focus({preventScroll: true});
      const passed = new KeyboardEvent("keydown", {key: event.key, bubbles: true, cancelable: true});
      if (event.key !== " " && !stage.dispatchEvent(passed)) return event.preventDefault();
    }
    if (name && (plain || (letter === "z" && !event.altKey && !event.shiftKey))) { event.preventDefault(); this.#do(name); }
  }
}

if (!customElements.get("budge-game")) customElements.define("budge-game", GameElement);
