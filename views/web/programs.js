/* The rules of a puzzle as programs (models/program.py says what each instruction does).

A state is a row of 32-bit words into which the values of the variables are packed. Programs run on registers, the first
of which are the variables. One program draws: it says texts, which are the rows of the board. */

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./rules.js").Row} Row */
/** @typedef {import("./rules.js").Step & {row?: Row}} Step `row`: the state behind a walk to where the move is made */
/** @typedef {(row: Row, cost: number[], step: Step) => void} Emit */
/** @typedef {{notation: string, args: string[], where: Cell | null, edge: Cell | null}} Made
     `where`: the cell that a move names; `edge`: the middle between two, if it changes what is there */
/** @typedef {string | [register: number, texts: number]} Argument */
/** @typedef {[entry: number, cost: number[], name: string, args: Argument[]]} Action */
/** @typedef {{code: number[], tables: (number | null)[], constants: [number, number][], registers: number,
     domains: number[][], variables: number[], init: number[], actions: Action[], goal: number, drawing: number,
     texts: string[][], written: {[value: number]: string}[], form: string[], ways: {[way: string]: Cell}, edges: string[], walks?: {actions: number[], home: number, cells: Cell[]},
     swaps: [number, number, number[]?][][]}} Programs */

const NONE = -(2 ** 60); // no value
const LINE = 4096; // a cell as one number: its row times this, and its column

export class ProgramRules {
  /** @param {{programs: Programs}} data */
  constructor({programs}) {
    const {code, tables, constants, registers, domains, variables, init, actions, swaps, walks} = programs;
    this.programs = programs;
    this.code = Int32Array.from(code);
    this.tables = Float64Array.from(tables, value => value ?? NONE);
    this.registers = new Float64Array(registers);
    for (const [register, value] of constants) this.registers[register] = value;
    this.number = 1; // of the run: routines run once in each
    this.back = new Int32Array(1 << 10);
    this.set = new Int32Array(1 << 16); // variables that a run assigns, with
    this.to = new Float64Array(1 << 16); // their values
    this.count = 0;
    this.applied = false;
    this.said = "";
    /** @type {string[]} */
    this.lines = [];
    // Where each variable is in a row
    this.variables = variables.length;
    this.low = new Int32Array(variables.length); this.word = new Int32Array(variables.length);
    this.shift = new Int32Array(variables.length); this.mask = new Int32Array(variables.length);
    this.values = variables.map(domain => {
      const own = new Uint8Array(domains[domain][domains[domain].length - 1] - domains[domain][0] + 1);
      for (const value of domains[domain]) own[value - domains[domain][0]] = 1;
      return own;
    });
    let at = 0, used = 0;
    variables.forEach((domain, variable) => {
      const bits = 32 - Math.clz32(this.values[variable].length - 1);
      if (used + bits > 32) { at += 1; used = 0; }
      this.low[variable] = domains[domain][0]; this.word[variable] = at;
      this.shift[variable] = used; this.mask[variable] = bits === 32 ? -1 : (1 << bits) - 1;
      used += bits;
    });
    this.words = at + 1;
    this.start = new Int32Array(this.words);
    init.forEach((value, variable) => this.#put(this.start, variable, value));
    /** @type {Row | null} */
    this.loaded = null;
    /** @type {Step[]} */
    this.steps = actions.map((_, number) => ({operators: [], before: [], number}));
    this.walks = walks ? walks.actions : [];
    this.home = walks ? walks.home : 0; // the variable that says where the walker is
    this.moves = actions.map((_, number) => number).filter(number => !this.walks.includes(number));
    this.swaps = swaps;
  }

  /** @param {Row} row @param {number} variable @param {number} value */
  #put(row, variable, value) {
    const word = this.word[variable], shift = this.shift[variable];
    row[word] = row[word] & ~(this.mask[variable] << shift) | value - this.low[variable] << shift;
  }

  /** @param {Row} row @param {number} variable */
  value(row, variable) {
    return this.low[variable] + (row[this.word[variable]] >>> this.shift[variable] & this.mask[variable]);
  }

