// Arithmetic and memory of the resizable panes. Positions are per cent of the container.

export const STEP = 4;
export const BOUNDS = { min: 20, max: 75 };
/** The splitters, and where they are at first. */
export const USUAL = { split: 44, rows: 58 };
const KEY = "warpcourt:panes";

/** `position` kept within the pane's bounds. */
export function clamp(position, { min, max } = BOUNDS) {
  return Math.min(max, Math.max(min, position));
}

/** The position after `key`, or null when the key means nothing to a splitter. */
export function move(position, key, { min, max, vertical }) {
  const [less, more] = vertical ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  const target = { [less]: position - STEP, [more]: position + STEP, Home: min, End: max }[key];
  return target === undefined ? null : clamp(target, { min, max });
}

/** Where the splitters were left. */
export function load(storage) {
  try {
    const told = JSON.parse(storage.getItem(KEY));
    const at = (name) => (Number.isFinite(told?.[name]) ? clamp(told[name]) : USUAL[name]);
    return { split: at("split"), rows: at("rows") };
  } catch {
    return { ...USUAL };
  }
}

/** Remember where the splitters are. */
export function save(storage, positions) {
  try {
    storage.setItem(KEY, JSON.stringify(positions));
  } catch {
    // Switched off: they stay until the page is left.
  }
}

/** The custom properties that place the panes. */
export function properties({ split, rows }) {
  return { "--split": `${split}%`, "--console": `${100 - rows}%` };
}
