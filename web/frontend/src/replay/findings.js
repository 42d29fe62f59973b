// Where in a replay a finding of the report happened.

import { LANES } from "./format.js";
import { numberIn } from "./races.js";

/** The block and the event of a finding at `line`, or null if it was not recorded.
 *
 * `kernel`, `block` and `thread` are those of the finding, or undefined. If its thread did not get to the line, because
 * the access ended the program, this is the last event of its warp; else the first event at the line.
 */
export function placeOf(replay, blocks, { line, kernel, block: index, thread }) {
  let loose = null;
  for (const block of blocks) {
    const { kernel: name, grid, block: size } = replay.head.launches[block.launch];
    if (kernel && kernel !== name) continue;
    const here = !index || block.block === numberIn(grid, index);
    const warp = thread ? Math.floor(numberIn(size, thread) / LANES) : -1;
    let last = -1;
    for (let e = block.from; e < block.to; ++e) {
      const own = here && (warp < 0 || replay.warp[e] === warp);
      if (own) last = e;
      if (replay.line[e] !== line) continue;
      if (own) return { block, e };
      loose ??= { block, e };
    }
    if (here && index && last >= 0) loose = { block, e: last };
  }
  return loose;
}
