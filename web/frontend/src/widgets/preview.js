// Shows how a text will look beside the form that it is written in. Without this the server does it.

import { announce } from "../lib/announce.js";

export function mount(form) {
  const target = form.querySelector("[data-preview]");
  form.addEventListener("submit", async (event) => {
    if (event.submitter?.name !== "preview") return;
    event.preventDefault();
    const body = new URLSearchParams({ text: form.elements.text.value });
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    const answer = await fetch(form.dataset.previewAddress, { method: "POST", body, headers }).catch(() => null);
    if (!answer?.ok) {
      announce("The preview could not be loaded. Try again.");
      return;
    }
    // The server has sanitised the text; a document that is parsed runs no script.
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    target.replaceChildren(...parsed.body.children);
    target.firstElementChild?.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
    target.scrollIntoView({ block: "nearest" });
  });
}
