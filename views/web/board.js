/* <budge-board>: a puzzle to look at and to play. It draws what it is told (drawing.js) and knows no rule.

Properties besides `scene`, `state` and `pace`. `scene.far`: the walker can go further than its moves say; `walk` asks for
that. Setting `state` takes the moves away.
  moves   the legal moves of this position: [{piece, to: [row, column], way?: "U", tap?: [row, column], notation?, also?,
          zone?, weight?}]
          `way` is the arrow key (UDLR) of a move that goes straight; `tap` the cell to click where nothing is dragged, or
          the middle of two for the edge between them; `also` other ways to make it: [{piece, to, way?, weight} | {tap,
          weight}]; `zone` the columns of words from and to which something goes: click the one and the other.
          Of moves that are made alike, the one of the least `weight` is meant, and of taps none if there are two.
          Without any (the default), the board is a picture

Methods besides: choices(element) fills it with buttons for the moves, if there are some that cannot be made on the board:
they move no piece, or one as others move it.

Events (they bubble):
  move    detail {index, move}: the user made moves[index]; answer with `state` and `moves`, the old ones if it cannot
          be made. Until then what the user does by keys waits, and what the user does by pointer is ignored
  walk    detail {to}: the user clicked a cell for the walker to go to, which is not among the moves (only if the scene
          is `far`); answer as to `move`
  select  detail {piece}: the user selected a piece, or none (null)

What the user can do: drag a piece (it follows the finger along the targets of its moves), click it and then a target,
or, with keys: Tab or arrows select, Enter takes, arrows move, Escape lets go; a letter takes the piece of this name. A `walker` moves by arrows at once, and
walks to a cell that is clicked; on a `direct` board arrows move the one piece that can go there. */
import {Board, WAYS, drawn, same} from "./drawing.js";

/** @typedef {import("./pieces.js").Cell} Cell */
/** @typedef {import("./program_moves.js").Gesture} Way */
/** @typedef {import("./rules.js").Option & {also?: Way[], weight?: number, zone?: [number, number]}} Move */
/** @typedef {{piece?: any, to?: any, way?: string, tap?: any, weight: number, move: Move}} Gesture a way to make a move: a
     `piece` is taken `to` a cell, or something is tapped */
/** @typedef {{id: any, start: number[], last: number[], far: boolean, pointer: number, grip?: number[], ways?: number[][][],
     nodes: {cell: number[], move: Gesture | null}[], single?: boolean, waiting?: boolean, here?: number[]}} Drag
     `nodes`: cells that the piece may stop on; `ways`: between them; `here`: where it is */

