// The page of a problem: editor, drafts, running and submitting, panes.

import { announce } from "../lib/announce.js";
import * as drafts from "../lib/drafts.js";
import { mountPanes, showPane } from "./panes.js";

export async function mount(element) {
  const form = element.querySelector("form");
  const textarea = form.elements.source;
  const starters = JSON.parse(document.getElementById("starters").textContent);
  const { problem } = element.dataset;
  const language = () => form.elements.language.value;
  mountPanes(element);

  const { createEditor } = await import("../editor/index.js");
  textarea.value = drafts.load(localStorage, problem, language()) ?? textarea.value;
  const editor = createEditor(textarea, {
    language: language(),
    nonce: element.dataset.nonce,
    onRun: () => hand(element, form, "run"),
    onSubmit: () => hand(element, form, "submit"),
    onChange: (source) => drafts.save(localStorage, problem, language(), source, starters[language()]),
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    hand(element, form, event.submitter?.value ?? "run");
  });
  element.addEventListener("click", (event) => {
    const target = event.target.closest("[data-switch-to], [data-reset], [data-line]");
    if (!target) return;
    if (target.dataset.line) {
      event.preventDefault();
      showPane(element, "code");
      editor.jump(Number(target.dataset.line));
    } else if ("reset" in target.dataset) reset(editor, starters[language()]);
    else {
      event.preventDefault();
      switchLanguage(element, form, target.dataset.switchTo);
      editor.replace(drafts.load(localStorage, problem, language()) ?? starters[language()], language());
    }
  });
  element.addEventListener("warpcourt:judged", () => editor.mark(findings(element)));
  element.dataset.ready = "";
}

function reset(editor, starter) {
  if (!confirm("Replace your program by the starter?")) return;
  editor.replace(starter);
  editor.focus();
}

function switchLanguage(element, form, language) {
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

/** Send the program; the console then shows what the server answers. */
async function hand(element, form, mode) {
  const buttons = form.querySelectorAll("button[name=mode]");
  if (!buttons.length) {
    refuse(element, "Sign in to have it judged. Your program is kept in this browser.");
    return;
  }
  if (buttons[0].disabled) return;
  const body = new FormData(form);
  body.set("mode", mode);
  for (const button of buttons) button.disabled = true;
  try {
    await showAnswer(element, await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } }));
  } catch {
    refuse(element, "The site cannot be reached. Your program is kept in this browser; try again.");
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

async function showAnswer(element, response) {
  const type = response.headers.get("content-type") ?? "";
  if (response.redirected) {
    location.assign(response.url);
    return;
  }
  if (!type.startsWith("text/html") || response.status >= 500) {
    refuse(element, "The site could not take the program. Try again in a moment.");
    return;
  }
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const answer = parsed.querySelector("[data-answer]");
  if (!answer) {
    refuse(element, "The site refused the program. Reload the page; your program is kept in this browser.");
    return;
  }
  const body = element.querySelector("[data-console]");
  body.replaceChildren(answer);
  body.scrollTop = 0;
  announce(response.ok ? "Judging" : answer.textContent);
  showPane(element, "result");
  answer.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
}

function refuse(element, message) {
  const note = document.createElement("p");
  note.className = "notice tone-bad";
  note.textContent = message;
  element.querySelector("[data-console]").replaceChildren(note);
  announce(message);
  showPane(element, "result");
}

function findings(element) {
  return [...element.querySelectorAll(".finding[data-finding-line]")].map((finding) => ({
    line: Number(finding.dataset.findingLine),
    severity: finding.dataset.severity === "note" ? "info" : finding.dataset.severity,
    message: finding.querySelector(".text").textContent,
  }));
}
