// The page of a problem: editor, drafts, running and submitting, panes, keys.

import { announce } from "../lib/announce.js";
import { mountDialogs } from "./dialogs.js";
import { mountDrafting } from "./drafting.js";
import { mountKeys } from "./keys.js";
import { mountPanes, showPane } from "./panes.js";
import { findings, hand } from "./running.js";
import { mountSettings, preferences } from "./settings.js";

export async function mount(element) {
  const form = element.querySelector("form");
  const textarea = form.elements.source;
  const language = () => form.elements.language.value;
  const [onRun, onSubmit] = [() => hand(element, form, "run"), () => hand(element, form, "submit")];
  let editor = null;
  mountPanes(element);
  mountDialogs(element);

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
    onChange: drafting.edit,
    onLeaving: (ready) => showWayOut(element, ready),
  });
  mountKeys(element, { onRun, onSubmit });
  mountSettings(document.getElementById("settings"), editor.prefer);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
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
  element.dataset.ready = "";
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
