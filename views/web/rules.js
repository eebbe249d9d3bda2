/* The rules of a puzzle as data (views/rules.py makes them), and what can be done by them. A state is a row of 32-bit
words; no rule of a family stands here. `each` is the one place where rules are applied: the board plays by it, and the
search visits all states by it.

Two forms. *Sliding*: operators on facts; the row has a bit for each fact, and behind them the cell of a walker, if
there is one. *Programs* (programs.js): actions that compute; the row has the values of variables. */

import {ProgramRules} from "./programs.js";

/** @typedef {[number, number]} Cell row and column */
/** @typedef {Int32Array} Row */
/** @typedef {{pre: number[], add: number[], delete: number[], cell: Cell, path: string, cost: number[],
     from: number, to: number, test: number[], clear: number[], put: number[]}} Operator
   `path`: letters UDLR of the piece on `cell`; `from`, `to`: where the piece is before and after, as numbers; of a push
   the cells of the walker before and after; `test`, `clear`, `put`: words and masks in turn */
/** @typedef {{cells: Cell[], free: number[], neighbours: number[][], start: number, cost: number[]}} Walker */
/** @typedef {{operators: Operator[], before: number[], number?: number}} Step
   the operators of a move, and the cells over which the walker comes there; of programs the number of the action */
/** @typedef {(row: Row, cost: number[], step: Step) => void} Emit */
/** @typedef {{piece?: string | null, to?: Cell | null, way?: string, tap?: Cell, notation: string}} Option */
/** @typedef {{scene: any, units: [string, string][], init?: number[], goal?: number[][],
     operators?: any[], compound?: boolean, far?: boolean, marked?: Cell[], walker?: Walker | null,
     programs?: import("./programs.js").Programs}} Data */

/** @param {Data} data @returns {Sliding | ProgramRules} */
export const rulesOf = data => data.programs ? new ProgramRules(/** @type {any} */ (data)) : new Sliding(data);

export class Sliding {
  /** @param {Data} data */
  constructor({units, init = [], goal = [], operators = [], compound = false, walker = null}) {
    const facts = [init, ...goal, ...operators.map(([pre]) => pre), ...operators.map(([, add]) => add), walker?.free || []];
    this.words = Math.ceil((1 + facts.flat().reduce((most, fact) => Math.max(most, fact), 0)) / 32);
    this.units = units; this.goal = goal; this.compound = compound; this.walker = walker;
    this.strides = Boolean(walker?.cost.some(cost => cost > 0)); // walking has a price
    /** @type {Operator[]} */
    this.operators = operators.map(([pre, add, gone, cell, path, cost, link]) => ({pre, add, delete: gone, cell, path,
      cost, from: link?.[0] ?? 0, to: link?.[1] ?? 0, test: this.#masks(pre), clear: this.#masks(gone), put: this.#masks(add)}));
    this.start = new Int32Array(this.words + (walker ? 1 : 0));
    for (const fact of init) this.start[fact >> 5] |= 1 << (fact & 31);
    if (walker) this.start[this.words] = walker.start;
    this.#indexed();
  }

  /** @param {number[]} facts @returns {number[]} word, mask, word, mask, ... */
  #masks(facts) {
    const masks = new Map();
    for (const fact of facts) masks.set(fact >> 5, (masks.get(fact >> 5) || 0) | (1 << (fact & 31)));
    return [...masks].flat();
  }

  /** Operators by one of their conditions that they take away: of the facts that are true, few are such. */
  #indexed() {
    /** @type {Map<number, Operator[]>} */
    this.by = new Map();
    /** @type {Map<number, Operator[]>} */
    this.from = new Map();
    for (const op of this.operators) {
      const key = op.pre.find(fact => op.delete.includes(fact)) ?? op.pre[0] ?? -1;
      this.by.set(key, [...(this.by.get(key) || []), op]);
      this.from.set(op.from, [...(this.from.get(op.from) || []), op]);
    }
  }

  /** @param {Row} row @param {number} fact */
  holds = (row, fact) => (row[fact >> 5] >>> (fact & 31) & 1) === 1;

  /** @param {Row} row */
  solved = row => this.goal.every(clause => clause.some(fact => this.holds(row, fact)));

  /** How many parts of the goal are reached, and how many there are. @param {Row} row */
  reachedParts = row => [this.goal.filter(clause => clause.some(fact => this.holds(row, fact))).length, this.goal.length];

  /** @param {Row} row @param {Operator} op */
  applies(row, {test}) {
    for (let i = 0; i < test.length; i += 2) if ((row[test[i]] & test[i + 1]) !== test[i + 1]) return false;
    return true;
  }

  /** @param {Row} row @param {Operator} op */
  applied(row, {clear, put}) {
    const after = row.slice();
    for (let i = 0; i < clear.length; i += 2) after[clear[i]] &= ~clear[i + 1];
    for (let i = 0; i < put.length; i += 2) after[put[i]] |= put[i + 1];
    return after;
  }

  /** The operators that apply. @param {Row} row @param {(op: Operator) => void} found */
  #applicable(row, found) {
    const tried = (/** @type {Operator} */ op) => { if (this.applies(row, op)) found(op); };
    this.by?.get(-1)?.forEach(tried);
    for (let word = 0; word < this.words; word++)
      for (let bits = row[word]; bits; bits &= bits - 1)
        this.by?.get(word * 32 + 31 - Math.clz32(bits & -bits))?.forEach(tried);
  }

