// Panes of the workbench: splitters on wide screens, tabs on phones.

import { BOUNDS, clamp, load, move, properties, save, USUAL } from "../lib/pane.js";
import { browserStorage } from "../lib/storage.js";

export function mountPanes(element) {
  for (const splitter of element.querySelectorAll("[role=separator]")) mountSplitter(splitter);
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

/** Let `splitter`, which is named by data-splits, move by pointer and keyboard. Sizes are remembered. */
function mountSplitter(splitter) {
  const name = splitter.dataset.splits;
  const vertical = splitter.getAttribute("aria-orientation") === "horizontal";
  const place = (position, { remember }) => {
    const positions = { ...load(browserStorage()), [name]: Math.round(position * 10) / 10 };
    splitter.setAttribute("aria-valuenow", String(Math.round(position)));
    const properly = Object.entries(properties(positions));
    for (const [property, value] of properly) document.documentElement.style.setProperty(property, value);
    if (remember) save(browserStorage(), positions);
  };
  const at = (event) => {
    const box = splitter.parentElement.getBoundingClientRect();
    const position = vertical ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
    return clamp(position * 100);
  };
  place(load(browserStorage())[name], { remember: false });
  splitter.addEventListener("keydown", (event) => {
    const position = move(Number(splitter.getAttribute("aria-valuenow")), event.key, { ...BOUNDS, vertical });
    if (position === null) return;
    event.preventDefault();
    place(position, { remember: true });
  });
  splitter.addEventListener("dblclick", () => place(USUAL[name], { remember: true }));
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    splitter.dataset.dragging = "";
  });
  splitter.addEventListener("pointermove", (event) => {
    if (splitter.hasPointerCapture(event.pointerId)) place(at(event), { remember: true });
  });
  splitter.addEventListener("lostpointercapture", () => delete splitter.dataset.dragging);
}
