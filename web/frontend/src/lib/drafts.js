// Drafts kept in this browser: one for each person, problem and language. Nobody signed in is "".
//
// A record is {source, base, dirty, sent}: the text, the server's revision that it was made from (0: none),
// whether the server still lacks it, and what was last sent there.

const PREFIX = "warpcourt:draft";

/** The key of a record, as storage events tell it. */
export function keyOf({ owner, problem, language }) {
  return [PREFIX, owner, problem, language].join(":");
}

/** The drafts of `storage` under `key`. Storage may be switched off or full; then nothing is kept. */
export function open(storage, key) {
  return {
    read() {
      try {
        return parse(storage.getItem(key));
      } catch {
        return null;
      }
    },
    /** Whether the record was kept. */
    write(record) {
      try {
        storage.setItem(key, JSON.stringify(record));
        return true;
      } catch {
        return false;
      }
    },
    clear() {
      try {
        storage.removeItem(key);
      } catch {
        // What cannot be written cannot be there.
      }
    },
  };
}

/** The record that `text` holds, or null. */
export function parse(text) {
  const told = fromJson(text);
  if (typeof told?.source !== "string" || !Number.isInteger(told.base)) return null;
  const { source, base, dirty = true, sent = null } = told;
  return { source, base, dirty, sent };
}

function fromJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
