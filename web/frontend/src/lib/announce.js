// Speaks to screen readers through the page's live region.

const PAUSE_MS = 4000;
let quietUntil = 0;
let waiting = null;

/** Announces `text` now. It takes the place of an announcement that still waits for its turn. */
export function announce(text) {
  clearTimeout(waiting);
  const region = document.getElementById("announcer");
  region.textContent = "";
  // A change is spoken only when it happens after the region was emptied.
  requestAnimationFrame(() => (region.textContent = text.replace(/\s+/g, " ").trim()));
}

/** Announces `text` as soon as the last announcement of this kind is PAUSE_MS old. The latest text wins. */
export function announceInTurn(text) {
  if (!text) return;
  clearTimeout(waiting);
  waiting = setTimeout(
    () => {
      quietUntil = performance.now() + PAUSE_MS;
      announce(text);
    },
    Math.max(0, quietUntil - performance.now()),
  );
}