  /** Let registers have the values of a state. @param {Row} row */
  #load(row) {
    for (let variable = 0; variable < this.variables; variable++) this.registers[variable] = this.value(row, variable);
    this.number += 1;
    this.loaded = row;
  }

  /** Run a program on a state; whether it came to its end. @param {Row} row @param {number} entry */
  #runs(row, entry) {
    if (this.loaded !== row) this.#load(row);
    else if (this.applied) {
      for (let i = 0; i < this.count; i++) this.registers[this.set[i]] = this.value(row, this.set[i]);
      this.number += 1;
    }
    this.applied = false;
    return this.#run(entry);
  }

  /** The state after the program that has just run. @param {Row} row */
  #after(row) {
    const after = row.slice();
    for (let i = 0; i < this.count; i++) this.#put(after, this.set[i], this.to[i]);
    return after;
  }

  /** @param {Row} row */
  solved(row) { return this.#runs(row, this.programs.goal); }

  /** The rows of the board. @param {Row} row */
  board(row) {
    this.lines = []; this.said = "";
    this.#runs(row, this.programs.drawing);
    return this.lines;
  }

  /** The move of an action that has just run: its notation, its arguments, the cell that it names, and the edge.
      @param {Step} step @param {Row} [walked] the state behind a walk to where it is made
      @returns {Made} */
  act(step, walked) {
    const {programs: {actions, walks, written}, registers} = this, [, , name, given] = actions[step.number ?? 0];
    const args = given.map(arg => typeof arg === "string" ? arg : written[arg[1]][registers[arg[0]]]);
    const cell = args.map(arg => /^r(\d+)c(\d+)$/.exec(arg)).find(Boolean), [begin, open, between, end] = this.programs.form;
    let notation = begin + (args.length ? name + open + args.join(between) : name) + (args.length || begin ? end : "");
    if (walked && walks) {
      const [row, column] = walks.cells[this.value(walked, walks.home)];
      notation += `@r${row + 1}c${column + 1}`;
    }
    const where = cell ? /** @type {Cell} */ ([+cell[1] - 1, +cell[2] - 1]) : null, {edges, ways} = this.programs;
    const way = edges.includes(name) ? args.map(arg => ways[arg]).find(Boolean) : null;
    return {notation, args, where, edge: where && way ? [where[0] + way[0] / 2, where[1] + way[1] / 2] : null};
  }

  /** An action that is possible: the state behind it, and what it is. @param {Row} row @param {number} action */
  done(row, action) {
    this.#runs(row, this.programs.actions[action][0]);
    return {after: this.#after(row), act: this.act(this.steps[action])};
  }

  /** The state that stands for all that are no other to a search: walking for nothing leads from one to the other, or
      objects have changed places that nothing tells apart. @param {Row} row */
  canonical(row) {
    if (this.walks.length) row = this.#rested(row);
    return this.swaps.length ? this.#sorted(row) : row;
  }

  /** @param {Row} row */
  #rested(row) {
    const {places, undone} = this.reached(row), least = Math.min(...places);
    return undone ? this.#at(row, least) : row;
  }

  /** The same state with the walker elsewhere. @param {Row} row @param {number} place */
  #at(row, place) {
    const same = row.slice();
    this.#put(same, this.home, place);
    return same;
  }

  /** Insertion sort by swaps of objects, as long as one makes the values less. @param {Row} row */
  #sorted(row) {
    const values = new Int32Array(this.variables), {swaps} = this;
    for (let variable = 0; variable < this.variables; variable++) values[variable] = this.value(row, variable);
    const become = (/** @type {number} */ value, /** @type {number} */ variable, /** @type {number[] | undefined} */ of) =>
      of ? of[value - this.low[variable]] : value;
    const less = (/** @type {[number, number, number[]?][]} */ swap) => {
      for (const [left, right, of] of swap) {
        const now = values[left], then = become(values[right], left, of);
        if (now !== then) return then < now;
      }
      return false;
    };
    for (let from = 0, tried = 0, changed = false; ; ) {
      if (tried === swaps.length) return changed ? this.#packed(values) : row;
      const at = (from + tried) % swaps.length;
      if (!less(swaps[at])) { tried += 1; continue; }
      for (const [left, right, of] of swaps[at]) {
        const one = values[left], other = values[right];
        values[left] = become(other, left, of); values[right] = become(one, left, of);
      }
      from = Math.max(0, at - 1); tried = 0; changed = true;
    }
  }

  /** @param {Int32Array} values */
  #packed(values) {
    const row = new Int32Array(this.words);
    for (let variable = 0; variable < this.variables; variable++) this.#put(row, variable, values[variable]);
    return row;
  }

  /** Where a walk for nothing leads: the places, its own first; for each the one before it, by number, and the action of
      the last step; and whether each step can be undone. @param {Row} row */
  reached(row) {
    const {registers, home} = this, places = [this.value(row, home)], before = [-1], last = [-1], steps = new Set();
    this.#load(row);
    for (let from = 0; from < places.length; from++)
      for (const action of this.walks) {
        registers[home] = places[from];
        this.number += 1;
        if (!this.#run(this.programs.actions[action][0])) continue;
        const place = registers[home];
        steps.add(places[from] * LINE * LINE + place);
        if (!places.includes(place)) { places.push(place); before.push(from); last.push(action); }
      }
    this.loaded = null;
    const undone = [...steps].every(step => steps.has(step % (LINE * LINE) * LINE * LINE + Math.floor(step / LINE / LINE)));
    return {places, before, last, undone};
  }

  /** Each move from a state but walking for nothing: the state behind it, its cost, and which it is. Where it is made
      after a walk, `row` of the step is the state behind that. @param {Row} row @param {Emit} emit */
  each(row, emit) {
    if (!this.walks.length) return this.#each(row, this.steps, emit);
    for (const place of this.reached(row).places) {
      const there = this.#at(row, place), walked = place !== this.value(row, this.home);
      this.#each(there, this.steps, (after, cost, step) => emit(after, cost, walked ? {...step, row: there} : step));
    }
  }

  /** @param {Row} row @param {Step[]} steps @param {Emit} emit */
  #each(row, steps, emit) {
    const {actions} = this.programs;
    for (const number of this.moves)
      if (this.#runs(row, actions[number][0])) emit(this.#after(row), actions[number][1], steps[number]);
  }

  /** Run a program from an instruction on; whether it came to its end. @param {number} entry */
  #run(entry) {
    const r = this.registers, code = this.code, tables = this.tables, back = this.back;
    let depth = 0;
    this.count = 0;
    for (let p = entry * 5; ; p += 5) {
      const d = code[p + 1], a = code[p + 2], b = code[p + 3];
      switch (code[p]) {
        case 0: r[d] = r[a]; break; // MOVE
        case 1: { const place = r[a] - tables[b]; r[d] = place >= 0 && place < tables[b + 1] ? tables[b + 2 + place] : NONE; break; } // TABLE
        case 2: { const place = r[a]; r[d] = place >= 0 && place < code[p + 4] ? r[b + place] : NONE; break; } // VARIABLE
        case 3: case 4: case 5: case 6: case 7: case 8: case 9: case 10: case 12: case 13: case 14: case 15: { // ADD ... SCALED EQ ... LE
          const x = r[a], y = r[b];
          r[d] = x === NONE || y === NONE ? NONE : computed(code[p], x, y, code[p + 4]);
          break;
        }
        case 11: { // CELL
          const row = Math.floor(r[a] / LINE), column = r[a] - row * LINE;
          r[d] = row >= 0 && row < tables[b] && column < tables[b + 1] ? tables[b + 2 + row * tables[b + 1] + column] : NONE;
          break;
        }
        case 16: r[d] = r[a] === NONE ? NONE : 1 - r[a]; break; // NOT
        case 17: r[d] = distinct(r, a, b); break; // DISTINCT
        case 18: reach(r, tables, d, r[a], b, code[p + 4]); break; // REACH
        case 19: r[d] = closed(r, tables, a, b) ? 1 : 0; break; // LOOP
        case 20: p = d * 5 - 5; break; // JUMP
        case 21: if (r[a] !== 1) p = d * 5 - 5; break; // TRUE
        case 22: if (r[a] !== 0) p = d * 5 - 5; break; // FALSE
        case 23: if (r[a] === NONE) p = d * 5 - 5; break; // VALUE
        case 24: if (r[a] !== r[b] || r[a] === NONE) p = d * 5 - 5; break; // SAME
        case 25: if (r[a] === r[b] || r[a] === NONE || r[b] === NONE) p = d * 5 - 5; break; // OTHER
        case 26: if (r[a] >= r[b] || r[a] === NONE || r[b] === NONE) p = d * 5 - 5; break; // LESS
        case 27: if (r[a] > r[b] || r[a] === NONE || r[b] === NONE) p = d * 5 - 5; break; // MOST
        case 28: if (r[a] !== this.number) { r[a] = this.number; back[depth++] = p; p = d * 5 - 5; } break; // CALL
        case 29: if (!this.#assign(d, r[a])) return false; break; // SET
        case 30: if (!(r[b] >= 0 && r[b] < code[p + 4] && this.#assign(d + r[b], r[a]))) return false; break; // PUT
        case 33: if (!this.#apply(d)) return false; break; // APPLY
        case 34: return false; // FAIL
        case 35: return true; // DONE
        case 36: p = back[--depth]; break; // RETURN
        case 37: this.#say(d, a, b); break; // SAY
      }
    }
  }

  /** @param {number} variable @param {number} value */
  #assign(variable, value) {
    if (!this.values[variable][value - this.low[variable]]) return false;
    this.set[this.count] = variable;
    this.to[this.count++] = value;
    return true;
  }

  /** @param {number} once whether no variable may get two values */
  #apply(once) {
    const r = this.registers, {set, to, count} = this;
    for (let i = 1; once && i < count; i++)
      for (let j = 0; j < i; j++) if (set[i] === set[j] && to[i] !== to[j]) return false;
    for (let i = 0; i < count; i++) r[set[i]] = to[i];
    this.number += 1;
    return this.applied = true;
  }

  /** @param {number} kind @param {number} a @param {number} width */
  #say(kind, a, width) {
    const {texts} = this.programs, value = this.registers[a];
    if (kind === 5) {
      if (a === 2) this.lines.push(...wrapped(this.said));
      else this.lines.push(a ? this.said.trimEnd() : this.said);
      this.said = "";
    } else {
      const text = kind === 0 ? texts[0][a] : value === NONE ? "None" : kind === 4 ? String(value) : texts[kind][value];
      this.said += text.padEnd(width);
    }
  }
}

