// Who read and wrote which element of an array, and what that moved.

import { ATOMIC, READ, rangeOf } from "./format.js";
import { costOf } from "./costs.js";

export const MOST_CELLS = 4096;
const MOST_COLUMNS = 64;

/** The array that holds an address of global memory: its number. Arrays are sorted by their starts. */
export function holderOf(arrays, address) {
  let low = 0;
  let high = arrays.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (arrays[middle].start <= address) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes of an element, as declared, else as the accesses of the replay take them. */
export function elementBytes(replay) {
  const widths = replay.head.arrays.map((array) => array.element);
  for (let e = 0; e < replay.head.events; ++e) {
    if (replay.kind[e] > ATOMIC || replay.shared[e]) continue;
    const array = holderOf(replay.head.arrays, replay.addresses[replay.first[e]]);
    if (!replay.head.arrays[array].element) widths[array] = Math.min(widths[array] || Infinity, replay.bytes[e]);
  }
  return widths.map((width) => width || 1);
}

/** How the elements of an array lie in the cells of a map: a matrix row by row, everything else in lines. */
export function gridOf(array, width) {
  const count = Math.max(1, Math.floor(array.bytes / width));
  const matrix = array.shape.length === 2 && array.shape[0] * array.shape[1] === count ? array.shape : null;
  if (matrix) {
    const across = Math.ceil(matrix[1] / MOST_COLUMNS);
    const down = Math.ceil(matrix[0] / MOST_COLUMNS);
    const columns = Math.ceil(matrix[1] / across);
    return { count, columns, rows: Math.ceil(matrix[0] / down), cell: (i) => Math.floor(Math.floor(i / matrix[1]) / down) * columns + Math.floor((i % matrix[1]) / across) };
  }
  const each = Math.ceil(count / MOST_CELLS);
  const cells = Math.ceil(count / each);
  const columns = Math.min(MOST_COLUMNS, cells);
  return { count, columns, rows: Math.ceil(cells / columns), cell: (i) => Math.floor(i / each) };
}

/** The name of an element: `x[3]`, or `x[1][2]` in a matrix. */
export function elementName(array, width, address) {
  const i = Math.floor((address - array.start) / width);
  if (array.shape.length < 2) return `${nameOf(array)}[${i}]`;
  let rest = i;
  const index = [];
  for (const extent of [...array.shape].reverse()) {
    index.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return `${nameOf(array)}[${index.join("][")}]`;
}

/** The name of an array, or what it is. */
export function nameOf(array) {
  return array.name || `${array.kind} memory`;
}

/** Counts of accesses by cell, and what they moved. */
export class Heat {
  constructor(replay) {
    this.replay = replay;
    this.widths = elementBytes(replay);
    this.grids = replay.head.arrays.map((array, i) => gridOf(array, this.widths[i]));
    this.maps = this.grids.map(({ columns, rows }) => ({ reads: new Uint32Array(columns * rows), writes: new Uint32Array(columns * rows), sectors: 0, fewest: 0, requests: 0, updates: 0 }));
  }

  clear() {
    for (const map of this.maps) {
      map.reads.fill(0);
      map.writes.fill(0);
      map.sectors = map.fewest = map.requests = map.updates = 0;
    }
  }

  /** Adds an event of global memory; an atomic operation reads and writes. */
  add(e) {
    const { replay } = this;
    if (replay.kind[e] > ATOMIC || replay.shared[e]) return;
    const from = replay.first[e];
    const to = replay.first[e + 1];
    const main = this.maps[holderOf(replay.head.arrays, replay.addresses[from])];
    if (replay.kind[e] === ATOMIC) {
      ++main.updates;
    } else {
      const { cost, fewest } = costOf(replay, e);
      main.sectors += cost;
      main.fewest += fewest;
      ++main.requests;
    }
    for (let i = from; i < to; ++i) {
      const number = holderOf(replay.head.arrays, replay.addresses[i]);
      const begin = replay.addresses[i] - replay.head.arrays[number].start;
      const { cell, count } = this.grids[number];
      const map = this.maps[number];
      for (let byte = 0; byte < replay.bytes[e]; byte += this.widths[number]) {
        const at = cell(Math.min(count - 1, Math.floor((begin + byte) / this.widths[number])));
        if (replay.kind[e] !== READ) ++map.writes[at];
        if (replay.kind[e] === READ || replay.kind[e] === ATOMIC) ++map.reads[at];
      }
    }
  }

  /** The cells of each array that an event touches, or only one lane of it. */
  cellsOf(e, lane) {
    const { replay } = this;
    const found = [];
    if (replay.kind[e] > ATOMIC || replay.shared[e]) return found;
    const [from, to] = rangeOf(replay, e, lane);
    for (let i = from; i < to; ++i) {
      const number = holderOf(replay.head.arrays, replay.addresses[i]);
      const index = Math.floor((replay.addresses[i] - replay.head.arrays[number].start) / this.widths[number]);
      found.push({ array: number, cell: this.grids[number].cell(Math.min(index, this.grids[number].count - 1)) });
    }
    return found;
  }
}
