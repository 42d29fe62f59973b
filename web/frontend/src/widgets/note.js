// The private note about a problem, which saves itself, and its bookmark.

import { announce } from "../lib/announce.js";

const PAUSE_MS = 1200;

/** Mounts both inside `element`. Returns {open(), toggle()}: the note, the bookmark. */
export function mountNote(element) {
  const note = element.querySelector("[data-note]");
  const bookmark = element.querySelector("[data-bookmark]");
  if (note) mountText(note);
  bookmark?.addEventListener("submit", (event) => {
    event.preventDefault();
    toggle(bookmark);
  });
  return {
    open() {
      if (!note) return;
      note.closest("details").open = true;
      note.elements.text.focus();
    },
    toggle: () => bookmark && toggle(bookmark),
  };
}

async function toggle(form) {
  const button = form.elements.bookmarked;
  const body = new FormData(form);
  const wanted = button.value;
  body.set("bookmarked", wanted);
  const response = await post(form, body);
  if (!response?.ok || response.redirected) {
    announce("The bookmark could not be saved. Reload the page and try again.");
    return;
  }
  button.value = wanted === "yes" ? "no" : "yes";
  button.setAttribute("aria-pressed", String(wanted === "yes"));
  announce(wanted === "yes" ? "Bookmarked" : "Bookmark removed");
}

function mountText(form) {
  const { text, expected } = form.elements;
  const status = form.querySelector("[data-note-status]");
  let timer = null;
  let saved = text.value;
  let sending = null;

  async function save() {
    clearTimeout(timer);
    await sending;
    if (text.value === saved) return;
    const sent = text.value;
    sending = send(sent);
    await sending;
    sending = null;
    if (text.value !== sent) later();
  }

  async function send(sent) {
    const response = await post(form, new FormData(form));
    const told = response && !response.redirected ? await response.json().catch(() => null) : null;
    if (!response?.ok || !told) {
      status.textContent = told?.error ?? "Not saved. Reload the page and try again.";
      announce(status.textContent);
      return;
    }
    expected.value = told.revision;
    saved = sent;
    // The server strips empty lines at both ends; any other difference comes from another window.
    const merged = told.text !== sent.replace(/^\n+|\n+$/g, "");
    if (merged && text.value === sent) saved = text.value = told.text;
    status.textContent = merged ? "Saved. The note also has what another window saved" : "Saved";
  }

  function later() {
    status.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE_MS);
  }

  text.addEventListener("input", later);
  text.addEventListener("blur", save);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await save();
    if (text.value === saved) announce((status.textContent = "Saved"));
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") save();
  });
}

async function post(form, body) {
  return fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true }).catch(() => null);
}
