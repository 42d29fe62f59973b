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
  document.addEventListener("click", (event) => {
    if (!element.contains(event.target)) element.open = false;
  });
}
