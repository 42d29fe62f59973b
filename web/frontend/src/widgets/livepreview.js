// Shows a statement as learners will see it while it is written. Without this the page shows what was saved.

import { latest } from "../lib/latest.js";

const PAUSE_MS = 350;

export function mount(element) {
  const form = element.closest("form");
  const target = element.querySelector("[data-preview]");
  const show = latest(async () => {
    // All that the form says: learners see the title and the tags above the text.
    const body = new URLSearchParams([...new FormData(form), ["locale", element.dataset.locale]]);
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
