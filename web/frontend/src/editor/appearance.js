// How the editor looks. Colours are the page's custom properties, so both schemes come from one place.

import { HighlightStyle, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent", fontSize: "var(--editor-size, 13px)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", fontVariantLigatures: "none" },
  ".cm-content": { padding: "0.6rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 1rem 0 0.5rem" },
  ".cm-cursor": { borderLeft: "2px solid var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "0", paddingLeft: "0.4rem" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.2rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklch, var(--hover) 50%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-foldGutter": { width: "0.9rem" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer", color: "var(--ink-3)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "var(--selection) !important" },
  ".cm-selectionMatch": { backgroundColor: "var(--signal-wash)", outline: "1px solid var(--line)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--line-strong)", borderRadius: "2px" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-wash)", color: "var(--bad)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunken)", border: "1px solid var(--line)", color: "var(--ink-2)", padding: "0 0.4em" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", fontFamily: "var(--sans)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { display: "flex", flexWrap: "wrap", gap: "0.35rem 0.4rem", alignItems: "center", padding: "0.5rem 2.4rem 0.5rem 0.75rem", fontSize: "var(--text-s)" },
  ".cm-panel.cm-search br": { flexBasis: "100%", content: "''" },
  ".cm-panel.cm-search :is(input, button, label)": { margin: "0" },
  ".cm-panel.cm-search label": { display: "inline-flex", gap: "0.35rem", alignItems: "center", fontSize: "var(--text-s)", color: "var(--ink-2)" },
  ".cm-panel.cm-search input[type=checkbox]": { accentColor: "var(--ink)" },
  ".cm-panel.cm-search [name=close]": { top: "0.45rem", right: "0.6rem", width: "1.75rem", height: "1.75rem", color: "var(--ink-2)", fontSize: "1.15rem", cursor: "pointer", borderRadius: "var(--radius)" },
  ".cm-panel.cm-search [name=close]:hover": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  ".cm-textfield": { minHeight: "1.75rem", border: "1px solid var(--line-strong)", borderRadius: "var(--radius)", backgroundColor: "var(--surface)", color: "var(--ink)", fontFamily: "var(--mono)", fontSize: "var(--text-s)", padding: "0.15rem 0.5rem" },
  ".cm-button": { minHeight: "1.75rem", border: "1px solid var(--line-strong)", borderRadius: "var(--radius)", backgroundImage: "none", backgroundColor: "var(--surface)", color: "var(--ink)", fontFamily: "var(--sans)", fontSize: "var(--text-s)", padding: "0.15rem 0.6rem", cursor: "pointer" },
  ".cm-button:hover": { backgroundColor: "var(--hover)" },
  ".cm-vim-panel": { padding: "0.2rem 0.75rem", minHeight: "1.6rem", fontFamily: "var(--mono)", fontSize: "var(--text-s)", color: "var(--ink-2)" },
  ".cm-vim-panel input": { color: "var(--ink)", fontFamily: "var(--mono)", fontSize: "var(--text-s)" },
  "&:not(.cm-focused) .cm-fat-cursor": { outline: "1px solid var(--line-strong) !important", background: "transparent !important" },
  ".cm-fat-cursor": { background: "var(--signal) !important", color: "var(--on-signal) !important" },
  ".cm-searchMatch": { backgroundColor: "var(--signal-wash)", outline: "1px solid var(--signal)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--signal)", color: "var(--on-signal)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", borderRadius: "var(--radius)", boxShadow: "var(--shadow)", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--text-s)", maxHeight: "15rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.15rem 0.6rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--signal-text)", fontWeight: "600" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal" },
  ".cm-tooltip.cm-completionInfo": { padding: "0.5rem 0.75rem", maxWidth: "20rem", fontSize: "var(--text-s)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", fontSize: "var(--text-s)", padding: "0.35rem 0.6rem" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad-solid)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--limit-solid)" },
  ".cm-diagnostic-info": { borderLeft: "3px solid var(--line-strong)" },
  ".cm-device, .cm-device span": { color: "var(--code-device)", fontWeight: "600" },
});

const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], color: "var(--code-keyword)" },
  { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--code-type)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.macroName], color: "var(--code-function)" },
  { tag: [tags.string, tags.special(tags.string), tags.character], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.comment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.processingInstruction, tags.meta], color: "var(--code-preprocessor)" },
  { tag: [tags.variableName, tags.propertyName, tags.labelName], color: "var(--ink)" },
  { tag: [tags.operator, tags.punctuation, tags.bracket, tags.separator], color: "var(--ink-2)" },
  { tag: tags.self, color: "var(--code-keyword)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const appearance = [theme, syntaxHighlighting(style)];

const PLAIN = /Comment|String|Char/;
const mark = Decoration.mark({ class: "cm-device" });

/** Marks the words that `pattern` finds, except in comments and strings. */
export function deviceWords(pattern) {
  const decorator = new MatchDecorator({
    regexp: pattern,
    decorate(add, from, to, _match, view) {
      if (!PLAIN.test(syntaxTree(view.state).resolveInner(from, 1).name)) add(from, to, mark);
    },
  });
  return ViewPlugin.define(
    (view) => ({
      marks: decorator.createDeco(view),
      update(change) {
        const parsed = syntaxTree(change.startState) !== syntaxTree(change.state);
        this.marks = parsed ? decorator.createDeco(change.view) : decorator.updateDeco(change, this.marks);
      },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}
