// A form that saves itself a little after each change. Without this its button does.

import { announce } from "../lib/announce.js";
import { poster, Saving } from "../lib/saving.js";

const STATUS = {
  unsaved: "Not saved yet",
  saved: "Saved",
  conflict: "Somebody else saved this in the meantime.",
  refused: "Not saved",
  unreachable: "Not saved: the site cannot be reached. It is tried again.",
  "signed-out": "Not saved: you are signed out, or may not write here any more.",
};
const TROUBLE = new Set(["conflict", "refused", "unreachable", "signed-out"]);
const forms = new Set();

export function mount(form) {
  const status = form.querySelector("[data-save-status]");
  if (!status) return; // whoever may not write here
  const compare = form.querySelector("[data-save-compare]");
  const saving = new Saving({
    read: () => new FormData(form),
    send: poster(form.action),
    adopt: ({ revision, values }) => adopt(form, revision, values),
    tell: ({ kind, reason }) => {
      const text = kind === "refused" && reason ? `${STATUS.refused}: ${reason}` : STATUS[kind];
      if (TROUBLE.has(kind) && status.textContent !== text) announce(text);
      status.textContent = text;
      status.dataset.kind = kind;
      compare.hidden = kind !== "conflict";
    },
  });
  forms.add(saving);
  form.addEventListener("input", () => saving.changed());
  form.addEventListener("change", () => saving.changed());
  form.addEventListener("submit", () => saving.stop());
  addEventListener("online", () => saving.flush());
  addEventListener("pagehide", () => saving.flush({ last: true }));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") saving.flush({ last: true });
  });
  mountFollowers();
}

// Every form of the page was made from the same revision, so all of them go on from the new one.
function adopt(form, revision, values) {
  for (const other of document.querySelectorAll("input[name=expected]")) other.value = revision;
  for (const [name, value] of Object.entries(values ?? {})) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
}

// Forms that need what the others say, such as the preview, wait until it is saved.
function mountFollowers() {
  for (const follower of document.querySelectorAll("form[data-after-save]:not([data-waits])")) {
    follower.dataset.waits = "";
    let ready = false;
    follower.addEventListener(
      "submit",
      async (event) => {
        if (ready || ![...forms].some((saving) => saving.dirty || saving.sending)) {
          ready = false;
          return;
        }
        event.preventDefault();
        event.stopImmediatePropagation();
        const saved = await Promise.all([...forms].map((saving) => saving.flush()));
        if (!saved.every(Boolean)) return;
        ready = true;
        follower.requestSubmit();
      },
      { capture: true },
    );
  }
}
