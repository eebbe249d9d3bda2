/* The moves of a state as a board offers them: which piece goes where, what it is called, and the state behind it. Rules
are data (rules.js). */
import {ProgramMoves} from "./program_moves.js";
import {Sliding} from "./rules.js";

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./rules.js").Data} Data */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {import("./rules.js").Places} Places */
/** @typedef {{row: Row, at: Places, cost: number[], solved: boolean, moved?: string[], via?: {[id: string]: Cell[]},
     lines?: string[], last?: string, pieces?: unknown[]}} State `last`: whose next move in a row costs nothing more */
/** @typedef {import("./player.js").Move} Move */

const WALKED = 400; // cells of a board up to which each walk is a move that is listed
/** @type {{[way: string]: Cell}} */
const WAYS = {U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1]};
/** @type {{[way: string]: string}} */
const ARROWS = {U: "↑", D: "↓", L: "←", R: "→"};

/** @param {number[]} a @param {number[]} b */
export const sum = (a, b) => a.map((n, i) => n + b[i]);
/** The difference of two costs in their first part that differs. @param {number[]} a @param {number[]} b */
export const compared = (a, b) => a.map((n, i) => n - b[i]).find(n => n) || 0;
/** @param {Cell} cell */
const key = ([row, column]) => `${row},${column}`;
/** @param {Cell} cell @param {string} path @returns {Cell[]} */
const along = (cell, path) => [...path].map(way => cell = [cell[0] + WAYS[way][0], cell[1] + WAYS[way][1]]);
/** @param {Cell} a @param {Cell} b */
const wayTo = (a, b) => Object.keys(WAYS).find(way => key(along(a, way)[0]) === key(b)) || "";

/** The moves of a state as the board offers them, by rules that are data. */
export class Moves {
  /** @param {Data} data */
  constructor(data) {
    this.programs = data.programs ? new ProgramMoves(/** @type {any} */ (data)) : null;
    this.rules = this.programs ? this.programs.rules : new Sliding(data);
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
    const row = this.rules.start, {at, lines} = this.data.scene.start;
    return {row, at, lines, cost: this.data.units.map(() => 0), solved: this.rules.solved(row)};
  }

  /** @param {State} here @returns {Move[]} */
  of(here) {
    return this.programs ? this.programs.of(/** @type {any} */ (here)) : this.#sliding(here, /** @type {Sliding} */ (this.rules));
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
        found.push({piece: id, to, ...way, notation: this.#written(id, path), slide: [first.cell, path], then: () => this.#after(here, row, id, cells, path, cost)});
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

  /** The walker alone, to every cell that it reaches; on a large board to the cells beside it: `walk` goes further.
      @param {State} here @param {Sliding} rules @param {import("./rules.js").Walker} walker @param {string} me
      @param {Move[]} found */
  #walks(here, rules, walker, me, found) {
    const from = here.row[rules.words], reached = rules.reached(here.row);
    for (const [cell, before] of reached) if (cell !== from && (!this.far || before === from)) found.push(this.#walk(here, rules, walker, me, reached, cell));
  }

  /** Whether the walker can go further than its moves say. */
  get far() { return this.rules instanceof Sliding && (this.rules.walker?.cells.length || 0) > WALKED; }

  /** The move of the walker to a cell; null if there is no way. @param {State} here @param {Cell} to @returns {Move | null} */
  walk(here, to) {
    if (!(this.rules instanceof Sliding) || !this.rules.walker) return null;
    const {walker} = this.rules, reached = this.rules.reached(here.row), cell = walker.cells.findIndex(one => key(one) === key(to));
    return reached.has(cell) && cell !== here.row[this.rules.words] ? this.#walk(here, this.rules, walker, this.data.scene.walker, reached, cell) : null;
  }

  /** The same by the letters of the way. @param {State} here @param {string} path */
  walked(here, path) {
    const from = this.rules instanceof Sliding && this.rules.walker?.cells[here.row[this.rules.words]];
    return from && /^[udlr]+$/.test(path) ? this.walk(here, along(from, path.toUpperCase())[path.length - 1]) : null;
  }

  /** @param {State} here @param {Sliding} rules @param {import("./rules.js").Walker} walker @param {string} me
      @param {Map<number, number>} reached @param {number} cell @returns {Move} */
  #walk(here, rules, walker, me, reached, cell) {
    const from = here.row[rules.words], to = walker.cells[cell];
    /** @type {number[]} */
    const cells = [];
    for (let there = cell; there !== from; there = /** @type {number} */ (reached.get(there))) cells.push(there);
    cells.reverse();
    const path = this.#walked(walker, from, cells);
    return {piece: me, to, notation: path.toLowerCase(), ...(path.length === 1 ? {way: path} : {}), then: () => {
      const row = here.row.slice();
      row[rules.words] = cell;
      return {...here, row, at: this.#put(here.at, me, to), moved: [me], last: undefined,
        cost: sum(here.cost, walker.cost.map(cost => cost * path.length)), via: {[me]: cells.map(number => walker.cells[number])}};
    }};
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
