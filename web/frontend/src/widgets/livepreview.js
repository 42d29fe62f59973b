// Shows a statement as learners will see it while it is written. Without this the page shows what was saved.

import { latest } from "../lib/latest.js";

const PAUSE_MS = 350;

export function mount(element) {
  const form = element.closest("form");
  const source = element.querySelector("textarea");
  const target = element.querySelector("[data-preview]");
  const show = latest(async () => {
    const body = new URLSearchParams({ text: source.value, locale: element.dataset.locale });
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    const answer = await fetch(element.dataset.previewAddress, { method: "POST", body, headers });
    return answer.ok ? answer.text() : null;
  }, (html) => {
    // The server has sanitised the text; a document that is parsed runs no script.
    const parsed = new DOMParser().parseFromString(html, "text/html");
    target.replaceChildren(...parsed.body.children);
    target.firstElementChild?.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
  });
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE_MS);
  });
}
