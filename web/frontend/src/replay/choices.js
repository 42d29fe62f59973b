// The choices of a launch and of a block among those that were recorded.

function option(value, text) {
  return Object.assign(document.createElement("option"), { value, textContent: text });
}

/** Fills `select` with the launches of `blocks`. */
export function fillLaunches(select, launches, blocks) {
  const recorded = [...new Set(blocks.map(({ launch }) => launch))];
  const text = (at) => `${at + 1}: ${launches[at].kernel}<<<${launches[at].grid.join("×")}, ${launches[at].block.join("×")}>>>`;
  select.replaceChildren(...recorded.map((at) => option(at, text(at))));
  select.disabled = recorded.length < 2;
}

/** Fills `select` with the blocks of a launch, with their indices if the grid has several dimensions. */
export function fillBlocks(select, launches, blocks, launch) {
  const [x, y, z] = launches[launch].grid;
  const place = (block) => [block % x, Math.floor(block / x) % y, Math.floor(block / x / y)].join(", ");
  const own = blocks.filter((block) => block.launch === launch);
  select.replaceChildren(...own.map(({ block }) => option(block, y * z > 1 ? `${block} (${place(block)})` : String(block))));
  select.disabled = own.length < 2;
}
