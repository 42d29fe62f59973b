// The code editor: CodeMirror in place of a plain text area, which goes on holding the value for the form.

import { indentWithTab } from "@codemirror/commands";
import { cpp, cppLanguage } from "@codemirror/lang-cpp";
import { python, pythonLanguage } from "@codemirror/lang-python";
import { indentUnit } from "@codemirror/language";
import { forceLinting, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorSelection, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { appearance, deviceWords } from "./appearance.js";
import { complete, CUDA, pattern, TRITON } from "./words.js";

function completion(list) {
  return (context) => {
    const before = context.state.sliceDoc(context.state.doc.lineAt(context.pos).from, context.pos);
    const found = complete(list, before, { explicit: context.explicit });
    return found && { from: context.pos - found.length, options: found.options, validFor: /^[\w.]*$/ };
  };
}

const LANGUAGES = {
  cuda: () => [cpp(), cppLanguage.data.of({ autocomplete: completion(CUDA) }), deviceWords(pattern(CUDA)), indentUnit.of("    ")],
  triton: () => [python(), pythonLanguage.data.of({ autocomplete: completion(TRITON) }), deviceWords(pattern(TRITON)), indentUnit.of("    ")],
};

/**
 * Put an editor in place of `textarea`.
 *
 * Ctrl-Enter calls `onRun`, Ctrl-Shift-Enter `onSubmit` (Command on a Mac); `onChange` gets each new
 * source. Escape, then Tab, leaves the editor by keyboard.
 */
export function createEditor(textarea, { language, nonce, onRun, onSubmit, onChange }) {
  const chosen = new Compartment();
  const call = (action) => () => {
    action();
    return true;
  };
  const view = new EditorView({
    doc: textarea.value,
    parent: textarea.parentElement,
    extensions: [
      EditorView.cspNonce.of(nonce),
      Prec.highest(
        keymap.of([
          { key: "Mod-Enter", run: call(onRun) },
          { key: "Mod-Shift-Enter", run: call(onSubmit) },
        ]),
      ),
      basicSetup,
      keymap.of([indentWithTab]),
      appearance,
      chosen.of(LANGUAGES[language]()),
      EditorView.contentAttributes.of({ "aria-label": textarea.getAttribute("aria-label"), "aria-describedby": "editor-keys" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        textarea.value = update.state.doc.toString();
        onChange(textarea.value);
      }),
    ],
  });
  textarea.hidden = true;

  return {
    focus: () => view.focus(),
    replace(source, nextLanguage) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: source },
        effects: nextLanguage ? chosen.reconfigure(LANGUAGES[nextLanguage]()) : [],
      });
    },
    jump(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({ selection: EditorSelection.cursor(from), effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    mark(findings) {
      const diagnostics = findings
        .filter(({ line }) => line >= 1 && line <= view.state.doc.lines)
        .map(({ line, severity, message }) => {
          const { from, to } = view.state.doc.line(line);
          return { from, to, severity, message };
        });
      view.dispatch(setDiagnostics(view.state, diagnostics));
      forceLinting(view);
    },
  };
}
