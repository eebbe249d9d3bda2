/* No text is lost: what is changed is kept by the browser at once, by the studio at each pause; a text that another tab
or program has changed meanwhile is never overwritten unasked. */
import {addressed, api, calm, counted, dialog, emit, made, on, open as openKey, read, show, state, strip, toast, told} from "./app.js";
import {differences} from "./difference.js";

/** @typedef {import("./app.js").Text} Text */

const PAUSE = 250, HEAVY = 100_000; // milliseconds; characters that a browser keeps at pauses only
const FILE = "file:", MINE = "budge-studio:";

/** @param {string} key */
const place = key => `${MINE}${state.boot.folder_id}:${key}`;

// Changing

let timer = 0, again = false, safe = "";
/** @type {Promise<void> | null} */ let keeping = null; // the studio is being told

/** The text is another one: keep it, and read it when the author pauses. @param {string} text @param {number} [pause] */
export function change(text, pause = PAUSE) {
  if (text === state.text) return;
  state.text = text;
  if (text.length < HEAVY) inBrowser();
  clearTimeout(timer);
  timer = setTimeout(rest, pause);
  emit("text");
}

async function rest() {
  clearTimeout(timer);
  timer = 0;
  inBrowser();
  await Promise.all([keep(), read()]);
}

/** Keep the text in this browser, as long as the studio does not have it on its disk. */
function inBrowser() {
  const {key, text, base} = state;
  if (!key || text === safe || text === state.stored) return;
  try { localStorage.setItem(place(key), JSON.stringify({text, base})); } catch { /* full, or private */ }
}

/** @param {string} key */
const forget = key => { try { localStorage.removeItem(place(key)); } catch { /* private */ } };

/** Tell the studio the text, one after the other. */
function keep() {
  again = true;
  return keeping ??= tell().catch(() => {}).finally(() => { keeping = null; }); // what fails is told already; the browser has it
}

async function tell() {
  while (again) {
    again = false;
    const {key, text, base, revision} = state, answer = await api("/api/text", {key, text, base, revision});
    if (state.key !== key) { forget(key); continue; }
    state.revision = answer.revision;
    if (answer.parted) parted(answer.key);
    if (answer.safe) { safe = text; if (state.text === text) forget(state.key), forget(key); }
    emit("kept");
  }
}

/** The text goes on as a draft of its own. @param {string} key */
function parted(key) {
  forget(state.key);
  Object.assign(state, {key, name: "draft.yaml", base: "", stored: null});
  addressed(false);
  strip("newer", "");
  toast("Another tab has changed this text, too. Yours goes on here as a draft of its own.");
}

// Opening

/** Open a text that the studio gives. @param {() => Promise<Text>} asked @param {() => void} [then] before it is read */
export async function open(asked, then = () => {}) {
  if (timer) rest();
  await keeping;
  const text = await asked();
  Object.assign(state, {key: text.key, name: text.name, stored: text.stored, base: text.base, revision: text.revision, text: text.text});
  safe = text.text;
  for (const name of ["newer", "aside"]) strip(name, "");
  emit("opened");
  then();
  if (text.aside) offer("aside", text.aside, `Unsaved changes of an older ${text.name} are kept: its file is another now.`);
  restore();
  await read();
}

/** What this browser has kept of the text: it comes back if it was made of what is stored now; else it becomes a draft. */
function restore() {
  /** @type {{text: string, base: string} | null} */
  let found = null;
  try { found = JSON.parse(localStorage.getItem(place(state.key)) || "null"); } catch { /* of another program, or private */ }
  if (typeof found?.text !== "string" || found.text === state.text) return forget(state.key);
  if (found.base === state.base) {
    const {text} = found;
    toast("Unsaved changes of this browser are back.");
    queueMicrotask(() => change(text, 0));
    return;
  }
  const from = state.key, name = state.name;
  told(async () => {
    const key = await shelved(/** @type {{text: string}} */ (found).text, name);
    forget(from);
    offer("kept", key, `This browser has kept unsaved text of ${name}, whose file is another now.`);
  });
}

/** Put a text on the shelf as a draft; gives its key. @param {string} text @param {string} [origin] whose text it was */
export const shelved = async (text, origin) => (await api("/api/text", {key: "", text, ...(origin === undefined ? {} : {origin})})).key;

/** @param {string} name @param {string} key @param {string} why */
function offer(name, key, why) {
  strip(name, why, ["Show", () => openKey(key)], ["Keep", () => {}], ["Discard", () => told(() => api("/api/drop", {key}))]);
}

// Other tabs, other programs

/** Look whether the text has been changed elsewhere. */
async function look() {
  const {key, revision, base} = state;
  if (!key || keeping || timer) return;
  const now = /** @type {Text | null} */ (await api(`/api/text?look=1&key=${encodeURIComponent(key)}`).catch(() => null));
  if (!now || state.key !== key || state.revision !== revision || state.base !== base || keeping || timer) return;
  if (now.text === state.text) {
    Object.assign(state, {revision: now.revision, base: now.base, stored: now.stored});
    safe = state.text;
    forget(key);
    strip("newer", "");
    return emit("kept");
  }
  if (now.revision === revision && now.base === base) return;
  const file = now.base !== base;
  strip("newer", file
    ? `${now.name} was changed on the disk since it was opened here; the text here is older.`
    : "Another tab has changed this text; the one here is older. If you change it, it becomes a draft of its own.",
    ["Show it", () => told(() => latest(key))], ...(file ? /** @type {[string, () => void][]} */ ([["Compare", () => compare(now.text)]]) : []));
}

