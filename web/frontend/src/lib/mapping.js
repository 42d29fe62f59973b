// Which lines of a listing and of its source belong together.

/** Where each line of the source went: from its number to the positions in `from` that hold it. */
export function index(from) {
  const rows = new Map();
  from.forEach((line, at) => {
    if (!line) return;
    if (!rows.has(line)) rows.set(line, []);
    rows.get(line).push(at);
  });
  return rows;
}

/** The position after a key is pressed at `at`, of `count` rows of which `page` are in sight; null for other keys. */
export function step(at, key, { count, page }) {
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count };
  if (!(key in moves) || !count) return null;
  return Math.min(count - 1, Math.max(0, at + moves[key]));
}
