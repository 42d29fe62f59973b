import assert from "node:assert/strict";
import { test } from "node:test";

import { Heat, elementName, gridOf, holderOf } from "../src/replay/arrays.js";
import { Banks } from "../src/replay/banks.js";
import { costOf } from "../src/replay/costs.js";
import { placeOf } from "../src/replay/findings.js";
import { EVENTS, blocksOf, eventsAt, film, nextWith, stepOf } from "../src/replay/film.js";
import { ATOMIC, BARRIER, BRANCH, READ, WRITE, decode, lanesOf, popcount, rangeOf } from "../src/replay/format.js";
import { markOf, marksOf, nextMark, racingIn } from "../src/replay/races.js";
import { costText, lanesText, operation, placesText, raceText, racesText, sentence } from "../src/replay/words.js";

const ALL = 0xffffffff;
const COLUMNS = ["block", "epoch", "line", "mask", "taken", "launch", "warp", "bytes", "kind", "shared"];
const LANES = [...Array(32).keys()];

/** Packs events as judge/replay/packed.py does: objects with the columns that are not 0, and `at`, the addresses. */
function packed(events, head = {}) {
  const rows = events.map((event) => ({ mask: ALL, bytes: 4, ...event }));
  const columns = COLUMNS.map((name) => steps(rows.map((row) => row[name] ?? 0)));
  let first = 0;
  const addresses = rows.flatMap(({ at = [] }) => {
    const moves = at.map((address, i) => address - (i ? at[i - 1] : first));
    if (at.length) [first] = at;
    return moves;
  });
  const told = {
    launches: [{ kernel: "k", grid: [2, 1, 1], block: [64, 1, 1], shared: 4096 }],
    arrays: [
      { name: "x", kind: "argument", start: 256, bytes: 1024, element: 4, dtype: "float32", shape: [256] },
      { name: "", kind: "device", start: 2048, bytes: 4096, element: 0, dtype: "", shape: [] },
    ],
    ...head,
    events: rows.length,
    addresses: addresses.length,
    columns: COLUMNS,
  };
  const text = JSON.stringify(told);
  const json = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4));
  const start = new Uint8Array(8);
  new DataView(start.buffer).setUint32(0, 0x31505257, true);
  new DataView(start.buffer).setUint32(4, json.length, true);
  const parts = [start, json, ...[...columns, addresses].map(planes)];
  return new Uint8Array(parts.flatMap((part) => [...part])).buffer;
}

const steps = (values) => values.map((value, i) => value - (i ? values[i - 1] : 0));
const planes = (values) => [0, 8, 16, 24].flatMap((shift) => values.map((value) => (value >>> shift) & 255));

test("a replay is read as it was packed", () => {
  const events = [
    { line: 3, at: LANES.map((lane) => 256 + 4 * lane) },
    { line: 4, warp: 1, mask: 0b101, kind: WRITE, shared: 1, at: [128, 0] },
    { line: 5, warp: 1, kind: BARRIER, bytes: 0 },
    { line: 2, block: 1, epoch: 1, kind: READ, mask: 1, at: [1276] },
  ];
  const replay = decode(packed(events));
  assert.deepEqual([...replay.line], [3, 4, 5, 2]);
  assert.deepEqual([...replay.first], [0, 32, 34, 34, 35]);
  assert.deepEqual([...replay.addresses.slice(30)], [376, 380, 128, 0, 1276]);
  assert.deepEqual([...replay.mask], [ALL, 5, ALL, 1]);
  assert.throws(() => decode(new ArrayBuffer(16)), /not a replay/);
});

test("lanes are counted and named", () => {
  assert.equal(popcount(ALL), 32);
  assert.equal(popcount(0x80000001), 2);
  assert.deepEqual(lanesOf(0x80000001), [0, 31]);
  assert.equal(lanesText(ALL), "all 32");
  assert.equal(lanesText(0xffff), "0–15");
  assert.equal(lanesText(0b10101010101), "0, 2, 4, 6 and 2 more");
});

const costs = (event) => {
  const { cost, fewest, unit } = costOf(decode(packed([event])), 0);
  return [cost, fewest, unit];
};

