// A row of links that may be wider than the page: shows the current one, and on which sides there are more.

import { beyond, centred } from "../lib/strips.js";

export function mount(element) {
  const current = element.querySelector("[aria-current]");
  if (current) element.scrollLeft = centred(current, element);
  const mark = () => (element.dataset.more = beyond(element));
  element.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(element);
  new MutationObserver(mark).observe(element, { subtree: true, attributeFilter: ["hidden"] });
}
