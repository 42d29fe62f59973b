// Drafts of a visitor's programs, one per problem and language, kept in this browser.

const PREFIX = "warpcourt:draft";

function key(problem, language) {
  return `${PREFIX}:${problem}:${language}`;
}

/** The draft, or null. Storage may be switched off; then there are no drafts. */
export function load(storage, problem, language) {
  try {
    return storage.getItem(key(problem, language));
  } catch {
    return null;
  }
}

/** Keep `source`; the starter itself is not kept, so that a better starter reaches the visitor. */
export function save(storage, problem, language, source, starter) {
  try {
    if (source === starter) storage.removeItem(key(problem, language));
    else storage.setItem(key(problem, language), source);
  } catch {
    // Full or switched off: the program still goes to the server when it is run.
  }
}
