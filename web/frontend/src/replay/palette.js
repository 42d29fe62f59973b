// The colours of the page for canvases, which cannot read custom properties.

const NAMES = {
  paper: "--surface",
  empty: "--inset",
  line: "--line",
  strong: "--line-strong",
  ink: "--ink",
  muted: "--ink-2",
  read: "--replay-read",
  write: "--replay-write",
  atomic: "--replay-atomic",
  barrier: "--replay-barrier",
  branch: "--replay-branch",
  waste: "--replay-waste",
  race: "--replay-race",
};

/** The colours as red, green and blue from 0 to 255, each with its text for canvases. */
export function readPalette(element) {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const palette = {};
  for (const [name, property] of Object.entries(NAMES)) {
    probe.style.setProperty("color", `var(${property})`);
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    palette[name] = { rgb: [red, green, blue], text: `rgb(${red} ${green} ${blue})` };
  }
  probe.remove();
  return palette;
}

/** A colour between two: `share` of the second. */
export function between(one, other, share) {
  return one.map((value, i) => Math.round(value + (other[i] - value) * share));
}

/** Calls `changed` whenever the scheme of colours changes. */
export function onScheme(changed) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}
