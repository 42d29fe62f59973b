// A <details> menu that closes on Escape, on a click outside and when focus leaves.

export function mount(element) {
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    element.querySelector("summary").focus();
  });
  element.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !element.contains(event.relatedTarget)) element.open = false;
  });
}

// One listener for all menus: those of parts that are replaced every few seconds come and go.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-widget=menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
