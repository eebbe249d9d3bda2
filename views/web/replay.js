/* <budge-replay>: a plan to play, step by step, on a <budge-board>.

Property (or the JSON within the element, in a <script type="application/json">):
  plan    {scene, frames: [{notation, at, moved, via?, lines?}]}; see views/player.py. Frame 0 is the start;
          `at` of the others names what has changed, with null for what is gone
Attribute keys="page": keys work wherever the focus is, not only within the element.
Property number: the frame that is shown, 0 to frames.length - 1. Event: step, detail {number} (it bubbles). */
(() => {
  if (customElements.get("budge-replay")) return;
  const SPEEDS = [0.25, 0.5, 1, 2, 4, 8], BEAT = 800; // milliseconds of a step at speed 1
  const SHEET = 60; // boards that are printed; of longer plans the first and the last
  const ICONS = {
    first: "M6 5v14M19 5l-9 7 9 7z", back: "M16 5l-9 7 9 7z", play: "M7 4l13 8-13 8z", pause: "M8 5v14M16 5v14",
    next: "M8 5l9 7-9 7z", last: "M18 5v14M5 5l9 7-9 7z"};
  const KEYS = {ArrowRight: "next", ArrowLeft: "back", n: "next", p: "back", Home: "first", End: "last", " ": "play"};
  const NAMES = {first: "To the start", back: "One move back", play: "Play", pause: "Pause", next: "One move on",
    last: "To the end"};

  function made(tag, attributes = {}, ...inside) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...inside);
    return element;
  }

  function iconed(button, name) {
    button.setAttribute("aria-label", NAMES[name]); button.title = NAMES[name];
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24"); svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    button.replaceChildren(svg);
  }

  class Replay extends HTMLElement {
    #plan = null; #states = []; #number = 0; #timer = null; #parts = null; #speed = 1;
    #pageKeys = event => this.#key(event);
    #print = () => this.#sheet();

    connectedCallback() {
      if (!this.#plan) {
        const given = Object.hasOwn(this, "plan") ? this.plan : this.querySelector("script[type='application/json']");
        delete this.plan;
        if (given) this.plan = given instanceof HTMLElement ? JSON.parse(given.textContent) : given;
      }
      if (this.getAttribute("keys") === "page") document.addEventListener("keydown", this.#pageKeys);
      addEventListener("beforeprint", this.#print);
    }

    disconnectedCallback() {
      this.pause();
      document.removeEventListener("keydown", this.#pageKeys);
      removeEventListener("beforeprint", this.#print);
    }

    get plan() { return this.#plan; }
    set plan(plan) {
      this.pause();
      this.#plan = plan; this.#number = 0;
      let at = {};
      this.#states = plan.frames.map(frame => {
        at = {...at, ...frame.at};
        return {...frame, at: Object.fromEntries(Object.entries(at).filter(([, place]) => place))};
      });
      this.#build();
    }

    get number() { return this.#number; }
    set number(number) { this.pause(); this.#go(Number(number)); }
    get last() { return this.#states.length - 1; }
    get playing() { return this.#timer !== null; }

    #build() {
      const board = made("budge-board"), bar = made("div", {class: "bar", role: "group", "aria-label": "Player"});
      const buttons = Object.fromEntries(["first", "back", "play", "next", "last"].map(name => {
        const button = made("button", {type: "button", "data-do": name});
        iconed(button, name);
        button.addEventListener("click", () => this.#do(name));
        return [name, button];
      }));
      const slider = made("input", {type: "range", min: 0, max: this.last, value: 0, "aria-label": "Move"});
      slider.addEventListener("input", () => { this.number = slider.value; });
      const where = made("output", {class: "where", "aria-live": "polite"});
      const speed = made("select", {"aria-label": "Speed"}, ...SPEEDS.map(by => made("option", {value: by}, `${by}×`)));
      speed.value = this.#speed;
      speed.addEventListener("change", () => { this.#speed = Number(speed.value); if (this.playing) this.play(); });
      const list = made("ol", {class: "moves", "aria-label": "Moves"}, ...this.#states.slice(1).map((state, index) => {
        const button = made("button", {type: "button"}, state.notation);
        button.addEventListener("click", () => { this.number = index + 1; });
        return made("li", {}, button);
      }));
      bar.append(...Object.values(buttons), slider, where, speed);
      this.#parts = {board, buttons, slider, where, list, sheet: made("div", {class: "sheet", "aria-hidden": "true"})};
      this.replaceChildren(
        made("div", {class: "stage"}, board, bar), made("div", {class: "side"}, list), this.#parts.sheet);
      if (this.getAttribute("keys") !== "page") this.addEventListener("keydown", event => this.#key(event));
      board.scene = this.#plan.scene;
      this.#go(0);
    }

    #go(number) {
      const {board, buttons, slider, where, list} = this.#parts, before = this.#number;
      this.#number = Math.max(0, Math.min(this.last, number));
      const state = this.#states[this.#number], beat = BEAT / this.#speed;
      board.pace = Math.round(Math.min(220, beat * 0.6));
      board.state = this.#number - before === 1 ? state : {...state, via: {}};
      slider.value = this.#number;
      where.replaceChildren(`${this.#number} of ${this.last}`,
        made("span", {class: "budge-live"}, state.notation ? `, ${state.notation}` : ""));
      slider.setAttribute("aria-valuetext", where.textContent);
      [buttons.first.disabled, buttons.back.disabled] = [this.#number === 0, this.#number === 0];
      [buttons.next.disabled, buttons.last.disabled] = [this.#number === this.last, this.#number === this.last];
      list.querySelector("[aria-current]")?.removeAttribute("aria-current");
      const current = list.children[this.#number - 1]?.firstChild;
      if (current) {
        current.setAttribute("aria-current", "step");
        const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
        if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + 8;
        if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + 8;
      } else list.scrollTop = 0;
      if (this.#number === this.last) this.pause();
      this.dispatchEvent(new CustomEvent("step", {bubbles: true, detail: {number: this.#number}}));
    }

    play() {
      clearInterval(this.#timer);
      if (this.#number === this.last) this.#go(0);
      this.#timer = setInterval(() => this.#go(this.#number + 1), BEAT / this.#speed);
      this.#parts.where.setAttribute("aria-live", "off");
      iconed(this.#parts.buttons.play, "pause");
    }

    pause() {
      if (this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
      this.#parts.where.setAttribute("aria-live", "polite");
      iconed(this.#parts.buttons.play, "play");
    }

    #do(what) {
      if (what === "play") return this.playing ? this.pause() : this.play();
      this.number = {first: 0, back: this.#number - 1, next: this.#number + 1, last: this.last}[what];
    }

    #key(event) {
      const {target} = event, what = KEYS[event.key];
      if (!what || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target.closest?.("select, textarea, input, summary, a") && !(target.type === "range" && what === "play")) return;
      if (what === "play" && target.closest?.("button")) return;
      event.preventDefault();
      this.#do(what);
    }

    /** What is printed: every position, or the first and the last of many. */
    #sheet() {
      const {sheet} = this.#parts, {scene} = this.#plan;
      if (sheet.children.length) return;
      const shown = this.last <= SHEET ? this.#states.keys() : [0, this.last];
      for (const number of shown) {
        const board = made("budge-board"), state = this.#states[number];
        sheet.append(made("figure", {}, board, made("figcaption", {}, number ? `${number}. ${state.notation}` : "Start")));
        board.scene = scene;
        board.state = {...state, via: {}};
      }
    }
  }

  customElements.define("budge-replay", Replay);
})();