test("global requests cost sectors", () => {
  assert.deepEqual(costs({ at: LANES.map((lane) => 256 + 4 * lane) }), [4, 4, "sector"]);
  assert.deepEqual(costs({ at: LANES.map((lane) => 256 + 32 * lane) }), [32, 4, "sector"]);
  assert.deepEqual(costs({ at: LANES.map(() => 256) }), [1, 1, "sector"]);
  assert.deepEqual(costs({ at: LANES.map((lane) => 260 + 4 * lane) }), [5, 4, "sector"]);
  assert.deepEqual(costs({ bytes: 16, at: LANES.map((lane) => 256 + 16 * lane) }), [16, 16, "sector"]);
});

test("shared requests cost wavefronts", () => {
  const shared = { shared: 1 };
  assert.deepEqual(costs({ ...shared, at: LANES.map((lane) => 4 * lane) }), [1, 1, "wavefront"]);
  assert.deepEqual(costs({ ...shared, at: LANES.map((lane) => 128 * lane) }), [32, 1, "wavefront"]);
  assert.deepEqual(costs({ ...shared, at: LANES.map((lane) => 132 * lane) }), [1, 1, "wavefront"]);
  assert.deepEqual(costs({ ...shared, at: LANES.map((lane) => 8 * lane) }), [2, 1, "wavefront"]);
  assert.deepEqual(costs({ ...shared, at: LANES.map(() => 64) }), [1, 1, "wavefront"]);
  assert.deepEqual(costs({ ...shared, bytes: 16, at: LANES.map((lane) => 16 * lane) }), [4, 4, "wavefront"]);
  assert.deepEqual(costs({ ...shared, bytes: 1, at: LANES }), [1, 1, "wavefront"]);
});

test("atomic operations cost turns", () => {
  assert.deepEqual(costs({ kind: ATOMIC, at: LANES.map((lane) => 256 + 4 * (lane % 8)) }), [4, 1, "turn"]);
});

const TWO_WARPS = [
  { warp: 0, line: 1, at: LANES.map((lane) => 256 + 4 * lane) },
  { warp: 0, line: 2, shared: 1, kind: WRITE, at: LANES.map((lane) => 128 * lane) },
  { warp: 0, line: 3, kind: BARRIER, bytes: 0 },
  { warp: 0, line: 4, epoch: 1, kind: BRANCH, bytes: 0, taken: ALL },
  { warp: 0, line: 5, epoch: 1, kind: WRITE, at: LANES.map((lane) => 2048 + 4 * lane) },
  { warp: 1, line: 2, shared: 1, kind: WRITE, at: LANES.map((lane) => 4 * lane) },
  { warp: 1, line: 3, kind: BARRIER, bytes: 0 },
  { warp: 1, line: 4, epoch: 1, kind: BRANCH, bytes: 0, taken: 1 },
  { block: 1, warp: 0, line: 1, at: LANES.map((lane) => 256 + 4 * lane) },
];

test("the warps of a block meet at barriers, and branches that do not split are left out", () => {
  const replay = decode(packed(TWO_WARPS));
  const blocks = blocksOf(replay);
  assert.deepEqual(blocks.map(({ block, from, to }) => [block, from, to]), [[0, 0, 8], [1, 8, 9]]);
  const shown = film(replay, blocks[0]);
  assert.deepEqual(shown.warps, [0, 1]);
  const at = [...Array(shown.steps).keys()].map((step) => eventsAt(shown, step).map(({ e }) => e));
  assert.deepEqual(at, [[0, 5], [1], [2, 6], [4, 7]]);
  assert.equal(stepOf(shown, 6), 2);
  assert.equal(stepOf(shown, 8), -1);
});

test("a block that only branches is still shown", () => {
  const replay = decode(packed([{ kind: BRANCH, bytes: 0, taken: 0 }]));
  assert.equal(film(replay, blocksOf(replay)[0]).steps, 1);
});

test("events are found in both directions", () => {
  const replay = decode(packed(TWO_WARPS));
  const shown = film(replay, blocksOf(replay)[0]);
  assert.equal(nextWith(replay, shown, "conflict", 0, 1), 1);
  assert.equal(nextWith(replay, shown, "conflict", 1, 1), -1);
  assert.equal(nextWith(replay, shown, "barrier", 3, -1), 2);
  assert.equal(nextWith(replay, shown, "divergence", -1, 1), 3);
  assert.equal(nextWith(replay, shown, "atomic", 0, 1), -1);
  assert.equal(EVENTS.scattered(replay, 0), false);
});

