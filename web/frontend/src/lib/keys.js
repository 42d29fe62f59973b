// Keys of the workbench that work wherever the focus is.

// By the place of the key: with Alt, a Mac types other letters.
const WITH_ALT_SHIFT = { KeyB: "bookmark", KeyF: "format", KeyN: "next", KeyO: "notes", KeyP: "previous", KeyZ: "zoom" };

/** What a key press asks for: "run", "submit", "save", "help" and so on, or null. `typing`: the focus is where text is typed. */
export function askedBy(event, { typing }) {
  const mod = (event.ctrlKey || event.metaKey) && !event.altKey;
  if (mod && event.key === "Enter") return event.shiftKey ? "submit" : "run";
  if (mod && !event.shiftKey && event.key.toLowerCase() === "s") return "save";
  if (event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey) return WITH_ALT_SHIFT[event.code] ?? null;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  return event.key === "?" && plain && !typing ? "help" : null;
}

/** Whether `platform` calls its main modifier Command. */
export function isMac(platform) {
  return /mac|iphone|ipad/i.test(platform);
}
