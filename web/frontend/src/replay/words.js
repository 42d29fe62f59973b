// What happens in a step, in words, for tables and for screen readers.

import { ATOMIC, BARRIER, BRANCH, READ, lanesOf, popcount } from "./format.js";
import { costOf } from "./costs.js";
import { elementName, holderOf } from "./arrays.js";

const SHOWN = 4;

/** "1 sector", "4 sectors". */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** What the event does: "reads", "waits at a barrier". */
export function operation(replay, e) {
  const where = replay.shared[e] ? "shared memory" : "global memory";
  if (replay.kind[e] === BARRIER) return "waits at a barrier";
  if (replay.kind[e] === BRANCH) return "branches";
  if (replay.kind[e] === ATOMIC) return `updates ${where} atomically`;
  return replay.kind[e] === READ ? `reads ${where}` : `writes ${where}`;
}

/** The lanes of a mask: "all 32", "0–15", "3, 7, 9 and 4 more". */
export function lanesText(mask) {
  if (mask >>> 0 === 0xffffffff) return "all 32";
  const lanes = lanesOf(mask);
  if (lanes.length > 2 && lanes.at(-1) - lanes[0] === lanes.length - 1) return `${lanes[0]}–${lanes.at(-1)}`;
  return listed(lanes.map(String));
}

function listed(names) {
  if (names.length <= SHOWN) return names.join(", ");
  return `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;
}

/** The places that the lanes use: "x[0] to x[31]", "bytes 0 to 124". */
export function placesText(replay, widths, e) {
  if (replay.kind[e] === BRANCH) return `${popcount(replay.taken[e])} of ${counted(popcount(replay.mask[e]), "lane")} taken`;
  if (replay.kind[e] > ATOMIC) return "";
  const addresses = replay.addresses.subarray(replay.first[e], replay.first[e + 1]);
  const name = (address) => {
    if (replay.shared[e]) return `byte ${address}`;
    const number = holderOf(replay.head.arrays, address);
    return elementName(replay.head.arrays[number], widths[number], address);
  };
  const step = addresses.length > 1 ? addresses[1] - addresses[0] : 0;
  const even = addresses.length > 2 && addresses.every((address, i) => address === addresses[0] + i * step);
  if (even && step === 0) return `${name(addresses[0])} by all`;
  if (even) return `${name(addresses[0])} to ${name(addresses.at(-1))}${Math.abs(step) === replay.bytes[e] ? "" : `, every ${Math.abs(step)} bytes`}`;
  return listed([...new Set([...addresses].map(name))]);
}

/** "4 sectors, 4 needed". */
export function costText(replay, e) {
  const found = costOf(replay, e);
  if (!found) return "";
  return `${counted(found.cost, found.unit)}, ${found.fewest} needed`;
}

const index = (position) => `(${position.join(",")})`;

/** An access of a race: "thread (31,0,0) reads in line 7 (step 3)". It names the block if that is another one. */
export function accessText({ thread, block, operation: does, line, step }, named) {
  const where = named ? ` of block ${index(block)}` : "";
  return `thread ${index(thread)}${where} ${does} in line ${line} (${step < 0 ? "not recorded" : `step ${step + 1}`})`;
}

/** A race in a step: its two accesses, and where the other one is. */
export function raceText({ place, own, other, apart }) {
  return `Data race on ${place}: ${accessText(own, false)}, and ${accessText(other, apart)}.`;
}

/** How many races the marks show in the chosen block and in others, and how to get to them. */
export function racesText(here, elsewhere) {
  const own = here ? counted(here, "data race") : "No data race";
  const others = elsewhere ? `, ${elsewhere.toLocaleString("en")} in other blocks` : "";
  return `${own} in this block${others}. In the player, R goes to the next one and Shift+R to the previous one.`;
}

/** A sentence for a step with its races, for screen readers. */
export function sentence(replay, widths, film, step, events, races = []) {
  const told = events.slice(0, 3).map(({ row, e }) => {
    const place = placesText(replay, widths, e);
    return `Warp ${film.warps[row]} ${operation(replay, e)}${place ? `, ${place}` : ""}${replay.line[e] ? `, line ${replay.line[e]}` : ""}.`;
  });
  const rest = events.length > 3 ? ` ${counted(events.length - 3, "more warp")}.` : "";
  return [`Step ${step + 1} of ${film.steps}.`, ...races.map(raceText), `${told.join(" ")}${rest}`].join(" ");
}

/** What an array was used for up to the step. */
export function mapText({ requests, sectors, fewest, updates }) {
  const moved = requests ? `${counted(requests, "request")}, ${counted(sectors, "sector")} moved, ${fewest.toLocaleString("en")} needed` : "";
  const updated = updates ? counted(updates, "atomic request") : "";
  return [moved, updated].filter(Boolean).join(", ") || "not used yet";
}

/** What shared memory was used for up to the step, and what the step costs. */
export function banksText({ requests, wavefronts, fewest }, { cost }) {
  const now = cost > 1 ? `, now ${counted(cost, "wavefront")}` : "";
  return requests ? `${counted(requests, "request")}, ${counted(wavefronts, "wavefront")}, ${fewest.toLocaleString("en")} needed${now}` : "not used yet";
}
