/* A puzzle that the address of the page holds: `#g=`, then {name, game} as JSON, raw deflate (RFC 1951) in base64url. The
part of an address behind `#` is sent to nobody. */
const element = /** @type {any} */ (document.querySelector("budge-game"));

async function show() {
  const [, code] = location.hash.split("#g="), heading = /** @type {HTMLElement} */ (document.querySelector("h1"));
  try {
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
    const {name, game} = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
    heading.textContent = document.title = name;
    element.game = game;
  } catch { heading.textContent = "This address holds no puzzle; it may have been cut when it was copied."; }
}
addEventListener("hashchange", show);
show();