/** @param {number} code @param {number} x @param {number} y @param {number} c */
function computed(code, x, y, c) {
  switch (code) {
    case 3: return x + y; // ADD
    case 4: return x - y; // SUB
    case 5: return x * y; // MUL
    case 6: return y ? Math.floor(x / y) : NONE; // DIV
    case 7: return y ? x - y * Math.floor(x / y) : NONE; // MOD
    case 8: return x < y ? x : y; // MIN
    case 9: return x > y ? x : y; // MAX
    case 10: return x * c + y; // SCALED
    case 12: return x === y ? 1 : 0; // EQ
    case 13: return x !== y ? 1 : 0; // NE
    case 14: return x < y ? 1 : 0; // LT
  }
  return x <= y ? 1 : 0; // LE
}

/** Whether registers differ from each other: 0 if two are equal, else no value if one has none.
    @param {Float64Array} r @param {number} first @param {number} count */
function distinct(r, first, count) {
  let missing = false;
  for (let i = first; i < first + count; i++) {
    if (r[i] === NONE) { missing = true; continue; }
    for (let j = first; j < i; j++) if (r[i] === r[j]) return 0;
  }
  return missing ? NONE : 1;
}

/** Which nodes are reached over links whose flag is 1. @param {Float64Array} r @param {Float64Array} tables
    @param {number} to @param {number} start @param {number} at @param {number} flags */
