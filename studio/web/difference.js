/* The difference of two texts, line by line. */
import {made} from "./app.js";

const AROUND = 3, MOST = 4e6; // lines that stay around a change; the largest table of lines

/** Lines of both texts: ["=", line], ["-", line] of the first, ["+", line] of the second.
    @param {string} before @param {string} after @returns {["=" | "-" | "+", string][]} */
export function compared(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const old = a.slice(head, a.length - tail), fresh = b.slice(head, b.length - tail);
  /** @type {["=" | "-" | "+", string][]} */
  const lines = a.slice(0, head).map(line => ["=", line]);
  const wide = fresh.length + 1, table = old.length * fresh.length > MOST ? null : new Uint16Array((old.length + 1) * wide);
  if (table) // the longest common subsequence of what is behind
    for (let i = old.length - 1; i >= 0; i--)
      for (let j = fresh.length - 1; j >= 0; j--)
        table[i * wide + j] = old[i] === fresh[j] ? table[(i + 1) * wide + j + 1] + 1 : Math.max(table[(i + 1) * wide + j], table[i * wide + j + 1]);
  for (let i = 0, j = 0; i < old.length || j < fresh.length;) {
    if (table && old[i] === fresh[j] && i < old.length) { lines.push(["=", old[i++]]); j++; }
    else if (i < old.length && (!table || j === fresh.length || table[(i + 1) * wide + j] >= table[i * wide + j + 1])) lines.push(["-", old[i++]]);
    else lines.push(["+", fresh[j++]]);
  }
  return [...lines, ...a.slice(a.length - tail).map(line => /** @type {["=", string]} */ (["=", line]))];
}

/** The difference as an element. @param {string} before @param {string} after */
export function differences(before, after) {
  const lines = compared(before, after), near = lines.map(() => false);
  lines.forEach(([kind], i) => { if (kind !== "=") near.fill(true, Math.max(0, i - AROUND), i + AROUND + 1); });
  const box = made("div", {class: "difference", tabindex: "0", role: "group", "aria-label": "Difference"});
  lines.forEach(([kind, line], i) => {
    if (near[i]) box.append(made("div", {class: {"=": "", "-": "less", "+": "more"}[kind]}, made("span", {}, {"=": " ", "-": "−", "+": "+"}[kind]), line));
    else if (i === 0 || near[i - 1]) box.append(made("div", {class: "skipped"}, "···"));
  });
  return box;
}
