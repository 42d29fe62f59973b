// Panes of the workbench: splitters on wide screens, tabs on phones.

import { clamp, move } from "../lib/pane.js";

const BOUNDS = { min: 20, max: 75 };

export function mountPanes(element) {
  for (const splitter of element.querySelectorAll("[role=separator]")) mountSplitter(element, splitter);
  for (const tab of element.querySelectorAll("[data-show]")) {
    tab.addEventListener("click", () => showPane(element, tab.dataset.show));
  }
  showPane(element, element.dataset.pane);
}

/** Bring a pane forward on a phone: `statement`, `code` or `result`. Wide screens show all. */
export function showPane(element, name) {
  element.dataset.pane = name;
  for (const tab of element.querySelectorAll("[data-show]")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.show === name));
  }
}

function mountSplitter(element, splitter) {
  const vertical = splitter.getAttribute("aria-orientation") === "horizontal";
  const property = splitter.dataset.property;
  const place = (position) => {
    splitter.setAttribute("aria-valuenow", String(Math.round(position)));
    element.style.setProperty(property, vertical ? `${100 - position}%` : `${position}%`);
  };
  splitter.addEventListener("keydown", (event) => {
    const position = move(Number(splitter.getAttribute("aria-valuenow")), event.key, { ...BOUNDS, vertical });
    if (position === null) return;
    event.preventDefault();
    place(position);
  });
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    splitter.dataset.dragging = "";
  });
  splitter.addEventListener("pointermove", (event) => {
    if (!splitter.hasPointerCapture(event.pointerId)) return;
    const box = splitter.parentElement.getBoundingClientRect();
    const position = vertical ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
    place(clamp(position * 100, BOUNDS));
  });
  splitter.addEventListener("lostpointercapture", () => delete splitter.dataset.dragging);
}