function reach(r, tables, to, start, at, flags) {
  const nodes = tables[at];
  r.fill(start === NONE ? NONE : 0, to, to + nodes);
  if (start === NONE) return;
  const queue = [start];
  r[to + start] = 1;
  for (const node of queue) // grows while it is read
    for (let link = tables[at + 1 + node]; link < tables[at + 2 + node]; link++) {
      const place = at + nodes + 2 + 2 * link, other = tables[place];
      if (r[to + other] === 0 && r[flags + tables[place + 1]] === 1) { r[to + other] = 1; queue.push(other); }
    }
}

/** Whether the edges whose register is 1 are one closed loop, which visits no node twice.
    @param {Float64Array} r @param {Float64Array} tables @param {number} first @param {number} at */
function closed(r, tables, first, at) {
  const nodes = tables[at], edges = tables[at + 1], end = (/** @type {number} */ edge, /** @type {number} */ which) => tables[at + 2 + 2 * edge + which];
  const near = new Int32Array(2 * nodes).fill(-1);
  let count = 0, begin = -1;
  for (let edge = 0; edge < edges; edge++) {
    if (r[first + edge] !== 1) continue;
    count += 1; begin = edge;
    if (end(edge, 0) === end(edge, 1)) return false;
    for (const node of [end(edge, 0), end(edge, 1)]) {
      const place = near[2 * node] < 0 ? 2 * node : 2 * node + 1;
      if (near[place] >= 0) return false;
      near[place] = edge;
    }
  }
  if (begin < 0) return false;
  for (let node = 0; node < nodes; node++) if (near[2 * node] >= 0 && near[2 * node + 1] < 0) return false;
  let edge = begin, node = end(begin, 0), steps = 0;
  do {
    edge = near[2 * node] === edge ? near[2 * node + 1] : near[2 * node];
    node = end(edge, 0) === node ? end(edge, 1) : end(edge, 0);
    steps += 1;
  } while (edge !== begin);
  return steps === count;
}

/** A line as lines of at most 100 characters, the further ones indented. @param {string} text @returns {string[]} */
function wrapped(text) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.trim() && line.length + 1 + word.length > 100) { lines.push(line); line = `  ${word}`; }
    else line = line ? `${line} ${word}` : word;
  }
  return line ? [...lines, line] : lines;
}
