// Keys of the workbench that work wherever the focus is.

/** What a key press asks for: "run", "submit", "help" or null. `typing`: the focus is where text is typed. */
export function askedBy(event, { typing }) {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.altKey) return event.shiftKey ? "submit" : "run";
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  return event.key === "?" && plain && !typing ? "help" : null;
}

/** Whether `platform` calls its main modifier Command. */
export function isMac(platform) {
  return /mac|iphone|ipad/i.test(platform);
}
