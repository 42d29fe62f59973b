// Which lines of two texts differ, for showing them side by side.

const LONGEST = 1500; // lines; the table of a longer pair would take too much memory

/** The indices of the lines of `before` and `after` that the other one lacks, in order. */
export function changedLines(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const changed = { before: range(start, a.length - end), after: range(start, b.length - end) };
  const [inner, other] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (inner.length > LONGEST || other.length > LONGEST) return changed;
  for (const [left, right] of common(inner, other)) {
    changed.before.delete(start + left);
    changed.after.delete(start + right);
  }
  return changed;
}

function range(from, to) {
  return new Set(Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index));
}

// The longest common subsequence, by the textbook.
function common(a, b) {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const here = i * width + j;
      best[here] = a[i] === b[j] ? best[here + width + 1] + 1 : Math.max(best[here + width], best[here + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}
