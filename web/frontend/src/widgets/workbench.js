// The page of a problem: editor, drafts, running and submitting, panes, keys.

import { announce } from "../lib/announce.js";
import { mountDialogs } from "./dialogs.js";
import { mountDrafting } from "./drafting.js";
import { mountFormatting } from "./formatting.js";
import { mountKeys } from "./keys.js";
import { mountNote } from "./note.js";
import { mountPanes, showPane } from "./panes.js";
import { findings, hand } from "./running.js";
import { mountSettings, preferences } from "./settings.js";
import { mountValues } from "./values.js";

export async function mount(element) {
  const form = element.querySelector("form#program");
  const textarea = form.elements.source;
  const shown = textarea.value;
  const language = () => form.elements.language.value;
  const [onRun, onSubmit] = [() => hand(element, form, "run"), () => hand(element, form, "submit")];
  let editor = null;
  const formatting = mountFormatting(element, () => editor.format());
  mountPanes(element);
  mountDialogs(element);
  mountValues(element, form);

  const drafting = mountDrafting(element, {
    starters: JSON.parse(document.getElementById("starters").textContent),
    token: () => form.elements.csrfmiddlewaretoken.value,
    show(source) {
      textarea.value = source;
      editor?.replace(source);
    },
  });
  const [{ createEditor }, source] = await Promise.all([import("../editor/index.js"), drafting.begin(language(), served(element, textarea))]);
  textarea.value = source;
  editor = await createEditor(textarea, {
    language: language(),
    nonce: element.dataset.nonce,
    preferences: preferences(),
    onRun,
    onSubmit,
    onChange(text) {
      formatting.forget();
      drafting.edit(text);
    },
    onLeaving: (ready) => showWayOut(element, ready),
  });
  const note = mountNote(element);
  const actions = {
    run: onRun,
    submit: onSubmit,
    save: drafting.save,
    format: formatting.start,
    zoom: () => toggleZoom(element),
    bookmark: note.toggle,
    notes() {
      showPane(element, "statement");
      note.open();
    },
    next: () => element.querySelector("[data-go=next]")?.click(),
    previous: () => element.querySelector("[data-go=previous]")?.click(),
  };
  mountKeys(element, actions);
  for (const button of element.querySelectorAll("[data-does]")) {
    button.hidden = false;
    button.addEventListener("click", actions[button.dataset.does]);
  }
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement) zoom(element, false);
  });
  document.querySelector("[data-skip-to-editor]")?.addEventListener("click", (event) => {
    event.preventDefault();
    showPane(element, "code");
    editor.focus();
  });
  mountSettings(document.getElementById("settings"), editor.prefer);

  let repeated = false; // the second click of a double click means the first
  form.addEventListener("click", (event) => (repeated = event.detail > 1), true);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (repeated) return;
    hand(element, form, event.submitter?.value ?? "run");
  });
  element.addEventListener("click", async (event) => {
    const target = event.target.closest("[data-switch-to], [data-line]");
    if (!target) return;
    event.preventDefault();
    if (target.dataset.line) {
      showPane(element, "code");
      editor.jump(Number(target.dataset.line));
    } else if (target.dataset.switchTo !== language()) {
      showLanguage(element, form, target.dataset.switchTo);
      const next = await drafting.begin(language());
      await editor.speak(language());
      textarea.value = next;
      editor.replace(next);
    }
  });
  element.addEventListener("warpcourt:judged", () => {
    editor.mark(findings(element));
    if (element.querySelector("[data-solves]")) showSolved(element);
  });
  // The server's latest report is about this text, unless the browser had a later draft.
  if (!element.querySelector("[data-outdated]") && source === shown) editor.mark(findings(element));
  element.dataset.ready = "";
}

// The editor alone on the screen. A browser that allows no full screen still hides the rest.
function toggleZoom(element) {
  const on = element.dataset.zoom === undefined;
  zoom(element, on);
  if (on) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
}

function zoom(element, on) {
  if (on) element.dataset.zoom = "";
  else delete element.dataset.zoom;
  document.body.classList.toggle("zoomed", on);
  element.querySelector("[data-does=zoom]").setAttribute("aria-pressed", String(on));
}

// What the server had when it made the page: the draft at a revision, or the starter at none.
function served({ dataset }, textarea) {
  const revision = Number(dataset.revision);
  return { revision, source: revision ? textarea.value : null, saved: dataset.saved || null };
}

// The first accepted submission opens the editorial and the discussion; the page has both ready.
function showSolved(element) {
  for (const part of element.querySelectorAll("[data-once-solved]")) part.hidden = false;
}

function showLanguage(element, form, language) {
  form.elements.language.value = language;
  for (const link of element.querySelectorAll("[data-switch-to]")) {
    if (link.dataset.switchTo === language) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const url = new URL(location.href);
  url.searchParams.set("language", language);
  history.replaceState(null, "", url);
  for (const command of element.querySelectorAll("[data-command]")) {
    command.textContent = command.getAttribute(`data-command-${language}`);
  }
}

function showWayOut(element, ready) {
  const note = element.querySelector("[data-way-out]");
  if (note.hidden === !ready) return;
  note.hidden = !ready;
  if (ready) announce(note.textContent);
}
