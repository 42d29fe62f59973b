// Arithmetic of the resizable panes. Positions are per cent of the container.

export const STEP = 4;

/** `position` kept within the pane's bounds. */
export function clamp(position, { min, max }) {
  return Math.min(max, Math.max(min, position));
}

/** The position after `key`, or null when the key means nothing to a splitter. */
export function move(position, key, { min, max, vertical }) {
  const [less, more] = vertical ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  const target = { [less]: position - STEP, [more]: position + STEP, Home: min, End: max }[key];
  return target === undefined ? null : clamp(target, { min, max });
}
