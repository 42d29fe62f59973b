// Whether a title answers what is typed.

/** True if `title` contains every word of `words`, in any order and case. */
export function matches(title, words) {
  const lower = title.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
