// The button that switches between the system's scheme, light and dark.

import { cookie, next } from "../lib/theme.js";

export function mount(element) {
  const root = document.documentElement;
  const show = (scheme) => {
    element.dataset.scheme = scheme;
    const name = scheme === "system" ? "system" : scheme;
    element.setAttribute("aria-label", `Theme: ${name}`);
    element.title = `Theme: ${name}`;
    for (const icon of element.querySelectorAll("[data-scheme]")) {
      icon.toggleAttribute("hidden", icon.dataset.scheme !== scheme);
    }
  };
  element.hidden = false;
  show(root.dataset.theme ?? "system");
  element.addEventListener("click", () => {
    const scheme = next(root.dataset.theme ?? "system");
    document.cookie = cookie(scheme, { secure: location.protocol === "https:" });
    if (scheme === "system") delete root.dataset.theme;
    else root.dataset.theme = scheme;
    show(scheme);
  });
}
