// Follows one judgement by server-sent events, then shows the report that the server renders.

import { announce } from "../lib/announce.js";
import { advance, KINDS, START } from "../lib/progress.js";

export function mount(element) {
  const view = {
    stage: element.querySelector("[data-stage]"),
    clock: element.querySelector("[data-clock]"),
    lanes: element.querySelector("[data-lanes]"),
  };
  const started = performance.now();
  const ticking = setInterval(() => {
    if (!element.isConnected) stop();
    view.clock.textContent = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  }, 100);
  const source = new EventSource(element.dataset.events);
  let state = START;

  const stop = () => {
    clearInterval(ticking);
    source.close();
  };
  const receive = (message) => {
    if (!element.isConnected) return stop();
    state = advance(state, { ...JSON.parse(message.data), sequence: Number(message.lastEventId) });
    show(view, state);
    if (!state.finished) return undefined;
    stop();
    return replaceByReport(element);
  };
  for (const kind of KINDS) source.addEventListener(kind, receive);
  // The browser reconnects by itself and resumes with Last-Event-ID; a closed source is a refusal.
  source.addEventListener("error", () => {
    if (!element.isConnected) stop();
    else if (source.readyState === EventSource.CLOSED) {
      stop();
      replaceByReport(element);
    } else view.stage.textContent = "Connection lost; trying again";
  });
}

function show(view, state) {
  view.stage.textContent = state.stage;
  view.lanes.replaceChildren(
    ...state.lanes.map((lane) => {
      const node = document.createElement("span");
      node.className = { done: "lane tone-done", running: "lane tone-live", waiting: "lane waiting" }[lane];
      return node;
    }),
  );
}

async function replaceByReport(element) {
  const response = await fetch(element.dataset.report, { headers: { "X-Requested-With": "fetch" } }).catch(() => null);
  if (!response?.ok) {
    element.querySelector("[data-stage]").textContent = "The report could not be loaded. Reload the page.";
    return;
  }
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const report = parsed.body.firstElementChild;
  element.replaceWith(report);
  announce(report.querySelector("[data-announce]")?.textContent ?? "Judged");
  report.dispatchEvent(new CustomEvent("warpcourt:inserted", { bubbles: true }));
  report.dispatchEvent(new CustomEvent("warpcourt:judged", { bubbles: true }));
}
