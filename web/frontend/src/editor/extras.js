// What the editor needs only once somebody writes: completion, closing brackets, search.

import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completeAnyWord, completionKeymap, startCompletion } from "@codemirror/autocomplete";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { complete } from "./complete.js";
import { CUDA } from "./words/cuda.js";
import { TORCH } from "./words/torch.js";
import { TRITON } from "./words/triton.js";

export { openSearchPanel } from "@codemirror/search";

// Escape closes the list. With Vim keys it goes on to Vim, which leaves its mode by the same press.
const escape = {
  key: "Escape",
  run: (view) => closeCompletion(view) && !view.dom.querySelector(".cm-vim-panel"),
};
const listKeys = [escape, ...completionKeymap.filter(({ key }) => key !== "Escape")];

export const extras = [
  closeBrackets(),
  autocompletion({ icons: false, maxRenderedOptions: 60, defaultKeymap: false }),
  Prec.highest(keymap.of(listKeys)),
  search({ top: true }),
  highlightSelectionMatches(),
  keymap.of([...closeBracketsKeymap, ...searchKeymap]),
];

/** Offer completions of the word that ends at the cursor, if there is one. */
export function offer(view) {
  const { from, to } = view.state.selection.main;
  if (from === to && /[\w.:]/.test(view.state.sliceDoc(Math.max(0, from - 1), from))) startCompletion(view);
}

// Programs in Python may launch Triton kernels too; where both lists have a word, PyTorch says more.
const PYTHON = [...TORCH, ...TRITON.filter(({ label }) => !label.startsWith("torch."))];
const WORDS = { cuda: CUDA, triton: TRITON, python: PYTHON };

/** Completion of the words of `language`, added to its grammar's `data`. */
export function completions(language, data) {
  const source = (context) => {
    const before = context.state.sliceDoc(context.state.doc.lineAt(context.pos).from, context.pos);
    const found = complete(WORDS[language], before, { explicit: context.explicit });
    return found && { from: context.pos - found.length, options: found.options, validFor: /^(?:[\w.]|::)*$/ };
  };
  // Python's grammar comes with words of its own; C++'s with none.
  const own = language === "cuda" ? [data.of({ autocomplete: completeAnyWord })] : [];
  return [data.of({ autocomplete: source }), ...own];
}
