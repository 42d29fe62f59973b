// Where data races happen: judge/replay/races.py found the accesses of each in the recorded events.

import { film, stepOf } from "./film.js";
import { LANES } from "./format.js";

/** The marks of races, in the order of the blocks and their steps.
 *
 * Each recorded block that takes part has one, at its own access; a race within a block is marked at the second access.
 * `own` and `other` are the accesses, with `at`, the place in `blocks`, and `step`, both -1 if it was not recorded.
 */
export function marksOf(replay, blocks) {
  const films = [];
  const placed = (access) => {
    const e = access.event ?? -1;
    const at = blocks.findIndex(({ from, to }) => e >= from && e < to);
    if (at < 0) return { ...access, at, step: -1 };
    films[at] ??= film(replay, blocks[at]);
    return { ...access, at, step: stepOf(films[at], e), lane: numberIn(replay.head.launches[blocks[at].launch].block, access.thread) % LANES };
  };
  const marks = (replay.head.races ?? []).flatMap(({ message, place, accesses }) => {
    const [first, second] = accesses.map(placed);
    const apart = first.block.join() !== second.block.join();
    const ends = [[second, first], ...(apart ? [[first, second]] : [])];
    return ends.filter(([own]) => own.at >= 0).map(([own, other]) => ({ message, place, own, other, apart }));
  });
  return marks.sort((a, b) => a.own.at - b.own.at || a.own.step - b.own.step);
}

/** The next mark from a step of a block in `direction` (1 or -1), in any block, or null. */
export function nextMark(marks, at, step, direction) {
  const ahead = marks.filter(({ own }) => direction * (own.at - at || own.step - step) > 0);
  return ahead.at(direction > 0 ? 0 : -1) ?? null;
}

/** The mark of a finding on a race, or null. */
export function markOf(marks, { line, block, thread }) {
  const same = (own) => own.line === line && own.block.join() === block?.join() && own.thread.join() === thread?.join();
  return marks.find(({ own }) => same(own)) ?? marks.find(({ other }) => same(other)) ?? null;
}

/** The accesses of the marks that happen in a step of a block. */
export function racingIn(marks, at, step) {
  return marks.flatMap(({ own, other }) => [own, other]).filter((access) => access.at === at && access.step === step);
}

/** The number of a thread in a block of `size`, or of a block in a grid. */
export function numberIn(size, index) {
  return index[0] + size[0] * (index[1] + size[1] * index[2]);
}
