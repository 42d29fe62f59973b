// Hands the program in; the console then shows what the server answers.

import { announce } from "../lib/announce.js";
import { Once } from "../lib/once.js";
import { showPane } from "./panes.js";

const intentions = new WeakMap();

/** Send the program of `form` to be judged, as "run" or "submit". */
export async function hand(element, form, mode) {
  const buttons = form.querySelectorAll("button[name=mode]");
  if (!buttons.length) {
    refuse(element, "Sign in to run or submit. Your draft is kept in this browser.");
    return;
  }
  if (buttons[0].disabled || !acceptable(element, form, mode)) return;
  const body = new FormData(form);
  body.set("mode", mode);
  if (body.get("cases") !== "own") for (const name of ["seed", ...valuesIn(body)]) body.delete(name);
  const once = intentionsOf(element, form);
  body.set("key", once.keyFor(programOf(body), performance.now()));
  for (const button of buttons) button.disabled = true;
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
    if (!response.ok) once.refused();
    await showAnswer(element, response);
  } catch {
    refuse(element, "The site can't be reached. Your draft is kept in this browser. Try again.");
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function intentionsOf(element, form) {
  if (!intentions.has(form)) {
    const once = new Once(form.elements.key.value);
    element.addEventListener("warpcourt:judged", () => once.judged());
    intentions.set(form, once);
  }
  return intentions.get(form);
}

function valuesIn(body) {
  return [...body.keys()].filter((name) => name.startsWith("values_"));
}

function programOf(body) {
  return JSON.stringify([...body].filter(([name]) => name !== "key" && name !== "csrfmiddlewaretoken"));
}

/** What the report in the console says about lines of the program. */
export function findings(element) {
  return [...element.querySelectorAll("[data-finding-line]")].map((finding) => ({
    line: Number(finding.dataset.findingLine),
    severity: finding.dataset.severity === "note" ? "info" : finding.dataset.severity,
    message: finding.querySelector(".text").textContent,
  }));
}

// Sizes and seed count for runs on them only; the browser says what is wrong with which.
function acceptable(element, form, mode) {
  if (mode !== "run" || form.elements.cases.value !== "own" || form.checkValidity()) return true;
  showPane(element, "result");
  return form.reportValidity();
}

async function showAnswer(element, response) {
  const type = response.headers.get("content-type") ?? "";
  if (response.redirected) {
    location.assign(response.url);
    return;
  }
  if (!type.startsWith("text/html") || response.status >= 500) {
    refuse(element, "The site could not accept the submission. Try again in a moment.");
    return;
  }
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const answer = parsed.querySelector("[data-answer]");
  if (!answer) {
    refuse(element, "The site rejected the request. Reload the page. Your draft is kept in this browser.");
    return;
  }
  const body = element.querySelector("[data-console]");
  body.replaceChildren(answer);
  body.scrollTop = 0;
  announce(response.ok ? "Judging" : answer.textContent);
  showPane(element, "result");
  answer.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
  // The server knew the program and has its report already.
  if (answer.matches(".report")) answer.dispatchEvent(new CustomEvent("warpcourt:judged", { bubbles: true }));
}

function refuse(element, message) {
  const note = document.createElement("p");
  note.className = "notice tone-bad";
  note.textContent = message;
  element.querySelector("[data-console]").replaceChildren(note);
  announce(message);
  showPane(element, "result");
}
