// Mounts the widgets of a page. An element names its widget: data-widget="verdict".

import { localise } from "./lib/moments.js";
import * as menu from "./widgets/menu.js";
import { mountPalette } from "./widgets/palettekey.js";
import * as theme from "./widgets/theme.js";

const WIDGETS = {
  assembly: () => import("./widgets/assembly.js"),
  autosave: () => import("./widgets/autosave.js"),
  copy: () => import("./widgets/copy.js"),
  countdown: () => import("./widgets/countdown.js"),
  filters: () => import("./widgets/filters.js"),
  livepreview: () => import("./widgets/livepreview.js"),
  live: () => import("./widgets/live.js"),
  menu: async () => menu,
  overflow: () => import("./widgets/overflow.js"),
  passkey: () => import("./widgets/passkey.js"),
  permalink: () => import("./widgets/permalink.js"),
  preview: () => import("./widgets/preview.js"),
  replay: () => import("./widgets/replay.js"),
  rows: () => import("./widgets/rows.js"),
  source: () => import("./widgets/source.js"),
  strip: () => import("./widgets/strip.js"),
  tabs: () => import("./widgets/tabs.js"),
  theme: async () => theme,
  verdict: () => import("./widgets/verdict.js"),
  workbench: () => import("./widgets/workbench.js"),
};

/** Mount every widget inside `root` that is not mounted yet. */
export async function mountAll(root) {
  localise(root);
  const elements = [...root.querySelectorAll("[data-widget]:not([data-mounted])")];
  await Promise.all(
    elements.map(async (element) => {
      element.dataset.mounted = "begun";
      const widget = await WIDGETS[element.dataset.widget]();
      widget.mount(element);
      element.dataset.mounted = "done";
    }),
  );
}

mountAll(document);
mountPalette();
// What was put into the page may be a widget itself, so its parent is searched.
document.addEventListener("warpcourt:inserted", (event) => mountAll(event.target.parentElement));
document.addEventListener("htmx:afterSwap", () => mountAll(document));
