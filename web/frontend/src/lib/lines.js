// Lines of a source as an address names them: #L10 or #L10-L20.

/** The range {first, last} that `hash` names, or null. */
export function parse(hash) {
  const found = /^#L(\d{1,6})(?:-L?(\d{1,6}))?$/.exec(hash);
  if (!found) return null;
  const [one, other] = [Number(found[1]), Number(found[2] ?? found[1])];
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

/** The hash that names `range`. */
export function format({ first, last }) {
  return first === last ? `#L${first}` : `#L${first}-L${last}`;
}

/** The range from where one began (or null) to `line`. */
export function extend(range, line) {
  if (!range) return { first: line, last: line };
  return { first: Math.min(range.first, line), last: Math.max(range.first, line) };
}
