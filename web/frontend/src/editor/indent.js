// Indents a whole program again, by the rules of its grammar.

import { indentSelection } from "@codemirror/commands";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorSelection } from "@codemirror/state";

const PATIENCE_MS = 1000;

/**
 * Indent the program of `state` again. Returns {changes, kind}: kind is "changed", "same", or "unsafe" where
 * the new indentation would change what a program in Python means.
 */
export function indented(state, { python }) {
  const before = ensureSyntaxTree(state, state.doc.length, PATIENCE_MS);
  if (!before) return { kind: "unsafe" };
  const whole = state.update({ selection: EditorSelection.single(0, state.doc.length) }).state;
  let found = null;
  indentSelection({ state: whole, dispatch: (transaction) => (found = transaction) });
  if (!found || found.state.doc.eq(state.doc)) return { kind: "same" };
  if (python) {
    const after = ensureSyntaxTree(found.state, found.state.doc.length, PATIENCE_MS);
    if (after?.toString() !== before.toString()) return { kind: "unsafe" };
  }
  return { kind: "changed", changes: found.changes };
}
