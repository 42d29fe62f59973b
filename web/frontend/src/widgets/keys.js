// The keys of the workbench, wherever the focus is, and the dialog that lists them.

import { askedBy, isMac } from "../lib/keys.js";
import { openDialog } from "./dialogs.js";

/** `actions` by what is asked for, see lib/keys.js. The editor has keys of its own for some of them. */
export function mountKeys(element, actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const asked = askedBy(event, { typing: isTyping(event.target) });
    if (!asked || (asked !== "help" && !actions[asked])) return;
    event.preventDefault();
    if (asked === "help") openDialog("keys");
    else actions[asked]();
  });
  if (isMac(navigator.userAgentData?.platform ?? navigator.platform)) {
    for (const key of element.querySelectorAll("kbd[data-mod]")) key.textContent = "⌘";
  }
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox]), textarea, select"));
}
