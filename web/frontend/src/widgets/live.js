// A part of a page that htmx asks for anew every few seconds. It is left alone while nobody looks at it, and
// while somebody has a menu of it open or has marked text in it; what was unfolded stays unfolded.

export function mount(element) {
  let unfolded = [];
  element.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target === element && !mayChange(element)) event.preventDefault();
  });
  element.addEventListener("htmx:beforeSwap", () => {
    unfolded = [...element.querySelectorAll("details[open][id]")].map((details) => details.id);
  });
  element.addEventListener("htmx:afterSwap", () => {
    for (const id of unfolded) {
      const details = document.getElementById(id);
      if (details) details.open = true;
    }
  });
}

/** Whether replacing what is inside `element` takes nothing away from whoever looks at it. */
export function mayChange(element) {
  const marked = getSelection();
  const marks = marked && !marked.isCollapsed && element.contains(marked.anchorNode);
  return !document.hidden && !marks && !element.querySelector(".menu[open]");
}
