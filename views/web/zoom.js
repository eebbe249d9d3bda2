/* Zoom and pan of large boards: buttons, the keys + - 0, the wheel, two fingers; a drag on the ground pans. Only the
   part of the drawing that is shown changes (`viewBox`). <budge-board> calls `budgeZoom(board, fresh)` when it shows
   another scene (`fresh`) or another position. */
(() => {
  const pages = /** @type {any} */ (globalThis);
  if (pages.budgeZoom) return;
  const LEGIBLE = 14, GOOD = 26; // pixels of a cell: below the first a board begins zoomed, up to the second it can be
  /** @typedef {import("./drawing.js").Board} Board */
  const MOST = 12, STEP = 1.5, TREMBLE = 6; // the largest zoom; a press on a button; pixels that are no drag
  /** @type {{[name: string]: number}} */
  const FACTORS = {in: STEP, out: 1 / STEP, fit: 0};
  /** @type {{[key: string]: string}} */
  const KEYS = {"+": "in", "=": "in", "-": "out", 0: "fit"};
  /** @type {WeakMap<Element, Zoom>} */
  const shown = new WeakMap(); // by board: its zoom

  class Zoom {
    scale = 1; left = 0; top = 0; wide = 0; high = 0; middle = [0, 0]; moved = 0;
    auto = true; // until the user chooses a size

    /** @param {Board} board */
    constructor(board) {
      const box = this.box = document.createElement("div");
      this.board = board;
      /** @type {Map<number, PointerEvent>} */
      this.pointers = new Map();
      box.className = "zoom";
      box.setAttribute("role", "group"); box.setAttribute("aria-label", "Size of the board");
      const names = {in: ["+", "Larger (+)"], out: ["−", "Smaller (-)"], fit: ["⤢", "The whole board (0)"]};
      box.replaceChildren(...Object.entries(names).map(([name, [sign, label]]) => {
        const button = document.createElement("button");
        Object.assign(button, {type: "button", className: `zoom-${name}`, textContent: sign, title: label});
        button.setAttribute("aria-label", label);
        button.addEventListener("mousedown", (event) => event.preventDefault()); // keys stay with the board
        button.addEventListener("click", () => this.by(FACTORS[name]));
        return button;
      }));
      board.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
      board.addEventListener("pointerdown", (event) => this.down(event));
      board.addEventListener("pointermove", (event) => this.move(event));
      board.addEventListener("pointerup", (event) => this.up(event), true); // before the board: a drag is no click
      board.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
      new ResizeObserver(() => this.measure()).observe(board);
    }

    get svg() { return /** @type {SVGSVGElement} */ (this.board.querySelector("svg")); }

    /** Another scene: the whole of it, or a legible part around the one who walks. */
    begin() {
      this.board.append(this.box);
      this.scale = 1;
      [this.left, this.top, this.wide, this.high] = this.board.scene.view;
      this.middle = [this.left + this.wide / 2, this.top + this.high / 2];
      this.auto = true;
      this.measure();
    }

    /** Pixels of a cell if the whole board is shown. */
    get cell() { return this.svg.clientWidth / this.wide * this.board.scene.cell[0]; }

    measure() {
      if (!this.svg?.clientWidth || !this.wide) return;
      const large = this.cell < GOOD && this.board.scene.pieces.length > 0;
      this.box.hidden = !large;
      this.board.classList.toggle("zoomable", large);
      if (!large && this.scale === 1) return;
      if (!large) this.scale = 1;
      else if (this.auto) this.scale = this.cell < LEGIBLE ? GOOD / this.cell : 1;
      this.draw();
      if (this.auto) this.follow(true);
    }

    draw() {
      const wide = this.wide / this.scale, high = this.high / this.scale;
      /** @param {number} at @param {number} size @param {number} low @param {number} all */
      const within = (at, size, low, all) => Math.max(low + size / 2, Math.min(low + all - size / 2, at));
      this.middle = [within(this.middle[0], wide, this.left, this.wide), within(this.middle[1], high, this.top, this.high)];
      this.svg.setAttribute("viewBox", [this.middle[0] - wide / 2, this.middle[1] - high / 2, wide, high].join(" "));
    }

    /** Larger or smaller by a factor (0: the whole), around a point of the window. @param {number} factor
        @param {{x: number, y: number} | null} at */
    by(factor, at = null) {
      const before = Math.max(1, this.scale);
      this.auto = false;
      this.scale = factor ? Math.max(1, Math.min(MOST, before * factor)) : 1;
      if (at) {
        const box = this.svg.getBoundingClientRect(), units = this.wide / box.width;
        [at.x - box.x - box.width / 2, at.y - box.y - box.height / 2].forEach((off, n) => {
          this.middle[n] += off * units * (1 / before - 1 / this.scale);
        });
      } else if (factor > 1) this.follow(true);
      this.draw();
    }

    /** Keep the one who walks, or what has moved, in sight. */
    follow(at_once = false) {
      const {walker, cell} = this.board.scene, id = walker ?? this.board.state.moved?.[0];
      const place = id && this.board.place(id);
      if (!place || this.scale <= 1) return;
      const point = [(place[1] + .5) * cell[0], (place[0] + .5) * cell[1]];
      const room = [this.wide, this.high].map((size) => size / this.scale * .35);
      if (!at_once && point.every((part, n) => Math.abs(part - this.middle[n]) < room[n])) return;
      this.middle = point;
      this.draw();
    }

    /** @param {WheelEvent} event */
    wheel(event) {
      if (this.box.hidden || (!event.ctrlKey && document.documentElement.scrollHeight > innerHeight)) return;
      event.preventDefault();
      this.by(event.deltaY < 0 ? 1.2 : 1 / 1.2, event);
    }

    /** @param {PointerEvent} event */
    down(event) {
      const target = /** @type {Element} */ (event.target);
      if (this.box.hidden || event.button > 0 || target.closest(".zoom") || (this.pointers.size === 0 && target.closest(".token.can"))) return;
      if (this.pointers.size === 0) this.moved = 0;
      this.pointers.set(event.pointerId, event);
    }

    /** @param {PointerEvent} event */
    move(event) {
      const before = this.pointers.get(event.pointerId);
      if (!before) return;
      const apart = () => { const [a, b] = this.pointers.values(); return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0; };
      const old = apart();
      this.pointers.set(event.pointerId, event);
      const units = this.wide / this.scale / this.svg.getBoundingClientRect().width;
      this.middle = this.middle.map((part, n) => part - units * (n ? event.y - before.y : event.x - before.x) / this.pointers.size);
      this.moved += Math.hypot(event.x - before.x, event.y - before.y);
      if (old) this.by(apart() / old, event);
      else if (this.moved > TREMBLE) this.draw();
    }

    /** @param {PointerEvent} event */
    up(event) {
      if (!this.pointers.delete(event.pointerId) || this.moved <= TREMBLE) return;
      event.stopPropagation();
      this.board.parts.stage.dispatchEvent(new PointerEvent("pointercancel", {pointerId: event.pointerId}));
    }
  }

  /** @param {Board} board @param {boolean} fresh */
  pages.budgeZoom = (board, fresh) => {
    if (board.closest(".sheet")) return; // printed
    const zoom = shown.get(board) || new Zoom(board);
    fresh || !shown.has(board) ? zoom.begin() : zoom.follow();
    shown.set(board, zoom);
  };

  addEventListener("keydown", (event) => {
    const does = FACTORS[KEYS[event.key]];
    if (does === undefined || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
    const boards = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("budge-board.zoomable"));
    const board = [...boards].find((one) => one.offsetParent);
    if (!board) return;
    event.preventDefault();
    shown.get(board)?.by(does);
  });
})();