/** @type {{[key: string]: string}} */
const ARROWS = {ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R"};
/** @type {{[way: string]: string}} */
const NAMES = {U: "up", D: "down", L: "left", R: "right"};
const CLICK = 0.15; // cells that a pointer may move within a click
const PATIENCE = 3000; // milliseconds for which an answer to a move is waited for
const AHEAD = 30; // keys that wait for it
const CHOICES = 60; // moves that have buttons
/** @param {number[]} a @param {number[]} b */
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

/** @param {number[]} cell */
const middle = cell => cell.map(n => n + 0.5);
/** @param {number} n */
const between = n => n % 1 !== 0;

class Playable extends Board {
  /** @type {Move[]} */ #moves = [];
  /** @type {Gesture[]} */ #gestures = [];
  /** @type {number | null} */ #zone = null;
  /** @type {any} */ #selected = null;
  /** @type {Drag | null} */ #drag = null;
  /** @type {string[]} */ #keysAhead = [];
  #held = false; #fresh = false; #asked = -Infinity;

  get scene() { return super.scene; }
  set scene(scene) {
    this.#moves = this.#gestures = []; this.#selected = null; this.#held = false;
    this.#drag = null; this.#asked = -Infinity; this.#keysAhead = [];
    super.scene = scene;
    if (this.parts) this.#listen(this.parts.stage);
  }
  get state() { return super.state; }
  set state(state) { this.#moves = this.#gestures = []; super.state = state; }
  get moves() { return this.#moves; }
  set moves(moves) {
    this.#moves = moves || []; this.#zone = null;
    this.#gestures = this.#moves.flatMap(move => [{weight: 0, ...move, move}, ...(move.also || []).map(one => ({...one, move}))]);
    this.#gestures.sort((a, b) => a.weight - b.weight);
    this.#asked = -Infinity;
    if (this.parts) this.offer();
    this.#catchUp();
  }

  /** @param {HTMLElement} box */
  choices(box) {
    const at = [...box.children].indexOf(/** @type {Element} */ (document.activeElement)), made = this.#made();
    box.replaceChildren(...this.moves.filter(move => move.notation && !made.has(move)).slice(0, CHOICES).map(move => {
      const button = document.createElement("button");
      const key = this.#letter(move);
      button.type = "button"; button.textContent = move.notation;
      if (key) { button.setAttribute("aria-keyshortcuts", key); button.title = `key ${key}`; }
      button.addEventListener("click", () => this.#waits || this.#do(move));
      return button;
    }));
    if (at >= 0) /** @type {HTMLElement | undefined} */ (box.children[Math.min(at, box.children.length - 1)])?.focus();
  }

  /** @param {HTMLElement} stage */
  #listen(stage) {
    stage.addEventListener("pointerdown", event => this.#down(event));
    stage.addEventListener("pointermove", event => this.#track(event));
    stage.addEventListener("pointerup", event => this.#up(event));
    stage.addEventListener("pointercancel", () => this.#letGo());
    // A finger on a piece drags it and does not scroll; browsers do not all heed `touch-action` within an SVG.
    stage.addEventListener("touchstart", event => { if (this.#drag?.ways) event.preventDefault(); }, {passive: false});
    stage.addEventListener("keydown", event => this.#key(event));
    stage.addEventListener("blur", () => { this.#held = false; this.#select(null); });
  }

  #label() {
    const {stage} = this.parts, playable = this.moves.length > 0;
    if (playable) {
      this.label("application", `${this.scene.title}. ${this.how}`);
      stage.setAttribute("aria-roledescription", "puzzle board");
    } else {
      super.offer();
      stage.removeAttribute("aria-roledescription");
    }
    stage.classList.toggle("playable", playable);
  }

  /** How moves are made here, in words. */
  get how() {
    const pieces = this.#gestures.some(({piece, to}) => piece != null && to), said = [];
    const named = [...this.pieces.values()].some(({label}) => label);
    if (this.#turns.size) said.push("Arrow keys move it.");
    if (this.scene.walker) said.push("Arrow keys walk and push; a click walks further.");
    else if (this.scene.direct) said.push("Click a piece beside the gap, or press an arrow key.");
    else if (pieces) said.push(`Drag a piece, or take it with ${named ? "its letter" : "Tab and Enter"} and press an arrow key.`);
    if (this.#gestures.some(({tap}) => tap)) said.push("Click what is to change.");
    return said.join(" ");
  }

  // Moves

  /** @param {string} id */
  #piece(id) { return /** @type {import("./pieces.js").Piece} */ (this.pieces.get(id)); }
  /** @param {string} id */
  #token(id) { return /** @type {SVGElement} */ (this.tokens.get(id)); }

  /** The ways to move a piece, one to each place. @param {any} id */
  #of(id) {
    const seen = new Set();
    return this.#gestures.filter(one => one.piece === id && one.to && !seen.has(String(one.to)) && seen.add(String(one.to)));
  }

  /** What a tap on a point means: at the nearest place the move of the least weight, if there is one such.
      @param {number[]} point */
  #tapped(point) {
    const far = (/** @type {Gesture} */ {tap}) => Math.max(Math.abs(tap[0] + 0.5 - point[0]), Math.abs(tap[1] + 0.5 - point[1]));
    const near = this.#gestures.filter(one => one.tap && far(one) <= 0.5), edges = near.filter(({tap}) => tap.some(between));
    const found = edges.length ? edges.sort((a, b) => apart(middle(a.tap), point) - apart(middle(b.tap), point)).slice(0, 1) : near;
    return found.length && !found.some(one => one.move !== found[0].move && one.weight === found[0].weight) ? found[0].move : null;
  }

  /** The moves that can be made on the board. */
  #made() {
    const pieces = [...new Set(this.#gestures.map(({piece}) => piece))].filter(id => id != null && this.at[id]);
    const taps = this.#gestures.filter(({tap}) => tap).map(({tap}) => this.#tapped(middle(tap)));
    const zones = new Map(this.moves.filter(({zone}) => zone).reverse().map(move => [String(move.zone), move]));
    return new Set([...pieces.flatMap(id => this.#of(id).map(({move}) => move)), ...taps, ...zones.values(), ...this.#pairs.values(), ...this.#turns.values()]);
  }

  /** The moves of two pieces that no other move moves both with less: click the one and the other. */
  get #pairs() {
    const found = new Map(), movers = new Map();
    for (const {piece, move} of this.#gestures) if (piece != null) movers.set(move, [...(movers.get(move) || []), piece]);
    for (const [move, ids] of movers)
      if (ids.length < 7) for (const a of ids) for (const b of ids) if (a !== b && !found.has(`${a}|${b}`)) found.set(`${a}|${b}`, move);
    return found;
  }

  offer() {
    const can = new Set(this.#gestures.map(({piece}) => piece));
    for (const [id, token] of this.tokens) token.classList.toggle("can", can.has(id));
    if (this.#selected !== null && !can.has(this.#selected)) { this.#held = false; this.#selected = null; }
    this.#mark(); this.#label(); this.#resume();
  }

  get #waits() { return performance.now() - this.#asked < PATIENCE; }

  /** @param {any} one a move, or a way to make it */
  #do(one) { const move = one.move || one; this.#send("move", {index: this.moves.indexOf(move), move}); }

  /** Tell what the user asks for; until the answer, or for so long as one is waited for, nothing else is. @param {string} what @param {object} detail */
  #send(what, detail) {
    this.#mark(true);
    this.#asked = performance.now();
    this.dispatchEvent(new CustomEvent(what, {bubbles: true, detail}));
  }

  /** @param {any} id */
  #select(id, aloud = true) {
    if (id === this.#selected) return;
    this.#selected = id;
    if (id !== null) this.parts.tokens.append(this.#token(id)); // its outline lies over its neighbours
    this.#mark();
    if (id !== null && aloud) {
      const ways = new Set(this.#of(id).map(move => NAMES[move.way || ""]).filter(Boolean));
      const can = ways.size ? `, can go ${[...ways].join(", ")}` : "";
      this.say(`${this.#piece(id).name}, ${this.called(this.at[id])}${can}`);
    }
    this.dispatchEvent(new CustomEvent("select", {bubbles: true, detail: {piece: id}}));
  }

  /** Outline the selected piece and dot its targets. */
  #mark(without = false) {
    const {targets} = this.parts, [wide, high] = this.scene.cell;
    for (const [id, token] of this.tokens) {
      token.classList.toggle("selected", id === this.#selected);
      token.classList.toggle("held", id === this.#selected && this.#held);
    }
    const shown = this.#selected === null || without ? [] : this.#of(this.#selected);
    const dots = shown.map(({piece, to: [row, column]}) => {
      const cells = this.#piece(piece).cells;
      const middle = (/** @type {number} */ n) => cells.reduce((sum, cell) => sum + cell[n], 0) / cells.length + 0.5;
      return [row + middle(0), column + middle(1), 5];
    });
    const edges = without ? [] : this.#gestures.filter(({tap}) => tap?.some(between));
    for (const {tap} of edges) dots.push([tap[0] + 0.5, tap[1] + 0.5, 3]);
    for (const {zone} of this.#zone === null ? [] : this.moves)
      if (zone?.[0] === this.#zone) dots.push([0, zone[1] + 0.5, 5]);
    targets.replaceChildren(...dots.map(([row, column, r]) => drawn(["circle", {cx: column * wide, cy: row * high, r, class: "target"}])));
  }

  // Pointer

  /** @param {PointerEvent} event */
  #point(event) {
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.parts.svg.getScreenCTM()?.inverse());
    return [y / this.scene.cell[1], x / this.scene.cell[0]];
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.moves.length || event.button > 0 || this.#waits) return;
    const point = this.#point(event), id = this.hit(point);
    this.parts.stage.focus({preventScroll: true});
    this.#drag = {id, start: point, last: point, far: false, pointer: event.pointerId, nodes: []};
    if (id !== null && this.#of(id).length) {
      event.preventDefault();
      this.#take();
      this.parts.stage.setPointerCapture(event.pointerId);
    }
  }

  /** Prepare a drag from where the piece is: the cells that it may stop on, and the ways between them.

      Cells side by side are joined by a way; a target that is so joined to nothing is reached straight from the
      start. The piece follows the pointer to the nearest point of all ways. */
  #take() {
    const drag = /** @type {Drag} */ (this.#drag), at = this.at[drag.id], targets = this.#of(drag.id);
    drag.grip ??= [drag.start[0] - at[0], drag.start[1] - at[1]];
    drag.nodes = [{cell: [at[0], at[1]], move: null}, ...targets.map(move => ({cell: move.to, move}))];
    const index = new Map(drag.nodes.map((node, number) => [String(node.cell), number])), near = new Map();
    /** @type {number[][][]} */
    const ways = [];
    drag.nodes.forEach(({cell}, number) => {
      for (const [r, c] of [[1, 0], [0, 1]]) {
        const other = index.get(String([cell[0] + r, cell[1] + c]));
        if (other === undefined) continue;
        ways.push([cell, drag.nodes[other].cell]);
        near.set(number, [...(near.get(number) || []), other]); near.set(other, [...(near.get(other) || []), number]);
      }
    });
    const joined = new Set([0]);
    for (const number of joined) for (const other of near.get(number) || []) joined.add(other); // grows while read
    drag.nodes.forEach(({cell}, number) => { if (!joined.has(number)) ways.push([drag.nodes[0].cell, cell]); });
    drag.ways = ways;
    drag.single = targets.length > 0 && targets.every(move => apart(move.to, at) === 1);
    drag.waiting = false;
  }

  /** @param {PointerEvent} event */
  #track(event) {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    drag.last = this.#point(event);
    drag.far ||= apart(drag.last, drag.start) > CLICK;
    if (drag.far && drag.ways && !drag.waiting) this.#follow();
  }

  #follow() {
    const drag = /** @type {Drag} */ (this.#drag), {grip = [0, 0], ways = []} = drag, want = [drag.last[0] - grip[0], drag.last[1] - grip[1]];
    let best = drag.nodes[0].cell, least = apart(want, best);
    for (const [a, b] of ways) {
      const by = [b[0] - a[0], b[1] - a[1]], length = by[0] ** 2 + by[1] ** 2;
      const along = Math.max(0, Math.min(1, ((want[0] - a[0]) * by[0] + (want[1] - a[1]) * by[1]) / length));
      const point = [a[0] + along * by[0], a[1] + along * by[1]];
      if (apart(want, point) < least) { least = apart(want, point); best = point; }
    }
    const token = this.#token(drag.id);
    if (!drag.here) this.parts.tokens.append(token); // over its neighbours
    drag.here = best;
    token.classList.add("dragged");
    this.shift(token, best);
    // Where a move is one cell, a finger that goes on makes the next move.
    const node = drag.nodes.find(({cell, move}) => move && same(cell, best));
    if (drag.single && node && apart(want, node.cell) > 0.3) { drag.waiting = true; this.#do(node.move); }
  }

  /** Go on with a drag after its first move, from the new position. */
  #resume() {
    const drag = this.#drag;
    if (!drag?.waiting || !this.at[drag.id]) return;
    this.#take();
    this.#follow();
  }

  #letGo() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    const token = this.#token(drag.id);
    if (token) { token.classList.remove("dragged"); if (this.at[drag.id]) this.shift(token, this.at[drag.id]); }
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    if (!drag.far) { this.#letGo(); return this.#click(drag); }
    this.#drag = null;
    const token = this.#token(drag.id);
    token?.classList.remove("dragged");
    if (!drag.here || drag.waiting) return;
    const {here, nodes} = drag, nearest = nodes.reduce((a, b) => apart(b.cell, here) < apart(a.cell, here) ? b : a);
    this.shift(token, nearest.cell);
    if (nearest.move) this.#do(nearest.move);
  }

  /** @param {Drag} drag */
  #click({id, start}) {
    const cell = [Math.floor(start[0]), Math.floor(start[1])], {walker} = this.scene;
    const pair = id !== null && this.#selected !== null && !this.#of(this.#selected).some(({to}) => same(to, cell)) && this.#pairs.get(`${this.#selected}|${id}`);
    const tapped = pair || this.#tapped(start);
    if (tapped) return this.#do(tapped);
    if (this.moves.some(({zone}) => zone)) return this.#pour(cell[1]);
    for (const mover of new Set([this.#selected, walker])) { // a walker walks where the box that was pushed cannot go
      if (mover == null || mover === id) continue;
      const cells = this.#piece(mover).cells, at = this.at[mover];
      const fits = this.#of(mover).filter(({to}) => cells.some(([r, c]) => same(cell, [to[0] + r, to[1] + c])));
      fits.sort((a, b) => apart(a.to, at) - apart(b.to, at));
      if (fits.length) return this.#do(fits[0]);
      if (mover === walker && id === null && this.scene.far) return this.#send("walk", {to: cell});
    }
    const own = id === null ? [] : this.#of(id);
    const alike = this.#gestures.filter(({piece, to}) => piece === id && to).length > own.length;
    const least = own.length === 1 || (own.length > 1 && own[0].weight < own[1].weight);
    if (least && !alike && id !== walker) return this.#do(own[0]);
    this.#held = false;
    this.#select(own.length && id !== this.#selected ? id : null);
  }

  /** Something goes from a column of words to another: the first click takes, the second one pours. @param {number} zone */
  #pour(zone) {
    const from = this.#zone, found = this.moves.find(move => move.zone && String(move.zone) === String([from, zone]));
    this.#zone = null;
    if (from !== null && found) return this.#do(found);
    if (this.moves.some(move => move.zone?.[0] === zone)) this.#zone = zone;
    this.#mark();
    this.say(this.#zone === null ? "nothing taken" : `taken from ${zone + 1}`);
  }

  // Keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ahead = this.#waits && (event.key in ARROWS || event.key === "Enter" || event.key === " ");
    if (ahead && this.#keysAhead.length < AHEAD) this.#keysAhead.push(event.key);
    if (ahead || (!this.#waits && this.#pressed(event))) { event.preventDefault(); event.stopPropagation(); }
  }

  /** The keys that were pressed before the answer to a move. */
  #catchUp() {
    while (this.#keysAhead.length && !this.#waits) this.#pressed({key: this.#keysAhead.shift() || ""});
  }

  /** Do what a key says; whether it says anything. @param {{key: string, shiftKey?: boolean}} event */
  #pressed(event) {
    if (!this.moves.length) return false;
    const {walker, direct} = this.scene, way = ARROWS[event.key];
    let done = true;
    if (way && this.#turns.size) this.#turn(way, Boolean(event.shiftKey));
    else if (way && walker) this.#go(walker, way);
    else if (way && this.#held) this.#go(this.#selected, way);
    else if (way && direct) this.#go(null, way);
    else if (way) this.#near(way);
    else if (event.key === "Tab" && !walker && !direct) done = this.#next(event.shiftKey ? -1 : 1);
    else if ((event.key === "Enter" || event.key === " ") && this.#selected !== null) this.#hold(!this.#held || this.#fresh);
    else if (event.key === "Escape" && this.#selected !== null) this.#held ? this.#hold(false) : this.#select(null);
    else if (event.key.length === 1 && !walker) done = this.#named(event.key);
    else done = false;
    return done;
  }

  /** The shortest straight move of a piece in a direction; of any piece, if none is named. What stands before a walker
      goes first: it is pushed. @param {any} id @param {string} way */
  #go(id, way) {
    const name = NAMES[way], next = id === null ? null : this.at[id].slice(0, 2).map((n, i) => n + WAYS[way][i]);
    const before = next && id === this.scene.walker ? this.hit([next[0] + 0.5, next[1] + 0.5]) : null;
    const mover = before ?? id;
    const all = /** @type {any[]} */ (mover === null ? this.moves.filter(({to}) => to) : this.#of(mover)), [down, right] = WAYS[way];
    const there = (/** @type {{piece?: any, to?: any}} */ {piece, to}) => (to[0] - this.at[piece][0]) * down + (to[1] - this.at[piece][1]) * right > 0;
    const fits = all.filter(move => move.way ? move.way === way : there(move) && all.every(one => !one.way));
    fits.sort((a, b) => apart(a.to, this.at[a.piece]) - apart(b.to, this.at[b.piece]));
    if (fits.length) this.#do(fits[0]);
    else this.say(`cannot go ${name}`);
  }

  /** The moves that are named by a direction alone, as `roll(down)`, where no walker goes: arrow keys make them, and
      with Shift those of a second action. */
  get #turns() {
    const found = new Map();
    for (const move of this.scene.walker ? [] : this.moves) {
      const way = /^\w+\((up|down|left|right)\)$/.exec(move.notation || "")?.[1];
      if (way) found.set(found.has(way) ? `shift ${way}` : way, move);
    }
    return found;
  }

  /** @param {string} way @param {boolean} shift */
  #turn(way, shift) {
    const turns = this.#turns, found = turns.get(shift ? `shift ${NAMES[way]}` : NAMES[way]);
    if (found) this.#do(found);
    else this.say(`cannot go ${NAMES[way]}`);
  }

  /** The moves that name a letter, as the face of a cube. @param {string} letter */
  #naming(letter) {
    return this.moves.filter(({notation}) => notation?.split(/\W+/).slice(1).some(word => word.toLowerCase() === letter.toLowerCase()));
  }

  /** The key of a move: the letter that it names, with Shift for the last of several. @param {Move} move */
  #letter(move) {
    const letter = /\W([A-Za-z])\b/.exec(move.notation)?.[1], several = letter ? this.#naming(letter) : [];
    if (!letter || this.#movable().some(id => this.#piece(id).label.toLowerCase() === letter.toLowerCase())) return "";
    return several[0] === move ? letter : several.at(-1) === move ? `Shift+${letter}` : "";
  }

  /** @param {string} key */
  #lettered(key) {
    const found = this.#naming(key);
    if (found.length) this.#do(found[key === key.toUpperCase() ? found.length - 1 : 0]);
    return found.length > 0;
  }

  /** Take the selected piece, or let go of it. `#fresh`: its letter took it, so Enter need not, and does not undo it.
      @param {boolean} held */
  #hold(held) {
    this.#held = held;
    this.#fresh = false;
    this.#mark();
    this.say(`${this.#piece(this.#selected).name} ${held ? "taken: arrow keys move it" : "let go"}`);
  }

  /** The pieces that can move, in reading order. */
  #movable() {
    const ids = [...new Set(this.#gestures.map(({piece}) => piece))].filter(id => this.at[id]);
    return ids.sort((a, b) => this.at[a][0] - this.at[b][0] || this.at[a][1] - this.at[b][1]);
  }

  /** @param {number} by */
  #next(by) {
    const ids = this.#movable(), now = ids.indexOf(this.#selected), next = now < 0 && by < 0 ? -1 : now + by;
    if (next < 0 || next >= ids.length) return false;
    this.#held = false;
    this.#select(ids[next]);
    return true;
  }

  /** @param {string} way */
  #near(way) {
    const [row, column] = WAYS[way], ids = this.#movable();
    if (this.#selected === null) return ids.length && this.#select(ids[0]);
    const from = this.at[this.#selected], ahead = (/** @type {string} */ id) => {
      const by = [this.at[id][0] - from[0], this.at[id][1] - from[1]], along = by[0] * row + by[1] * column;
      return along > 0 ? along + 2 * Math.abs(by[0] * column + by[1] * row) : Infinity;
    };
    const best = ids.reduce((a, b) => ahead(b) < ahead(a) ? b : a);
    if (ahead(best) < Infinity) this.#select(best);
  }

  /** @param {string} key */
  #named(key) {
    const all = this.#movable().filter(id => this.#piece(id).label.toLowerCase() === key.toLowerCase());
    const found = all[(all.indexOf(this.#selected) + 1) % all.length]; // of pieces with one name, the next
    if (found === undefined) return this.#lettered(key) || this.#stands(key);
    this.#select(found, false);
    this.#hold(true);
    this.#fresh = true;
    return true;
  }

  /** Whether a piece of this name is there that cannot move. @param {string} key */
  #stands(key) {
    const found = [...this.pieces.values()].find(({id, label}) => this.at[id] && label.toLowerCase() === key.toLowerCase());
    if (found) this.say(`${found.name} cannot move`);
    return found !== undefined;
  }
}

if (!customElements.get("budge-board")) customElements.define("budge-board", Playable);
