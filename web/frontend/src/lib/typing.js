// Whether a key that is pressed now is text for someone, so that no shortcut may take it.

/** True when `event` is text for its target, or belongs to the browser or the system. */
export function isTyping(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const { target } = event;
  return Boolean(target?.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target?.tagName));
}
