// The steps of one block: what each of its warps does at the same time.
//
// Between two barriers a GPU may run the warps in any order. A film lets all of them make one request per step, and lets
// warps that are done wait for the next barrier.

import { ATOMIC, BARRIER, BRANCH } from "./format.js";
import { costOf } from "./costs.js";

/** The recorded blocks: launch, number and the range of their events. */
export function blocksOf(replay) {
  const blocks = [];
  for (let e = 0; e < replay.head.events; ++e) {
    const last = blocks.at(-1);
    if (last?.launch === replay.launch[e] && last.block === replay.block[e]) last.to = e + 1;
    else blocks.push({ launch: replay.launch[e], block: replay.block[e], from: e, to: e + 1 });
  }
  return blocks;
}

/** Whether a branch sends lanes of a warp both ways. */
export function splits(replay, e) {
  return replay.kind[e] === BRANCH && replay.taken[e] !== 0 && replay.taken[e] !== replay.mask[e];
}

/** The film of a block of `blocksOf`: its warps, the number of steps, and which event each warp has in each step.
 * Branches that all lanes take alike are left out, unless the block is to be shown `whole`. */
export function film(replay, block, whole = false) {
  const warps = [];
  const epochs = []; // by warp, the events of each epoch
  for (let e = block.from; e < block.to; ++e) {
    if (warps.at(-1) !== replay.warp[e]) {
      warps.push(replay.warp[e]);
      epochs.push([]);
    }
    const events = (epochs.at(-1)[replay.epoch[e]] ??= []);
    if (whole || replay.kind[e] !== BRANCH || splits(replay, e)) events.push(e);
  }
  const starts = [];
  let steps = 0;
  for (let epoch = 0; epoch < Math.max(...epochs.map((list) => list.length)); ++epoch) {
    starts.push(steps);
    steps += Math.max(0, ...epochs.map((list) => list[epoch]?.length ?? 0));
  }
  if (!steps) return film(replay, block, true); // it only branches
  const cells = new Int32Array(steps * warps.length).fill(-1);
  epochs.forEach((list, row) => {
    // Not all warps have an event in each epoch.
    list.forEach((events, epoch) => {
      const length = (starts[epoch + 1] ?? steps) - starts[epoch];
      events.forEach((e, i) => {
        // A barrier is the last that a warp does before it, and all warps meet there.
        const meets = replay.kind[e] === BARRIER && i === events.length - 1;
        cells[(starts[epoch] + (meets ? length - 1 : i)) * warps.length + row] = e;
      });
    });
  });
  return { ...block, warps, steps, cells };
}

/** The events of a step, with the row of each warp. */
export function eventsAt(film_, step) {
  const found = [];
  for (let row = 0; row < film_.warps.length; ++row) {
    const e = film_.cells[step * film_.warps.length + row];
    if (e >= 0) found.push({ row, e });
  }
  return found;
}

/** The step in which an event happens, or -1. */
export function stepOf(film_, e) {
  const at = film_.cells.indexOf(e);
  return at < 0 ? -1 : Math.floor(at / film_.warps.length);
}

/** Kinds of events to jump to, each with a test of one event. */
export const EVENTS = {
  barrier: (replay, e) => replay.kind[e] === BARRIER,
  atomic: (replay, e) => replay.kind[e] === ATOMIC,
  divergence: splits,
  conflict: (replay, e) => Boolean(replay.shared[e]) && replay.kind[e] < ATOMIC && costOf(replay, e).cost > costOf(replay, e).fewest,
  scattered: (replay, e) => {
    if (replay.shared[e] || replay.kind[e] >= ATOMIC) return false;
    const { cost, fewest } = costOf(replay, e);
    return cost >= 2 * fewest && cost > 2;
  },
};

/** The next step from `step` in `direction` (1 or -1) that has an event of that kind, or -1. */
export function nextWith(replay, film_, kind, step, direction) {
  for (let at = step + direction; at >= 0 && at < film_.steps; at += direction) {
    if (eventsAt(film_, at).some(({ e }) => EVENTS[kind](replay, e))) return at;
  }
  return -1;
}
