/* Sharing: a link that holds the puzzle, and the puzzle as a file. The part of a link behind `#` is never sent to a server. */
import {addressed, dialog, game, made, menu, open, state, told} from "./app.js";
import {save, saveAs, shelved, taken} from "./texts.js";

const MARK = "#z=", SITE = "budge-studio-site", LONGEST = 65536; // characters: browsers and mail cut longer ones

/** @param {Uint8Array<ArrayBuffer> | string} data @param {CompressionStream | DecompressionStream} through */
const piped = async (data, through) => new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(through)).arrayBuffer());

/** A text as a part of an address: raw deflate (RFC 1951) in base64url (RFC 4648). @param {string} text */
async function packed(text) {
  const bytes = await piped(text, new CompressionStream("deflate-raw"));
  const code = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (code.length > LONGEST) throw new Error("This is too long for a link: share the file instead.");
  return code;
}

/** The text of a link. @param {string} link */
export async function unpacked(link) {
  const code = link.slice(link.indexOf(MARK) + MARK.length).trim();
  try {
    if (!link.includes(MARK) || code.length > LONGEST) throw new RangeError();
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), char => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", {fatal: true}).decode(await piped(bytes, new DecompressionStream("deflate-raw")));
    if (text.length > state.boot.limits.text) throw new RangeError();
    return text;
  } catch { throw new Error("This link holds no puzzle; it may have been cut when it was copied."); }
}

/** Open the puzzle of the page's own address, if it holds one. */
export async function linked() {
  const {hash, pathname, search} = location;
  if (!hash.startsWith(MARK)) return false;
  history.replaceState(null, "", pathname + search);
  return Boolean(await told(async () => { await open(await shelved(await unpacked(hash)), {push: false}); addressed(false); return true; }));
}

/** A dialog with a link to copy. @param {string} title @param {string} said @param {HTMLInputElement} field
    @param {HTMLElement[]} above */
function shown(title, said, field, ...above) {
  dialog(title, made("p", {}, said), ...above, field,
    made("footer", {}, made("button", {type: "button", class: "strong", autofocus: true, onclick: async (/** @type {Event} */ event) => {
      await navigator.clipboard.writeText(field.value).catch(() => { field.select(); document.execCommand("copy"); });
      /** @type {HTMLElement} */ (event.target).textContent = "Copied";
    }}, "Copy the link")));
  field.select();
}

const linkField = () => /** @type {HTMLInputElement} */ (made("input", {readonly: true, "aria-label": "Link", class: "link"}));

async function show() {
  const field = linkField();
  field.value = `${location.origin}/${MARK}${await packed(state.text)}`;
  shown("A link that holds this puzzle", "Whoever opens it in a studio on this machine sees the puzzle; no server is told what is in it. In a studio at another address: Share, Open a link.", field);
}

/** The same for a site that `budge site` has written: its page `play.html` plays what its address holds. */
async function forSite() {
  const data = game().game;
  if (!data || data.unplayable) throw new Error("This puzzle is too large for a link to play by.");
  const code = await packed(JSON.stringify({name: state.read?.title || "A puzzle", game: data})), field = linkField();
  const site = made("input", {type: "url", placeholder: "https://example.org/puzzles/", value: localStorage.getItem(SITE) || ""});
  const write = () => {
    localStorage.setItem(SITE, site.value);
    field.value = `${site.value.replace(/[^/]*$/, "")}play.html#g=${code}`;
  };
  site.addEventListener("input", write);
  write();
  shown("A link to play this puzzle", "Whoever opens it plays the puzzle on a site that `budge site` has written, without Budge; no server is told what is in it.", field, made("label", {}, "Address of the site", site));
}

function ask() {
  const field = made("textarea", {rows: "4", "aria-label": "Link, or a level", autofocus: true});
  const box = dialog("Open a link, or a level", made("p", {}, "A link that holds a puzzle, or a level in any form that is known: YAML, XSB, PDDL ... It can be dropped or pasted onto the page, too."), field,
    made("footer", {}, made("button", {type: "button", class: "strong", onclick: () => told(async () => {
      const text = field.value.includes(MARK) ? await unpacked(field.value) : field.value;
      box.close();
      await taken(text);
    })}, "Open")));
}

function download() {
  const url = URL.createObjectURL(new Blob([state.text], {type: "application/yaml"}));
  made("a", {href: url, download: state.key.startsWith("draft:") ? "puzzle.yaml" : `${state.name.split("/").pop()?.replace(/\.ya?ml$/, "")}.yaml`}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const button = /** @type {HTMLElement} */ (document.querySelector("#share"));
menu(button, () => [
  ["Copy a link", () => told(show), "that holds this puzzle"], ["Link to play", () => told(forSite), "on a web site of puzzles"], ["Open a link, or a level", ask, "paste it"],
  ["Save", () => told(save), "Ctrl S"], ["Save as ...", () => saveAs(), "another file"], ["Download", download, "the puzzle file"],
]);
addEventListener("hashchange", linked);
