// A text area of source as a code editor. The text area goes on holding the value, so the form is as it was.

import { preferences } from "./settings.js";

export async function mount(element) {
  const textarea = element.querySelector("textarea");
  if (textarea.matches(":disabled")) return; // whoever reads needs no editor
  const label = element.parentElement.querySelector(`label[for="${textarea.id}"]`);
  textarea.setAttribute("aria-label", label?.textContent.trim() ?? textarea.name);
  const { createEditor } = await import("../editor/index.js");
  const leave = () => textarea.form.requestSubmit();
  const editor = await createEditor(textarea, {
    language: element.dataset.language,
    nonce: element.dataset.nonce,
    preferences: preferences(),
    onRun: leave,
    onSubmit: leave,
    onChange: () => textarea.dispatchEvent(new Event("input", { bubbles: true })),
    onLeaving: () => {},
  });
  const line = /^#L(\d{1,6})$/.exec(location.hash);
  if (line) editor.jump(Number(line[1]));
}
