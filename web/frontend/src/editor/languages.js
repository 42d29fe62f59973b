// The grammars, each loaded when it is first needed.

import { EditorView } from "@codemirror/view";
import { deviceWords } from "./appearance.js";
import { CUDA_WORDS, TORCH_WORDS, TRITON_WORDS } from "./words/patterns.js";

/** Each resolves to {extension, data}: what goes into the editor, and where completions are added. */
export const LANGUAGES = {
  async cuda() {
    const { cpp, cppLanguage } = await import("@codemirror/lang-cpp");
    return { extension: [cpp(), deviceWords(CUDA_WORDS)], data: cppLanguage.data };
  },
  async triton() {
    const { python, pythonLanguage } = await import("@codemirror/lang-python");
    return { extension: [python(), deviceWords(TRITON_WORDS)], data: pythonLanguage.data };
  },
  async python() {
    const { python, pythonLanguage } = await import("@codemirror/lang-python");
    return { extension: [python(), deviceWords(TORCH_WORDS)], data: pythonLanguage.data };
  },
  // Without a grammar and words of its own, for its numbered lines.
  async text() {
    return { extension: [EditorView.lineWrapping], data: null };
  },
};
