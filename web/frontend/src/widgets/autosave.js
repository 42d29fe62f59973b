// A form that saves itself a little after each change. Without this its button does.

import { announce } from "../lib/announce.js";
import { refresh } from "../lib/refreshing.js";
import { poster, Saving } from "../lib/saving.js";

const STATUS = {
  unsaved: "Not saved yet",
  saved: "Saved",
  refused: "Not saved",
  unreachable: "Not saved. The site can't be reached. Retrying…",
  "signed-out": "Not saved. You are signed out or no longer have edit access. Sign in in another window, then save here.",
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
    tell: ({ kind, reason, by }) => {
      const text = sentence(kind, reason, by);
      if (TROUBLE.has(kind) && status.textContent !== text) announce(text);
      status.textContent = text;
      status.dataset.kind = kind;
      compare.hidden = kind !== "conflict";
      if (kind === "saved") refresh();
    },
  });
  forms.add(saving);
  form.addEventListener("input", () => saving.changed());
  form.addEventListener("change", () => saving.changed());
  form.addEventListener("submit", (event) => {
    if (status.dataset.kind !== "signed-out") return saving.stop();
    event.preventDefault(); // the page that signs in would be all that is left of the text
    renewToken(form);
    saving.again();
  });
  addEventListener("online", () => saving.flush());
  addEventListener("pagehide", () => saving.flush({ last: true }));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") saving.flush({ last: true });
  });
  mountLeaving();
}

// Whoever signed in again has another token.
function renewToken(form) {
  const token = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  if (token) form.elements.namedItem("csrfmiddlewaretoken").value = token;
}

function sentence(kind, reason, by) {
  if (kind === "refused" && reason) return `${STATUS.refused}: ${reason}`;
  if (kind !== "conflict") return STATUS[kind];
  const who = by === "you" ? "You saved this in another window" : `${by || "Another user"} saved this`;
  return `${who} in the meantime.`;
}

// Every form of the page was made from the same revision, so all of them go on from the new one.
function adopt(form, revision, values) {
  for (const other of document.querySelectorAll("input[name=expected]")) other.value = revision;
  for (const [name, value] of Object.entries(values ?? {})) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
}

// What leads away, or needs what the forms say, waits until that is saved: the next page shows it then. What the
// server does not take would be lost, so the browser asks first.
function mountLeaving() {
  if (forms.size > 1) return;
  let ready = false;
  const wait = async (event, goOn) => {
    if (ready || event.defaultPrevented || ![...forms].some((saving) => saving.dirty || saving.sending)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const saved = await Promise.all([...forms].map((saving) => saving.flush()));
    // A preview draws what is saved, and nothing else.
    if (event.target.matches("[data-after-save]") && !saved.every(Boolean)) return;
    ready = true;
    goOn();
    ready = false;
  };
  const own = (form) => form.dataset.widget === "autosave";
  document.addEventListener("submit", (event) => own(event.target) || wait(event, () => event.target.requestSubmit(event.submitter)), true);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link && leads(link, event)) wait(event, () => location.assign(link.href));
  }, true);
  addEventListener("beforeunload", (event) => {
    if ([...forms].some((saving) => saving.losing)) event.preventDefault();
  });
}

// Whether a click puts another page in the place of this one.
function leads(link, event) {
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const here = link.hash && link.href.split("#")[0] === location.href.split("#")[0];
  return plain && !here && !link.target && !link.download && link.origin === location.origin;
}