  /** The cells that the walker reaches: for each the cell before it on a shortest way. @param {Row} row */
  reached(row) {
    const {neighbours, free} = /** @type {Walker} */ (this.walker), before = new Map([[row[this.words], -1]]);
    for (const cell of before.keys())
      for (const next of neighbours[cell]) if (!before.has(next) && this.holds(row, free[next])) before.set(next, cell);
    return before;
  }

  /** The state that stands for all from which a walk leads to it at no cost. @param {Row} row */
  canonical(row) {
    if (!this.walker || this.strides) return row;
    const same = row.slice();
    same[this.words] = [...this.reached(row).keys()].reduce((least, cell) => Math.min(least, cell));
    return same;
  }

  /** Each move from a state but walking: the state behind it, its cost, and which it is.
      @param {Row} row @param {Emit} emit */
  each(row, emit) {
    if (this.walker) this.#pushes(row, this.walker, emit);
    else if (this.compound) this.#rows(row, emit);
    else this.#applicable(row, op => emit(this.applied(row, op), op.cost, {operators: [op], before: []}));
  }

  /** @param {Row} row @param {Walker} walker @param {Emit} emit */
  #pushes(row, walker, emit) {
    const reached = this.reached(row);
    this.#applicable(row, op => {
      if (!reached.has(op.from)) return;
      const after = this.applied(row, op), before = [];
      after[this.words] = op.to;
      for (let cell = op.from; cell !== row[this.words]; cell = /** @type {number} */ (reached.get(cell))) before.unshift(cell);
      emit(after, op.cost.map((cost, i) => cost + before.length * walker.cost[i]), {operators: [op], before});
    });
  }

  /** Moves in a row of one piece are one move: all places to which each piece can go. @param {Row} row @param {Emit} emit */
  #rows(row, emit) {
    const begun = new Set();
    this.#applicable(row, first => {
      if (begun.has(first.from)) return;
      begun.add(first.from);
      const seen = new Set([first.from]);
      /** @type {{here: Row, at: number, operators: Operator[]}[]} */
      const queue = [{here: row, at: first.from, operators: []}];
      for (const {here, at, operators} of queue) // grows while it is read
        for (const op of this.from?.get(at) || []) {
          if (seen.has(op.to) || !this.applies(here, op)) continue;
          seen.add(op.to);
          const after = this.applied(here, op), done = [...operators, op];
          queue.push({here: after, at: op.to, operators: done});
          emit(after, op.cost, {operators: done, before: []});
        }
    });
  }
}