test("heat counts who read and wrote which element", () => {
  const replay = decode(packed([...TWO_WARPS, { block: 1, line: 9, kind: ATOMIC, mask: 1, at: [256] }]));
  const heat = new Heat(replay);
  for (let e = 0; e < replay.head.events; ++e) heat.add(e);
  const [x, scratch] = heat.maps;
  assert.deepEqual([x.reads[0], x.reads[31], x.reads[32], x.writes[0]], [3, 2, 0, 1]);
  assert.deepEqual([x.sectors, x.fewest, x.requests, x.updates], [8, 8, 2, 1]);
  assert.deepEqual([scratch.writes[0], scratch.reads[0], scratch.requests], [1, 0, 1]);
  assert.deepEqual(heat.widths, [4, 4]);
  heat.clear();
  assert.equal(x.reads[0], 0);
});

test("an access of several elements counts for each", () => {
  const replay = decode(packed([{ mask: 1, bytes: 16, at: [272] }]));
  const heat = new Heat(replay);
  heat.add(0);
  assert.deepEqual([...heat.maps[0].reads.slice(3, 9)], [0, 1, 1, 1, 1, 0]);
});

test("maps have the shape of a matrix, and at most 4096 cells", () => {
  const array = { name: "m", kind: "argument", start: 256, bytes: 4 * 6, element: 4, shape: [2, 3] };
  const grid = gridOf(array, 4);
  assert.deepEqual([grid.columns, grid.rows, grid.cell(4)], [3, 2, 4]);
  assert.equal(elementName(array, 4, 256 + 16), "m[1][1]");
  const large = gridOf({ ...array, bytes: 4 * 1000 * 1000, shape: [1000, 1000] }, 4);
  assert.ok(large.columns * large.rows <= 4096);
  assert.ok(large.cell(999_999) < large.columns * large.rows);
  const line = gridOf({ ...array, bytes: 4 * 100_000, shape: [100_000] }, 4);
  assert.ok(line.columns * line.rows <= 4096 + line.columns);
  assert.ok(line.cell(99_999) < line.columns * line.rows);
});

test("an address belongs to the array before it", () => {
  const arrays = [{ start: 256 }, { start: 2048 }, { start: 9000 }];
  assert.deepEqual([256, 2047, 2048, 10_000].map((address) => holderOf(arrays, address)), [0, 0, 1, 2]);
});

test("banks show the words of the request that conflicts most", () => {
  const replay = decode(packed(TWO_WARPS));
  const banks = new Banks(replay, 4096);
  const now = banks.now([{ e: 1 }, { e: 5 }]);
  assert.equal(now.cost, 32);
  assert.deepEqual([...now.banks.slice(0, 2)], [32, 0]);
  assert.equal(new Set(now.cells).size, 63);
  banks.add(1);
  assert.deepEqual([banks.map.writes[0], banks.map.writes[1], banks.map.wavefronts, banks.map.fewest], [1, 0, 32, 1]);
});

test("steps are told in words", () => {
  const replay = decode(packed(TWO_WARPS));
  const { widths } = new Heat(replay);
  assert.equal(operation(replay, 0), "reads global memory");
  assert.equal(placesText(replay, widths, 0), "x[0] to x[31]");
  assert.equal(placesText(replay, widths, 1), "byte 0 to byte 3968, every 128 bytes");
  assert.equal(placesText(replay, widths, 7), "1 of 32 lanes taken");
  assert.equal(costText(replay, 1), "32 wavefronts, 1 needed");
  const shown = film(replay, blocksOf(replay)[0]);
  assert.equal(
    sentence(replay, widths, shown, 2, eventsAt(shown, 2)),
    "Step 3 of 4. Warp 0 waits at a barrier, line 3. Warp 1 waits at a barrier, line 3.",
  );
});

test("a finding leads to the line in its warp, or to what the warp did last", () => {
  const replay = decode(packed(TWO_WARPS));
  const blocks = blocksOf(replay);
  const event = (finding) => placeOf(replay, blocks, finding)?.e;
  assert.equal(event({ line: 2 }), 1);
  assert.equal(event({ line: 2, kernel: "k", block: [0, 0, 0], thread: [40, 0, 0] }), 5);
  assert.equal(event({ line: 9, block: [0, 0, 0], thread: [3, 0, 0] }), 4);
  assert.equal(event({ line: 1, block: [1, 0, 0] }), 8);
  assert.equal(event({ line: 2, kernel: "other" }), undefined);
  assert.equal(event({ line: 9 }), undefined);
});

