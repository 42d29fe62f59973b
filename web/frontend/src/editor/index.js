// The code editor: CodeMirror in place of a plain text area, which goes on holding the value for the form.

import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { Compartment, EditorSelection, EditorState, Prec, Transaction } from "@codemirror/state";
import * as codemirror from "@codemirror/view";
import { appearance } from "./appearance.js";
import { LANGUAGES } from "./languages.js";
import { leaving } from "./leaving.js";

const { EditorView, keymap } = codemirror;

const BASICS = [
  codemirror.lineNumbers(),
  codemirror.highlightActiveLineGutter(),
  codemirror.highlightSpecialChars(),
  history(),
  foldGutter({ openText: "▾", closedText: "▸" }),
  codemirror.drawSelection(),
  codemirror.dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  codemirror.rectangularSelection(),
  codemirror.crosshairCursor(),
  codemirror.highlightActiveLine(),
  keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
];

/**
 * Put an editor in place of `textarea`.
 *
 * Ctrl-Enter calls `onRun`, Ctrl-Shift-Enter `onSubmit` (Command on a Mac); `onChange` gets each new source
 * that its author wrote. `onLeaving(ready)` hears when Tab will leave the editor: after Escape, which in Vim
 * keys is one more Escape.
 */
export async function createEditor(textarea, { language, nonce, preferences, onRun, onSubmit, onChange, onLeaving }) {
  const part = { language: new Compartment(), extras: new Compartment(), vim: new Compartment(), tab: new Compartment(), wrap: new Compartment() };
  const call = (action) => () => {
    action();
    return true;
  };
  let known = await LANGUAGES[language]();
  let spoken = language;
  let late = null;
  let vimMode = () => null;
  // Completions and panels close on Escape; Vim leaves its modes. Only then does it lead out.
  const resting = (view) => {
    if (view.dom.querySelector(".cm-tooltip-autocomplete") || vimMode(view)) return false;
    return view.state.selection.ranges.length === 1;
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
      part.vim.of([]),
      leaving({ resting, onReady: onLeaving }),
      part.extras.of(keymap.of([{ key: "Mod-f", run: call(() => load().then(() => late.openSearchPanel(view))) }])),
      BASICS,
      appearance,
      part.language.of(known.extension),
      part.tab.of([]),
      part.wrap.of([]),
      EditorView.contentAttributes.of({ "aria-label": textarea.getAttribute("aria-label"), "aria-describedby": "editor-keys", spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        textarea.value = update.state.doc.toString();
        // What was put there by `replace` is known to whoever did it.
        if (!update.transactions.some((one) => one.annotation(Transaction.remote))) onChange(textarea.value);
      }),
      EditorView.domEventHandlers({ focus: () => void load() }),
    ],
  });
  textarea.hidden = true;

  // Who types while the extras are on their way gets the completions that the first letters would have brought.
  async function load() {
    if (late) return;
    const { doc } = view.state;
    const extras = await import("./extras.js");
    if (late) return;
    late = extras;
    equip();
    if (view.state.doc !== doc) late.offer(view);
  }

  function equip() {
    const words = known.data ? late.completions(spoken, known.data) : [];
    view.dispatch({ effects: part.extras.reconfigure([late.extras, words]) });
  }

  async function prefer({ tab, vim, wrap }) {
    const effects = [
      part.tab.reconfigure([EditorState.tabSize.of(tab), indentUnit.of(" ".repeat(tab))]),
      part.wrap.reconfigure(wrap ? EditorView.lineWrapping : []),
    ];
    if (vim) {
      const { vimKeys, modeOf } = await import("./vim.js");
      vimMode = modeOf;
      effects.push(part.vim.reconfigure(vimKeys));
    } else {
      vimMode = () => null;
      effects.push(part.vim.reconfigure([]));
    }
    view.dispatch({ effects });
    view.requestMeasure();
  }
  await prefer(preferences);

  return {
    focus: () => view.focus(),
    prefer,
    async speak(next) {
      known = await LANGUAGES[next]();
      spoken = next;
      view.dispatch({ effects: part.language.reconfigure(known.extension) });
      if (late) equip();
    },
    replace(source) {
      if (source === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source }, annotations: Transaction.remote.of(true) });
    },
    /** Format the program. Resolves to what format.js says, or {kind: "edited"} if the program has changed since. */
    async format() {
      const { formatted } = await import("./format.js");
      const { doc } = view.state;
      const answer = await formatted(spoken, doc.toString());
      if (!view.state.doc.eq(doc)) return { kind: "edited" };
      if (answer.changes) view.dispatch({ changes: answer.changes, userEvent: "format", annotations: isolateHistory.of("full") });
      return answer;
    },
    jump(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({ selection: EditorSelection.cursor(from), effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    async mark(findings) {
      const { forceLinting, setDiagnostics } = await import("@codemirror/lint");
      const diagnostics = findings
        .filter(({ line }) => line >= 1 && line <= view.state.doc.lines)
        .map(({ line, severity, message }) => {
          const { from, to, text } = view.state.doc.line(line);
          return { from: from + text.search(/\S|$/), to, severity, message };
        });
      view.dispatch(setDiagnostics(view.state, diagnostics));
      forceLinting(view);
    },
  };
}
