// The dialog in which a visitor says how the editor is to be.

import { load, sane, save } from "../lib/preferences.js";
import { browserStorage } from "../lib/storage.js";

/** What was chosen in this browser. */
export function preferences() {
  return load(browserStorage());
}

/** Let the form of `dialog` change the preferences; `apply` gets them at once. */
export function mountSettings(dialog, apply) {
  const form = dialog.querySelector("form[data-settings]");
  const { size, tab, vim, wrap } = form.elements;
  const show = (chosen) => {
    size.value = String(chosen.size);
    tab.value = String(chosen.tab);
    vim.checked = chosen.vim;
    wrap.checked = chosen.wrap;
  };
  show(preferences());
  dialog.addEventListener("warpcourt:opening", () => show(preferences()));
  form.addEventListener("change", () => {
    const chosen = sane({ size: Number(size.value), tab: Number(tab.value), vim: vim.checked, wrap: wrap.checked });
    save(browserStorage(), chosen);
    document.documentElement.style.setProperty("--editor-size", `${chosen.size}px`);
    apply(chosen);
  });
}
