// Shared memory of the block as words in 32 banks: how often each was used, and what the step uses.

import { ATOMIC, READ, lanesOf, rangeOf } from "./format.js";
import { BANKS, costOf } from "./costs.js";

const MOST_ROWS = 128;
const WORD_BYTES = 4;

export class Banks {
  constructor(replay, sharedBytes) {
    this.replay = replay;
    this.words = Math.ceil(sharedBytes / WORD_BYTES);
    const rows = Math.max(1, Math.ceil(this.words / BANKS));
    this.each = Math.ceil(rows / MOST_ROWS); // rows of words in a row of the picture
    this.grid = { columns: BANKS, rows: Math.ceil(rows / this.each) };
    this.map = { reads: new Uint32Array(BANKS * this.grid.rows), writes: new Uint32Array(BANKS * this.grid.rows), wavefronts: 0, fewest: 0, requests: 0 };
  }

  clear() {
    this.map.reads.fill(0);
    this.map.writes.fill(0);
    this.map.wavefronts = this.map.fewest = this.map.requests = 0;
  }

  add(e) {
    const { replay, map } = this;
    if (replay.kind[e] > ATOMIC || !replay.shared[e]) return;
    if (replay.kind[e] !== ATOMIC) {
      const { cost, fewest } = costOf(replay, e);
      map.wavefronts += cost;
      map.fewest += fewest;
      ++map.requests;
    }
    for (const at of this.cellsOf(e)) {
      if (replay.kind[e] !== READ) ++map.writes[at];
      if (replay.kind[e] === READ || replay.kind[e] === ATOMIC) ++map.reads[at];
    }
  }

  /** The cells that an event uses, one for each word of each lane, or only of one lane. */
  cellsOf(e, lane) {
    const { replay } = this;
    const cells = [];
    if (replay.kind[e] > ATOMIC || !replay.shared[e]) return cells;
    const [from, to] = rangeOf(replay, e, lane);
    for (let i = from; i < to; ++i) {
      const last = Math.floor((replay.addresses[i] + replay.bytes[e] - 1) / WORD_BYTES);
      for (let word = Math.floor(replay.addresses[i] / WORD_BYTES); word <= last; ++word) {
        cells.push(Math.floor(Math.floor(word / BANKS) / this.each) * BANKS + (word % BANKS));
      }
    }
    return cells;
  }

  /** What a step does: its cells, and the words of each bank in the request that conflicts most. */
  now(events) {
    const cells = [];
    let worst = { cost: 0, banks: new Uint8Array(BANKS) };
    for (const { e } of events) {
      cells.push(...this.cellsOf(e));
      if (!this.replay.shared[e] || this.replay.kind[e] > ATOMIC) continue;
      const found = this.replay.kind[e] === ATOMIC ? this.updated(e) : costOf(this.replay, e);
      if (found.cost > worst.cost) worst = found;
    }
    return { cells, banks: worst.banks, cost: worst.cost };
  }

  // Atomic operations take turns by address; their banks show where.
  updated(e) {
    const banks = new Uint8Array(BANKS);
    lanesOf(this.replay.mask[e]).forEach((_, i) => {
      banks[Math.floor(this.replay.addresses[this.replay.first[e] + i] / WORD_BYTES) % BANKS] = 1;
    });
    return { cost: costOf(this.replay, e).cost, banks };
  }
}
