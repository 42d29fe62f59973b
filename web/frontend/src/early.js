// Runs before the first paint of a problem page, so that panes and editor appear as they were left.
// A classic script: it blocks rendering, which is why it is so small.

import { load, properties } from "./lib/pane.js";
import { load as loadPreferences } from "./lib/preferences.js";
import { browserStorage } from "./lib/storage.js";

const told = { ...properties(load(browserStorage())), "--editor-size": `${loadPreferences(browserStorage()).size}px` };
for (const [name, value] of Object.entries(told)) document.documentElement.style.setProperty(name, value);