const access = (event, does, line, thread, block = 0) => ({ event, block: [block, 0, 0], thread: [thread, 0, 0], line, operation: does });
const RACES = [
  { message: "race on byte 128", place: "byte 128 of shared memory", accesses: [access(1, "reads", 2, 1), access(5, "writes", 2, 32)] },
  { message: "race on element 3", place: "element 3 of argument x", accesses: [access(0, "writes", 1, 3), access(8, "reads", 1, 3, 1)] },
  { message: "race with a block that was left out", place: "element 4 of argument x", accesses: [access(null, "writes", 1, 4, 7), access(8, "reads", 1, 4, 1)] },
];

function raced() {
  const replay = decode(packed(TWO_WARPS, { races: RACES }));
  const blocks = blocksOf(replay);
  return { replay, blocks, marks: marksOf(replay, blocks) };
}

test("a race is marked in each block that was recorded, at its second access if that is the same", () => {
  const places = raced().marks.map(({ own, other }) => [own.at, own.step, own.lane, other.at, other.step]);
  assert.deepEqual(places, [
    [0, 0, 0, 0, 1],
    [0, 0, 3, 1, 0],
    [1, 0, 3, 0, 0],
    [1, 0, 4, -1, -1],
  ]);
  const old = decode(packed(TWO_WARPS));
  assert.deepEqual(marksOf(old, blocksOf(old)), []); // stored before races were
});

test("the next race may be in another block", () => {
  const { marks } = raced();
  assert.equal(nextMark(marks, 0, 0, 1), marks[2]);
  assert.equal(nextMark(marks, 0, 3, 1), marks[2]);
  assert.equal(nextMark(marks, 1, 0, 1), null);
  assert.equal(nextMark(marks, 1, 0, -1), marks[1]);
  assert.equal(nextMark(marks, 0, 2, -1), marks[1]);
  assert.equal(nextMark(marks, 0, 0, -1), null);
});

test("a finding leads to the mark of its race", () => {
  const { marks } = raced();
  assert.equal(markOf(marks, { line: 2, block: [0, 0, 0], thread: [32, 0, 0] }), marks[0]);
  assert.equal(markOf(marks, { line: 2, block: [0, 0, 0], thread: [1, 0, 0] }), marks[0]);
  assert.equal(markOf(marks, { line: 1, block: [1, 0, 0], thread: [3, 0, 0] }), marks[2]);
  assert.equal(markOf(marks, { line: 9, block: [1, 0, 0], thread: [3, 0, 0] }), null);
  assert.equal(markOf(marks, { line: 1 }), null);
});

test("a step knows the lanes and cells that race", () => {
  const { replay, marks } = raced();
  assert.deepEqual(racingIn(marks.slice(0, 1), 0, 0).map(({ event, lane }) => [event, lane]), [[5, 0]]);
  assert.deepEqual(racingIn(marks.slice(0, 1), 0, 1).map(({ event, lane }) => [event, lane]), [[1, 1]]);
  assert.deepEqual(new Banks(replay, 4096).cellsOf(1, 1), [32]);
  assert.deepEqual(new Heat(replay).cellsOf(8, 3), [{ array: 0, cell: 3 }]);
  const some = decode(packed([{ mask: 0b1010, at: [256, 264] }]));
  assert.deepEqual(rangeOf(some, 0, 3), [1, 2]);
  assert.deepEqual(rangeOf(some, 0), [0, 2]);
});

test("races are told in words, with the block of the other access", () => {
  const { replay, blocks, marks } = raced();
  assert.equal(
    raceText(marks[0]),
    "Data race on byte 128 of shared memory: thread (32,0,0) writes in line 2 (step 1), and thread (1,0,0) reads in line 2 (step 2).",
  );
  assert.match(raceText(marks[1]), /thread \(3,0,0\) of block \(1,0,0\) reads in line 1 \(step 1\)\.$/);
  assert.match(raceText(marks[3]), /thread \(4,0,0\) of block \(7,0,0\) writes in line 1 \(not recorded\)\.$/);
  assert.match(racesText(2, 0), /^2 data races in this block\. /);
  assert.match(racesText(0, 3), /^No data race in this block, 3 in other blocks\. /);
  const shown = film(replay, blocks[0]);
  const words = sentence(replay, new Heat(replay).widths, shown, 0, eventsAt(shown, 0), marks.slice(0, 1));
  assert.match(words, /^Step 1 of 4\. Data race on byte 128 of shared memory: .* Warp 0 reads global memory/);
});
