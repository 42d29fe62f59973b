// Vim keys, loaded only by those who chose them.

import { getCM, vim } from "@replit/codemirror-vim";

export const vimKeys = vim({ status: true });

/** "insert" or "visual" while Vim is in that mode; null in normal mode, from which Escape leads out. */
export function modeOf(view) {
  const state = getCM(view)?.state.vim;
  if (state?.insertMode) return "insert";
  return state?.visualMode ? "visual" : null;
}
