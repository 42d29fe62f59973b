// Follows one judgement by server-sent events, then shows the report that the server renders.

import { announce, announceInTurn } from "../lib/announce.js";
import { follow } from "../lib/following.js";
import { advance, KINDS, patience, QUEUE, spoken, START } from "../lib/progress.js";

const CONNECTION = {
  live: "",
  lost: "Connection lost. Reconnecting…",
  polling: "Live updates are unavailable. Checking every 3 s instead.",
};

export function mount(element) {
  const view = (name) => element.querySelector(`[data-${name}]`);
  const limits = { compile: Number(element.dataset.compileS), case: Number(element.dataset.caseS) };
  const started = performance.now();
  let since = started;
  let state = { ...START, stage: view("stage").textContent, detail: view("detail").textContent };
  let connection = "live";

  const show = () => {
    view("stage").textContent = state.stage;
    const detail = state.detail || patience(state.kind, (performance.now() - since) / 1000, limits);
    view("detail").textContent = detail;
    view("detail").hidden = !detail;
  };
  const ticking = setInterval(() => {
    if (!element.isConnected) stop();
    view("clock").textContent = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    show();
  }, 100);
  const end = follow(element.dataset.events, {
    kinds: [...KINDS, QUEUE],
    hear(kind, data, sequence) {
      const next = advance(state, { ...data, kind, sequence });
      if (next.kind !== state.kind || next.stage !== state.stage) since = performance.now();
      announceInTurn(spoken(state, next));
      state = next;
      show();
      showLanes(view("lanes"), state.lanes);
      if (!state.finished) return !element.isConnected;
      replace();
      return true;
    },
    tell(how) {
      if (how === connection) return;
      announce(how === "live" ? "Reconnected." : CONNECTION[how]);
      connection = how;
      view("connection").textContent = CONNECTION[how];
      view("connection").hidden = !CONNECTION[how];
    },
    async poll() {
      if (!element.isConnected) return true;
      const answer = await fetchAnswer(element.dataset.report);
      if (answer?.matches(".report")) return finish(answer);
      const stage = answer?.querySelector("[data-stage]")?.textContent;
      if (stage) {
        state = { ...state, stage, detail: answer.querySelector("[data-detail]").textContent };
        show();
      }
      return false;
    },
  });
  const stop = () => {
    clearInterval(ticking);
    end();
  };
  const finish = (report) => {
    stop();
    replaceBy(element, report);
    return true;
  };
  // The verdict is in; a report that does not load is asked for until it does.
  const replace = async () => {
    const answer = await fetchAnswer(element.dataset.report);
    if (answer?.matches(".report")) finish(answer);
    else if (element.isConnected) setTimeout(replace, 2000);
  };
  mountCancel(element, view("cancel"));
}

function showLanes(place, lanes) {
  place.replaceChildren(
    ...lanes.map((lane) => {
      const node = document.createElement("span");
      node.className = { done: "lane tone-done", running: "lane tone-live", waiting: "lane waiting" }[lane];
      return node;
    }),
  );
}

function mountCancel(element, button) {
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "Cancelling…";
    const token = document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
    const headers = { "X-CSRFToken": token, "HX-Request": "true" };
    const response = await fetch(button.dataset.cancel, { method: "POST", headers }).catch(() => null);
    if (response?.ok || !element.isConnected) return;
    button.disabled = false;
    button.textContent = "Cancel";
    announce("The submission could not be cancelled. Try again.");
  });
}

async function fetchAnswer(url) {
  const response = await fetch(url, { headers: { "X-Requested-With": "fetch" } }).catch(() => null);
  if (!response?.ok) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild;
}

function replaceBy(element, report) {
  report.classList.add("fresh");
  element.replaceWith(report);
  announce(report.querySelector("[data-announce]")?.textContent ?? "Judged");
  report.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
  report.dispatchEvent(new CustomEvent("warpcourt:judged", { bubbles: true }));
}
