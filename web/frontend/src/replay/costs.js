// What a request of a warp costs a GPU, by the rules of sandbox/cpu/runtime/traffic.cpp.

import { ATOMIC, LANES, lanesOf } from "./format.js";

export const SECTOR_BYTES = 32;
export const BANKS = 32;
const BANK_BYTES = 4;

function distinctUnits(addresses, from, to, bytes, unitBytes) {
  const units = new Set();
  for (let i = from; i < to; ++i) {
    const last = Math.floor((addresses[i] + bytes - 1) / unitBytes);
    for (let unit = Math.floor(addresses[i] / unitBytes); unit <= last; ++unit) units.add(unit);
  }
  return units;
}

/** The wavefronts of a request to shared memory, and the words that each bank has to serve in the worst part. */
export function wavefronts(addresses, from, mask, bytes) {
  const atATime = LANES / Math.max(1, bytes / BANK_BYTES);
  const lanes = lanesOf(mask);
  let total = 0;
  let worst = 0;
  let parts = 0;
  let banks = new Uint8Array(BANKS);
  for (let begin = 0; begin < LANES; begin += atATime) {
    const words = new Set();
    lanes.forEach((lane, i) => {
      if (lane < begin || lane >= begin + atATime) return;
      const last = Math.floor((addresses[from + i] + bytes - 1) / BANK_BYTES);
      for (let word = Math.floor(addresses[from + i] / BANK_BYTES); word <= last; ++word) words.add(word);
    });
    if (!words.size) continue;
    ++parts;
    const served = new Uint8Array(BANKS);
    for (const word of words) ++served[word % BANKS];
    const most = Math.max(...served);
    total += most;
    if (most > worst) [worst, banks] = [most, served];
  }
  return { cost: total, fewest: parts, banks };
}

/** The sectors of a request to global memory, and the fewest that hold what it asks for. */
export function sectors(addresses, from, to, bytes) {
  const asked = new Set(addresses.subarray(from, to));
  return {
    cost: distinctUnits(addresses, from, to, bytes, SECTOR_BYTES).size,
    fewest: Math.ceil((asked.size * bytes) / SECTOR_BYTES),
  };
}

/** The lanes at the address that most of them use. */
export function turns(addresses, from, to) {
  const at = new Map();
  let most = 0;
  for (let i = from; i < to; ++i) {
    const count = (at.get(addresses[i]) ?? 0) + 1;
    at.set(addresses[i], count);
    most = Math.max(most, count);
  }
  return most;
}

/** What event number `e` costs: `unit` names it, `fewest` would be enough. Null for barriers and branches. */
export function costOf(replay, e) {
  const known = (replay.costs ??= new Array(replay.head.events));
  return (known[e] ??= measure(replay, e));
}

function measure(replay, e) {
  const from = replay.first[e];
  const to = replay.first[e + 1];
  if (replay.kind[e] > ATOMIC) return null;
  if (replay.kind[e] === ATOMIC) return { unit: "turn", cost: turns(replay.addresses, from, to), fewest: 1 };
  if (replay.shared[e]) return { unit: "wavefront", ...wavefronts(replay.addresses, from, replay.mask[e], replay.bytes[e]) };
  return { unit: "sector", ...sectors(replay.addresses, from, to, replay.bytes[e]) };
}
