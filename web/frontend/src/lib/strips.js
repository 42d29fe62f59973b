// Where a row that scrolls sideways stands.

const ROUNDING_PX = 1;

/** The sides on which there is more: "", "start", "end" or both. */
export function beyond({ scrollLeft, clientWidth, scrollWidth }) {
  const sides = [];
  if (scrollLeft > ROUNDING_PX) sides.push("start");
  if (scrollLeft + clientWidth < scrollWidth - ROUNDING_PX) sides.push("end");
  return sides.join(" ");
}

/** How far `row` must be scrolled to have `item`, which is laid out inside it, in its middle. */
export function centred(item, row) {
  return item.offsetLeft - (row.clientWidth - item.offsetWidth) / 2;
}
