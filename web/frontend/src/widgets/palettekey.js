// Ctrl+K on every page, and the button that says so.

import { isMac } from "../lib/keys.js";
import { open } from "./palette.js";

export function mountPalette() {
  const button = document.querySelector("[data-palette]");
  if (!button) return;
  button.hidden = false;
  if (isMac(navigator.userAgentData?.platform ?? navigator.platform)) button.querySelector("[data-mod]").textContent = "⌘";
  button.addEventListener("click", () => open(button.dataset.palette));
  document.addEventListener("keydown", (event) => {
    const asked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    if (!asked || event.defaultPrevented) return;
    event.preventDefault();
    open(button.dataset.palette);
  });
}
