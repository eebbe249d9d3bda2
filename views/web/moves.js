/* The moves of a state as a board offers them: which piece goes where, what it is called, and the state behind it. Rules
are data (rules.js). */
import {along, key} from "./pieces.js";
import {ProgramMoves, wayOf} from "./program_moves.js";
import {Sliding} from "./rules.js";

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./rules.js").Data} Data */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {import("./pieces.js").At} At */
/** @typedef {{row: Row, at: At, cost: number[], solved: boolean, moved?: string[], via?: {[id: string]: Cell[]},
     lines?: string[], last?: string, pieces?: unknown[]}} State `last`: whose next move in a row costs nothing more */
/** @typedef {import("./player.js").Move} Move */
/** @typedef {import("./pieces.js").Stage} Stage */

const WALKED = 400; // cells of a board up to which each walk is a move that is listed
/** @type {{[way: string]: string}} */
const ARROWS = {U: "↑", D: "↓", L: "←", R: "→"};

/** @param {number[]} a @param {number[]} b */
export const sum = (a, b) => a.map((n, i) => n + b[i]);
/** The difference of two costs in their first part that differs. @param {number[]} a @param {number[]} b */
export const compared = (a, b) => a.map((n, i) => n - b[i]).find(n => n) || 0;

/** How a piece slides, as the board offers it. @param {string} piece @param {[Cell, string]} slide */
const slid = (piece, [cell, path]) => ({piece, to: along(cell, path)[path.length - 1], ...(/^(.)\1*$/.test(path) ? {way: path[0]} : {})});

/** The moves of a state as the board offers them, by rules that are data. */
export class Moves {
  /** @param {Data} data @param {Stage} stage */
  constructor(data, stage) {
    this.programs = data.programs ? new ProgramMoves(/** @type {any} */ (data), stage) : null;
    this.rules = this.programs ? this.programs.rules : new Sliding(data);
    this.data = data; this.stage = stage;
    this.marks = new Set((data.marked || []).map(key));
  }

  /** @returns {State} */
  get start() {
    const row = this.rules.start;
    return {...this.stage.start, row, cost: this.data.units.map(() => 0), solved: this.rules.solved(row)};
  }

  /** @param {State} here @returns {Move[]} */
  of(here) {
    return this.programs ? this.programs.of(/** @type {any} */ (here)) : this.#sliding(here, /** @type {Sliding} */ (this.rules));
  }

  /** @param {State} here @param {Sliding} rules @returns {Move[]} */
  #sliding(here, rules) {
    /** @type {Move[]} */
    const found = [], {walker} = rules, me = /** @type {string} */ (this.stage.walker);
    const on = new Map(Object.entries(here.at).map(([id, place]) => [key(place), id]));
    if (walker) this.#walks(here, rules, walker, me, found);
    rules.each(here.row, (row, cost, {operators, before}) => {
      const [{cell}] = operators, id = /** @type {string} */ (on.get(key(cell))), path = operators.map(op => op.path).join("");
      /** @type {[Cell, string]} */
      const slide = [cell, path], walk = walker && this.#walked(walker, here.row[rules.words], before).toLowerCase();
      const notation = walk === null ? this.#written(id, path) : walk + path;
      found.push({...slid(id, slide), notation, ...(walker ? {} : {slide}), then: () => {
        const next = this.#after(here, row, id, slide, notation, cost);
        return walker ? {...next, at: this.#put(next.at, me, walker.cells[row[rules.words]])} : next;
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
    return reached.has(cell) && cell !== here.row[this.rules.words] ? this.#walk(here, this.rules, walker, /** @type {string} */ (this.stage.walker), reached, cell) : null;
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
    const path = this.#walked(walker, from, cells), notation = path.toLowerCase();
    return {piece: me, to, notation, ...(path.length === 1 ? {way: path} : {}), then: () => {
      const row = here.row.slice();
      row[rules.words] = cell;
      return {...here, row, at: this.#put(here.at, me, to), moved: [me], last: undefined,
        cost: sum(here.cost, walker.cost.map(cost => cost * path.length)), via: this.stage.via(here.at, undefined, notation)};
    }};
  }

  /** @param {import("./rules.js").Walker} walker @param {number} from @param {number[]} cells */
  #walked({cells: places}, from, cells) {
    return cells.map((cell, i) => wayOf(places[i ? cells[i - 1] : from], places[cell]).way).join("");
  }

  /** The state after a move; one that goes on with the last one costs nothing more.
      @param {State} here @param {Row} row @param {string} id @param {[Cell, string]} slide @param {string} notation
      @param {number[]} cost @returns {State} */
  #after(here, row, id, slide, notation, cost) {
    const {compound, far} = this.data, last = compound ? id : far ? `${id} ${slide[1][0]}` : undefined;
    return {...here, row, at: this.#put(here.at, id, slid(id, slide).to), moved: [id], solved: this.rules.solved(row), last,
      cost: last && last === here.last ? here.cost : sum(here.cost, cost), via: this.stage.via(here.at, slide, notation)};
  }

  /** @param {At} at @param {string} id @param {Cell} cell @returns {At} */
  #put(at, id, cell) { return {...at, [id]: [...cell, this.stage.kind(id).faces.length > 1 && this.marks.has(key(cell)) ? 1 : 0]}; }

  /** @param {string} id @param {string} path */
  #written(id, path) {
    return `${this.stage.kind(id).label} ${path.replace(/(.)\1*/g, (run, way) => ARROWS[way] + (run.length > 1 ? run.length : ""))}`.trim();
  }
}
