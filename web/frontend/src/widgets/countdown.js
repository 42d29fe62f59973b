// The time that is left for a quiz: data-left-s has the seconds when the server rendered the page.

import { remaining } from "../lib/moments.js";

export function mount(element) {
  const due = Date.now() + Number(element.dataset.leftS) * 1000; // the clock of the browser may be wrong
  const show = () => {
    const text = ` (${remaining(due - Date.now())})`;
    if (element.textContent !== text) element.textContent = text;
  };
  show();
  setInterval(show, 1000);
}
