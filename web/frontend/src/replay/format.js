// Reads a replay as judge/replay/packed.py packs it. The browser has unzipped it.

const MAGIC = 0x31505257; // "WRP1"
export const READ = 0;
export const WRITE = 1;
export const ATOMIC = 2;
export const BARRIER = 3;
export const BRANCH = 4;
export const LANES = 32;

/** The number of ones in a 32-bit number. */
export function popcount(mask) {
  let bits = mask - ((mask >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The replay in `buffer`: the head (names and sizes), a column of numbers for each field of the events, and the
 * addresses, of which event number `e` has those from `first[e]` to `first[e + 1]`. */
export function decode(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) throw new Error("This is not a replay.");
  const length = view.getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  let at = 8 + length;
  const take = (count) => {
    const values = joined(new Uint8Array(buffer, at, 4 * count), count);
    at += 4 * count;
    return values;
  };
  const columns = Object.fromEntries(head.columns.map((name) => [name, summed(take(head.events))]));
  const first = new Uint32Array(head.events + 1);
  for (let event = 0; event < head.events; ++event) {
    first[event + 1] = first[event] + (columns.kind[event] <= ATOMIC ? popcount(columns.mask[event]) : 0);
  }
  return { head, ...columns, first, addresses: absolute(take(head.addresses), first) };
}

// From four planes of bytes, the lowest first.
function joined(planes, count) {
  const values = new Uint32Array(count);
  for (let i = 0; i < count; ++i) {
    values[i] = planes[i] | (planes[count + i] << 8) | (planes[2 * count + i] << 16) | (planes[3 * count + i] << 24);
  }
  return values;
}

function summed(steps) {
  for (let i = 1; i < steps.length; ++i) steps[i] += steps[i - 1];
  return steps;
}

// Each address is a step from the lane before, and the first of an event a step from the first of the event before.
function absolute(steps, first) {
  let start = 0;
  for (let event = 0; event + 1 < first.length; ++event) {
    if (first[event] === first[event + 1]) continue;
    start = steps[first[event]] = (steps[first[event]] + start) >>> 0;
    for (let i = first[event] + 1; i < first[event + 1]; ++i) steps[i] += steps[i - 1];
  }
  return steps;
}

/** Where the addresses of an event are: from the first number up to the second, or only that of one lane. */
export function rangeOf(replay, e, lane) {
  if (lane === undefined) return [replay.first[e], replay.first[e + 1]];
  const at = replay.first[e] + popcount(replay.mask[e] & (2 ** lane - 1));
  return [at, at + 1];
}

/** The lanes of a mask, ascending. */
export function lanesOf(mask) {
  const lanes = [];
  for (let lane = 0; lane < LANES; ++lane) if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}
