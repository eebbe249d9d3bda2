/* The index of a site: its cards by family, by a text in their names, in an order; and which of them were solved. */
(() => {
  /** @param {string} selector @returns {any} */
  const part = selector => document.querySelector(selector);
  const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".card")]), list = part(".cards");
  const find = part("input[type=search]"), order = part(".bar select"), none = part(".none");
  const chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("button[data-family]")]);
  const state = new URLSearchParams(location.hash.slice(1));
  let family = state.get("family") || "";
  find.value = state.get("find") || "";
  if ([...order.options].some(one => one.value === state.get("order"))) order.value = state.get("order");

  for (const card of cards) {
    try {
      const {best} = JSON.parse(localStorage.getItem(`budge ${card.dataset.digest}`) || "{}");
      if (!best) continue;
      const mark = document.createElement("span");
      mark.className = "done"; mark.textContent = `✓ solved in ${best.join(", ")}`;
      card.append(mark);
    } catch { /* nothing is kept here */ }
  }

  const number = (/** @type {string | undefined} */ text) => text ? parseInt(text, 10) : Infinity;
  function show() {
    const wanted = find.value.trim().toLowerCase();
    for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.dataset.family === family));
    for (const card of cards) {
      const named = (card.querySelector("strong")?.textContent || "").toLowerCase().includes(wanted);
      card.hidden = !named || (family !== "" && card.dataset.family !== family);
    }
    none.hidden = cards.some(card => !card.hidden) || !cards.length;
    const key = order.value, by = (/** @type {HTMLElement} */ card) => number(card.dataset[key]);
    list.append(...(key === "name" ? cards : [...cards].sort((a, b) => by(a) - by(b) || 0)));
    const kept = new URLSearchParams();
    for (const [name, value] of [["family", family], ["find", find.value], ["order", key === "name" ? "" : key]]) if (value) kept.set(name, value);
    history.replaceState(null, "", kept.size ? `#${kept}` : location.pathname.split("/").pop() || ".");
  }

  for (const chip of chips) chip.addEventListener("click", () => {
    family = family === chip.dataset.family ? "" : chip.dataset.family || "";
    show();
  });
  find.addEventListener("input", show);
  order.addEventListener("change", show);
  show();
})();