/** @param {string} key */
const latest = key => open(() => api(`/api/text?key=${encodeURIComponent(key)}`));

/** @param {string} theirs */
function compare(theirs) {
  dialog("What is another", made("p", {}, "Removed here, added there."), differences(state.text, theirs));
}

// Saving

/** Write the text to its file; ask for a name where there is none. */
export async function save() {
  if (timer) rest();
  await keeping;
  const {key, text, stored} = state;
  if (!key.startsWith(FILE) || key.endsWith(".pddl")) return saveAs();
  if (text === stored) return toast("Nothing has changed since it was saved.");
  await write(key.slice(FILE.length), false);
}

/** Ask for a name. @param {string} [name] @param {string} [why] it is asked again */
export function saveAs(name = state.key.startsWith(FILE) ? state.name : state.read?.file_name || `${(state.name.split("/").pop() || "").replace(/\.ya?ml$/, "")}.yaml`, why = "") {
  const field = made("input", {value: name, "aria-label": "File name", autofocus: true, spellcheck: "false"});
  const form = made("form", {onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = field.value.trim();
    if (!chosen) return;
    box.close();
    write(/\.ya?ml$/i.test(chosen) ? chosen : `${chosen}.yaml`, false);
  }}, made("label", {}, "File name", field), why && made("p", {role: "alert"}, why), made("p", {class: "quiet"}, `In ${state.boot.folder}`),
    made("footer", {}, made("button", {class: "strong"}, "Save"), made("button", {type: "button", onclick: () => box.close()}, "Cancel")));
  const box = dialog("Save as", form);
  field.select();
}

/** @param {string} name @param {boolean} overwrite */
async function write(name, overwrite) {
  const {key, text, base, revision} = state;
  try {
    const now = /** @type {Text} */ (await api("/api/save", {key, name, text, base, revision, overwrite}));
    forget(key);
    if (state.key !== key) return;
    Object.assign(state, {key: now.key, name: now.name, stored: now.stored, base: now.base, revision: now.revision});
    safe = text;
    strip("newer", "");
    calm();
    if (now.key !== key) addressed(true);
    toast(`Saved as ${now.name}`, "good");
    emit("kept");
    emit("saved");
    if (state.text !== text) rest();
  } catch (error) {
    const {status, answer, message} = /** @type {any} */ (error);
    if (status === 400) return saveAs(name, `Not saved. ${message}.`);
    if (status !== 409) return toast(`Not saved. ${message}`, "bad");
    conflict(name, answer.theirs, message);
  }
}

/** The file has another text: what is different, and what to do; the first button loses nothing.
    @param {string} name @param {string} theirs @param {string} why */
function conflict(name, theirs, why) {
  const free = name.replace(/(-(\d+))?\.(ya?ml)$/i, (_, _dash, number, ending) => `-${Number(number || 1) + 1}.${ending}`);
  /** @param {string} text @param {string} about @param {() => void} does @param {string} [kind] */
  const way = (text, about, does, kind = "") => made("li", {}, made("button", {type: "button", class: kind, onclick: () => { box.close(); does(); }}, text), made("span", {class: "quiet"}, about));
  const ways = [
    way("Save as ...", "Both texts stay: yours gets a name of its own.", () => saveAs(free), "strong"),
    way("Take theirs", "Yours goes on the shelf as a draft.", () => told(async () => {
      const {text, key} = state;
      await shelved(text, state.name);
      if (key === FILE + name) { await api("/api/drop", {key}); await latest(key); } else await openKey(FILE + name);
    })),
    way("Overwrite", `The text in ${name} is lost.`, () => write(name, true), "danger"),
  ];
  const box = dialog(`${name} has another text`, made("p", {}, `${why} Lines with − are only there, lines with + only here.`),
    differences(theirs, state.text), made("ul", {class: "ways"}, ...ways));
  ways[0].querySelector("button")?.focus();
}

/** Give up the changes: the text of the file comes back, and the one here goes on the shelf. */
export const revert = () => told(async () => {
  const {key, text, name} = state;
  await shelved(text, name);
  await api("/api/drop", {key});
  await latest(key);
  toast("The text of the file is back. Yours is on the shelf of the library.");
});

// A level from elsewhere

/** A level in any form that is known becomes a draft. @param {string} text */
export const taken = text => told(async () => {
  const own = /^(format|family): /m.test(text), {text: yaml} = own ? {text} : await api("/api/convert", {text});
  await openKey(await shelved(yaml));
  toast("It is a draft now: save it to keep it as a file.");
});

addEventListener("pagehide", inBrowser);
addEventListener("focus", look);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
on("elsewhere", look);
on("back", async () => {
  await look();
  if (state.text !== safe || state.read?.text !== state.text) rest();
});

addEventListener("dragover", event => { if (event.dataTransfer?.types.some(type => type === "Files")) { event.preventDefault(); document.body.classList.add("dropping"); } });
for (const name of ["dragleave", "drop"]) addEventListener(name, () => document.body.classList.remove("dropping"));
addEventListener("drop", event => {
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  if (file.size > 4 * state.boot.limits.text) return toast(`${file.name} is larger than what the studio takes: ${counted(state.boot.limits.text, "character")}.`, "bad");
  file.text().then(taken);
});
addEventListener("paste", event => {
  const target = /** @type {Element} */ (event.target), text = event.clipboardData?.getData("text/plain") || "";
  if (target.closest?.("input, textarea, dialog") || !text.includes("\n")) return;
  event.preventDefault();
  taken(text);
});
