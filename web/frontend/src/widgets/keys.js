// The keys of the workbench, wherever the focus is, and the dialog that lists them.

import { askedBy, isMac } from "../lib/keys.js";
import { openDialog } from "./dialogs.js";

/** `onRun` and `onSubmit` are called outside the editor, which has keys of its own. */
export function mountKeys(element, { onRun, onSubmit }) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const asked = askedBy(event, { typing: isTyping(event.target) });
    if (!asked) return;
    event.preventDefault();
    if (asked === "help") openDialog("keys");
    else (asked === "run" ? onRun : onSubmit)();
  });
  if (isMac(navigator.userAgentData?.platform ?? navigator.platform)) {
    for (const key of element.querySelectorAll("kbd[data-mod]")) key.textContent = "⌘";
  }
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox]), textarea, select"));
}
