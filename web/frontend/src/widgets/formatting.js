// Formats the program when its author asks, and says how that went under the editor.

import { announce } from "../lib/announce.js";

const SAID = {
  changed: () => "Formatted",
  same: () => "Already formatted",
  broken: ({ line, reason }) => `Not formatted: line ${line} does not parse (${reason})`,
  edited: () => "Not formatted: the program changed in the meantime. Format it again",
  failed: () => "Not formatted: the formatter did not load or stopped. Check the connection and try again",
};

/** Returns {start(), forget()}: `format` resolves to {kind}, as editor.format does; an edit makes the last words old. */
export function mountFormatting(element, format) {
  const status = element.querySelector("[data-format-status]");
  let busy = false;
  return {
    async start() {
      if (busy) return;
      busy = true;
      status.textContent = "Formatting…";
      const answer = await format().catch(() => ({ kind: "failed" }));
      busy = false;
      status.textContent = SAID[answer.kind](answer);
      status.dataset.kind = answer.kind;
      announce(status.textContent);
    },
    forget() {
      if (!busy) status.textContent = "";
    },
  };
}
