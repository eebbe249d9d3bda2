/* The text: a <textarea> with a layer behind it that has the colours, the line numbers and what is wrong; completion; the
list of problems. The browser's own undo works, and Tab leaves the editor. */
import {counted, icon, made, on, state, told} from "./app.js";
import {newButton} from "./library.js";
import {drawing} from "./paint.js";
import {change, revert, save, saveAs} from "./texts.js";

/** @typedef {import("./app.js").Problem} Problem */
/** @typedef {[kind: string, text: string, hue?: string]} Part */

const SHOWN = 20, WORDS = 12; // problems that are listed; completions
const LARGE = 5000; // lines beyond which a text has no colours: a browser lays them all out anew at each key
const MANY = 200; // lines that a browser takes seconds to insert in a way that it can undo
const TOKEN = /(^\s*(?:- +)?)([\w.-]+)(:)(?=\s|$)|("(?:[^"\\]|\\.)*"|'[^']*')|((?:^|\s)#.*$)|(\b-?\d[\d_.]*\b)|([{}[\],])/g;

/** Lines of block scalars (behind `key: |`): the key they belong to, for each line. @param {string[]} lines */
function blocks(lines) {
  let indent = -1, key = "";
  return lines.map(line => {
    const deep = line.search(/\S/);
    if (indent >= 0 && (deep < 0 || deep > indent)) return key;
    indent = -1;
    const opened = /^(\s*)(?:- +)?([\w.-]+): *[|>][-+\d]*\s*(#.*)?$/.exec(line);
    if (opened) { indent = opened[1].length; key = opened[2]; }
    return "";
  });
}

/** The colours of a line. @param {string} line @param {string} block the key of the block that it belongs to @returns {Part[]} */
function coloured(line, block) {
  if (block) {
    const looks = state.read?.maps?.find(({key}) => key === block)?.looks;
    if (!looks) return [["block", line]];
    return [...line.matchAll(/(.)\1*/gu)].map(([run, char]) => ["block", run, /hue-(\d+)/.exec(looks[char] || "")?.[1] || (looks[char]?.includes("key") ? "4" : "")]);
  }
  /** @type {Part[]} */
  const parts = [];
  let end = 0;
  for (const found of line.matchAll(TOKEN)) {
    const [whole, before, key, colon, string, comment, number] = found;
    if (found.index > end) parts.push(["", line.slice(end, found.index)]);
    end = found.index + whole.length;
    if (key) parts.push(["", before], ["name", key], ["mark", colon]);
    else parts.push([string ? "string" : comment ? "comment" : number ? "number" : "mark", whole]);
  }
  return [...parts, ["", line.slice(end)]];
}

/** Cut parts so that what is wrong is apart. @param {Part[]} parts @param {Problem[]} wrong */
function underlined(parts, wrong) {
  const spans = wrong.map(({column, width, source}) => [column - 1, Math.min(column - 1 + Math.max(1, width), Math.max(source.length, column))]);
  const edges = spans.flat(), cut = [];
  let at = 0;
  for (const [kind, text, hue] of parts) {
    const stops = [at, ...edges.filter(edge => edge > at && edge < at + text.length), at + text.length].sort((a, b) => a - b);
    for (let i = 1; i < stops.length; i++) {
      const bad = spans.some(([from, to]) => stops[i - 1] >= from && stops[i] <= to);
      cut.push(/** @type {const} */ ([bad ? `${kind} wrong` : kind, text.slice(stops[i - 1] - at, stops[i] - at), hue]));
    }
    at += text.length;
  }
  return cut;
}

/** @param {HTMLElement} element */
export function panel(element) {
  const layer = made("div", {class: "layer", "aria-hidden": "true"});
  const area = /** @type {HTMLTextAreaElement} */ (made("textarea", {"aria-label": "Puzzle file (YAML)", spellcheck: "false", wrap: "off", autocapitalize: "off",
    autocomplete: "off", "aria-autocomplete": "list", maxlength: state.boot.limits.text}));
  const sheet = made("div", {class: "sheet"}, layer, area), code = made("div", {class: "code"}, sheet);
  const problems = made("div", {class: "problems", role: "status", "aria-label": "Problems"});
  const draw = made("button", {type: "button", class: "draw", "aria-pressed": "false"}, icon("draw"), "Draw");
  const saving = made("button", {type: "button", class: "save", onclick: () => told(save)}, "Save");
  const back = made("button", {type: "button", class: "revert quiet", title: "The text of the file comes back; yours goes on the shelf", onclick: revert}, "Revert");
  element.append(made("div", {class: "toolbar"}, newButton(), saving, made("button", {type: "button", onclick: () => saveAs()}, "Save as ..."), back, made("span", {class: "spring"}), draw), code, problems);

  // The layer behind the text: only lines that are other ones are made anew

  /** @type {(string | null)[]} */
  let known = []; // what each line was made of; null: its colours are not those of its text

  /** `plainly`: without colours. While one types no element may be removed: the browser would undo each key for itself.
      @param {boolean} [plainly] */
  function paint(plainly = false) {
    const lines = area.value.split("\n");
    sheet.classList.toggle("plain", lines.length > LARGE);
    if (lines.length > LARGE) { known = []; return layer.replaceChildren(); }
    const of = blocks(lines), current = state.read?.text === area.value ? state.read.problems : [];
    const wrong = lines.map((line, i) => current.filter(problem => problem.line === i + 1 && problem.source === line));
    const looks = JSON.stringify(state.read?.maps?.map(map => map.looks) || 0);
    /** @type {(string | null)[]} */
    const marks = lines.map((line, i) => `${line}\n${of[i] && of[i] + looks}\n${wrong[i].map(({column, width, message}) => `${column} ${width} ${message}`).join("\n")}`);
    let head = 0, tail = 0;
    while (head < marks.length && head < known.length && marks[head] === known[head]) head++;
    while (tail < marks.length - head && tail < known.length - head && marks[marks.length - 1 - tail] === known[known.length - 1 - tail]) tail++;
    const end = lines.length - tail, old = [...layer.children].slice(head, known.length - tail), behind = layer.children[known.length - tail] || null;
    if (plainly) {
      for (let i = head; i < end; i++) {
        const row = old[i - head] || layer.insertBefore(made("div", {class: "line"}), behind);
        written(row, lines[i]);
        marks[i] = null;
      }
      for (const one of old.slice(end - head)) one.remove();
    } else {
      for (const one of old) one.remove();
      for (let i = head; i < end; i++) layer.insertBefore(drawn(lines[i], of[i], wrong[i]), behind);
    }
    known = marks;
    sheet.style.setProperty("--digits", String(String(lines.length).length));
  }

  /** Give a line another text, in the elements that it has. @param {Element} row @param {string} line */
  function written(row, line) {
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT), first = /** @type {Text | null} */ (texts.nextNode());
    if (!first) return row.append(line);
    first.data = line;
    for (let other = texts.nextNode(); other; other = texts.nextNode()) /** @type {Text} */ (other).data = "";
  }

  /** @param {string} line @param {string} block @param {Problem[]} wrong */
  function drawn(line, block, wrong) {
    const parts = coloured(line, block), cut = wrong.length ? underlined(parts, wrong) : parts;
    const row = made("div", {class: wrong.length ? "line bad" : "line"}, ...cut.filter(([, text]) => text).map(([kind, text, hue]) => {
      if (!kind && !hue) return text;
      const span = made("span", {class: kind}, text);
      if (hue) { span.classList.add("hued"); span.style.setProperty("--hue", hue); }
      return span;
    }).map(part => typeof part === "string" ? made("span", {}, part) : part));
    if (wrong.length) row.dataset.said = wrong[0].message;
    return row;
  }

  // Changing the text so that undo knows of it

  /** @param {number} from @param {number} to @param {string} text */
  function insert(from, to, text) {
    area.setSelectionRange(from, to);
    const few = text.split("\n").length < MANY, done = few && area.checkVisibility() && (text ? document.execCommand("insertText", false, text) : from === to || document.execCommand("delete"));
    if (!done) { area.setRangeText(text, from, to, "end"); typed(); }
  }

  /** Make the text another one, by its part that differs. @param {string} text */
  function replace(text) {
    const old = area.value, focused = /** @type {HTMLElement | null} */ (document.activeElement), {selectionStart: caret} = area;
    if (old === text) return;
    let head = 0, tail = 0;
    while (head < old.length && head < text.length && old[head] === text[head]) head++;
    while (tail < Math.min(old.length, text.length) - head && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
    area.focus({preventScroll: true});
    insert(head, old.length - tail, text.slice(head, text.length - tail));
    area.setSelectionRange(Math.min(caret, text.length), Math.min(caret, text.length));
    if (focused && focused !== area) focused.focus({preventScroll: true});
  }

  function typed() {
    change(area.value);
    paint(true);
    complete(false);
  }

  // Completion

  const list = made("ul", {role: "listbox", class: "completions", id: "completions", hidden: true, "aria-label": "Completions"});
  sheet.append(list);
  let chosen = 0, from = 0;
  /** @type {[label: string, insert: string, help: string][]} */
  let words = [];

  /** The words that fit before the caret. @param {boolean} asked */
  function fitting(asked) {
    const {value, selectionStart: caret} = area, before = value.slice(value.lastIndexOf("\n", caret - 1) + 1, caret);
    const family = /^family:\s*([\w.-]+)/m.exec(value)?.[1] || "", known = state.boot.completions[family] || state.boot.completions[""] || {};
    const valued = /^\s*([\w-]+):\s*([\w.-]*)$/.exec(before), keyed = /^([\w-]*)$/.exec(before);
    if (!/^[ \t]*(#|\n|$)/.test(value.slice(caret))) return [];
    if (valued) {
      from = caret - valued[2].length;
      return (known[valued[1]]?.words || []).map(word => [word, word, ""]).filter(([word]) => word.startsWith(valued[2]) && word !== valued[2]);
    }
    if (!keyed || (!keyed[1] && !asked)) return [];
    from = caret - keyed[1].length;
    return Object.entries(known).filter(([key]) => key.startsWith(keyed[1]) && !new RegExp(`^${key}:`, "m").test(value)).map(([key, {help}]) => [key, `${key}: `, help]);
  }

  /** @param {boolean} asked */
  function complete(asked) {
    words = /** @type {any} */ (document.activeElement === area && area.selectionStart === area.selectionEnd ? fitting(asked).slice(0, WORDS) : []);
    chosen = 0;
    list.hidden = !words.length;
    area.toggleAttribute("aria-controls", false);
    if (!words.length) { area.removeAttribute("aria-activedescendant"); return; }
    area.setAttribute("aria-controls", "completions");
    const above = area.value.slice(0, from), row = above.split("\n").length, column = from - above.lastIndexOf("\n") - 1;
    list.style.setProperty("--row", String(row)); list.style.setProperty("--column", String(column));
    list.replaceChildren(...words.map(([label, , help], i) => made("li", {role: "option", id: `completion-${i}`, onmousedown: (/** @type {Event} */ event) => { event.preventDefault(); chosen = i; accept(); }},
      made("b", {}, label), help && made("small", {}, help))));
    mark();
  }

  function mark() {
    [...list.children].forEach((one, i) => one.setAttribute("aria-selected", String(i === chosen)));
    area.setAttribute("aria-activedescendant", `completion-${chosen}`);
    list.children[chosen]?.scrollIntoView({block: "nearest"});
  }

  function accept() {
    const [, text] = words[chosen];
    insert(from, area.selectionStart, text);
    complete(false);
  }

  function hide() { words = []; list.hidden = true; area.removeAttribute("aria-activedescendant"); }

  area.addEventListener("keydown", event => {
    const {key} = event, control = event.ctrlKey || event.metaKey;
    if (control && key === " ") { event.preventDefault(); complete(true); return; }
    if (!list.hidden && !control) {
      const step = {ArrowDown: 1, ArrowUp: -1}[key];
      if (step) { event.preventDefault(); chosen = (chosen + step + words.length) % words.length; mark(); return; }
      if (key === "Enter") { event.preventDefault(); accept(); return; }
      if (key === "Escape") { event.preventDefault(); event.stopPropagation(); hide(); return; }
    }
    if (key === "Enter" && !control && !event.shiftKey) { // the next line stands where this one does
      const {value, selectionStart: caret, selectionEnd: end} = area, line = value.slice(value.lastIndexOf("\n", caret - 1) + 1, caret);
      const indent = /^\s*/.exec(line)?.[0] || "", more = /:\s*[|>]?[-+\d]*\s*$/.test(line) ? "  " : "";
      if (!indent && !more) return;
      event.preventDefault();
      insert(caret, end, `\n${indent}${more}`);
    }
  });
  area.addEventListener("input", typed);
  area.addEventListener("paste", event => {
    const text = (event.clipboardData?.getData("text/plain") || "").replaceAll("\r\n", "\n"), {selectionStart: start, selectionEnd: end, maxLength} = area;
    if (text.split("\n").length < MANY) return;
    event.preventDefault();
    insert(start, end, text.slice(0, maxLength - area.value.length + end - start));
  });
  area.addEventListener("blur", hide);
  area.addEventListener("pointerdown", hide);
  area.addEventListener("mousemove", event => {
    const line = layer.children[Math.floor(event.offsetY / (layer.firstElementChild?.offsetHeight || 1))];
    area.title = /** @type {HTMLElement | undefined} */ (line)?.dataset.said || "";
  });

  // What is wrong

  /** @param {Problem} problem */
  function go({line, column}) {
    const lines = area.value.split("\n"), start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + Math.max(0, column - 1);
    area.focus();
    area.setSelectionRange(start, start);
    layer.children[line - 1]?.scrollIntoView({block: "center", inline: "nearest"});
  }

  /** @param {Problem} problem */
  const listed = problem => made("li", {class: "problem"},
    problem.line ? made("button", {type: "button", class: "place", "aria-label": `Line ${problem.line}, column ${problem.column}`, onclick: () => go(problem)}, `${problem.line}:${problem.column}`) : made("span", {class: "place"}, "text"),
    made("div", {}, made("p", {}, problem.message), problem.hint && made("p", {class: "quiet"}, problem.hint)),
    problem.mended !== undefined && made("button", {type: "button", class: "mend strong", onclick: () => replace(/** @type {string} */ (problem.mended))}, "Mend"));

  function judged() {
    const {read} = state;
    paint();
    if (!read) return problems.replaceChildren();
    const many = read.problems.length + read.dropped;
    problems.classList.toggle("fine", read.ok);
    problems.replaceChildren(made("p", {class: "count"}, read.ok ? `No problems${read.about ? `: ${read.about}` : ""}` : counted(many, "problem")),
      made("ul", {}, ...read.problems.slice(0, SHOWN).map(listed)));
  }

  function kept() {
    const draft = state.key.startsWith("draft:"), changed = state.text !== state.stored;
    back.hidden = draft || !changed;
    saving.classList.toggle("strong", draft || changed);
  }

  function loaded() {
    if (area.value !== state.text) area.value = state.text;
    hide();
    judged();
    kept();
  }

  const stage = drawing(replace);
  draw.addEventListener("click", () => draw.setAttribute("aria-pressed", String(stage.turn())));
  on("panel", name => {
    const drawn = name === "write" && draw.getAttribute("aria-pressed") === "true";
    document.body.classList.toggle("drawing", drawn);
  });
  on("opened", loaded);
  on("read", judged);
  on("kept", kept);
  on("text", () => { kept(); if (area.value !== state.text) { replace(state.text); } });
  on("reading", (/** @type {boolean} */ slow) => problems.classList.toggle("reading", slow));
  loaded();
}
