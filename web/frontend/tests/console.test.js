import assert from "node:assert/strict";
import { test } from "node:test";
import { FAILURES, follow, RETRY_POLLS } from "../src/lib/following.js";
import { index, step } from "../src/lib/mapping.js";
import { advance, KINDS, patience, spoken, START } from "../src/lib/progress.js";
import { towards } from "../src/lib/tabs.js";

const LIMITS = { compile: 30, case: 10 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

// A network that the test drives: `sources` are the streams that were opened, `timers` what waits.
function network({ polled = async () => false } = {}) {
  const sources = [];
  const timers = [];
  const told = [];
  const heard = [];
  const open = (url) => {
    const listeners = {};
    const source = {
      url,
      readyState: 0,
      addEventListener: (kind, call) => (listeners[kind] = call),
      close: () => (source.readyState = 2),
      say: (type, data, id) => listeners[type]({ type, data: JSON.stringify(data), lastEventId: String(id ?? "") }),
      open: () => listeners.open(),
      fail: () => listeners.error(),
      refuse() {
        source.readyState = 2;
        listeners.error();
      },
    };
    sources.push(source);
    return source;
  };
  const handlers = {
    kinds: [...KINDS, "queue"],
    hear: (kind, data, id) => {
      heard.push([kind, id]);
      return kind === "finished";
    },
    tell: (how) => told.push(how),
    poll: polled,
  };
  const stop = follow("/events?after=2", handlers, { open, wait: (call) => timers.push(call), cancel: () => {} });
  return { sources, timers, told, heard, stop };
}

test("a stream is heard to its end", () => {
  const { sources, heard } = network();
  sources[0].open();
  sources[0].say("claimed", {}, 3);
  sources[0].say("finished", {}, 4);
  sources[0].say("case", {}, 5);
  assert.deepEqual(heard, [["claimed", 3], ["finished", 4]]);
  assert.equal(sources[0].readyState, 2);
});

test("a lost connection is told, and so is its return", () => {
  const { sources, told } = network();
  sources[0].open();
  sources[0].fail();
  sources[0].open();
  assert.deepEqual(told, ["live", "lost", "live"]);
  assert.equal(sources.length, 1);
});

test("after several failures in a row it asks instead, and tries the stream again later", async () => {
  const { sources, timers, told } = network();
  sources[0].say("claimed", {}, 3);
  for (let failure = 0; failure < FAILURES; failure += 1) sources[0].fail();
  await settle();
  assert.deepEqual(told.at(-1), "polling");
  for (let poll = 0; poll < RETRY_POLLS; poll += 1) {
    timers.shift()();
    await settle();
  }
  assert.equal(sources.length, 2);
  assert.equal(sources[1].url, "/events?after=3");
});

test("failures that are not in a row do not count together", async () => {
  const { sources, told } = network();
  for (let failure = 0; failure < 3 * FAILURES; failure += 1) {
    sources[0].fail();
    sources[0].say("case", {}, failure + 3);
  }
  await settle();
  assert.ok(!told.includes("polling"));
});

test("a stream that is refused because all is over ends quietly", async () => {
  const { sources, told, timers } = network({ polled: async () => true });
  sources[0].refuse();
  await settle();
  assert.deepEqual([told, timers.length], [[], 0]);
});

test("a stream that is refused otherwise is asked for", async () => {
  const { sources, told, timers } = network();
  sources[0].refuse();
  await settle();
  timers.shift()();
  await settle();
  assert.deepEqual(told, ["polling"]);
});

test("a server that does not answer is asked again", async () => {
  const { sources, timers } = network({ polled: async () => { throw new Error("offline"); } });
  sources[0].refuse();
  await settle();
  assert.equal(timers.length, 1);
});

test("a stopped follower gets no more events", async () => {
  const { sources, heard, told, stop } = network();
  stop();
  sources[0].say("claimed", {}, 3);
  sources[0].fail();
  sources[0].open();
  await settle();
  assert.deepEqual([heard, told], [[], []]);
});

test("the place in the queue is shown while it waits, and not afterwards", () => {
  const told = { kind: "queue", text: "3rd in the queue", detail: "A verdict in about 20 s." };
  const waiting = advance(advance(START, { sequence: 1, kind: "queued" }), told);
  assert.deepEqual([waiting.stage, waiting.detail, waiting.sequence], ["3rd in the queue", "A verdict in about 20 s.", 1]);
  const taken = advance(waiting, { sequence: 2, kind: "claimed" });
  assert.equal(taken.detail, "");
  assert.equal(advance(taken, told), taken);
});

test("a wait that lasts says how it ends", () => {
  for (const kind of KINDS) assert.equal(patience(kind, 0.5, LIMITS), "");
  assert.match(patience("compiling", 12, LIMITS), /stopped after 30 s/);
  assert.match(patience("case", 5, LIMITS), /more than 10 s/);
  assert.match(patience("waiting", 20, LIMITS), /Other submissions are using the GPU/);
  for (const kind of KINDS) assert.match(patience(kind, 500, LIMITS), /longer than usual/);
});

test("a screen reader announces stages, not every case", () => {
  const state = (kind, stage, detail = "") => ({ ...START, kind, stage, detail });
  assert.equal(spoken(state("queued", "Queued"), state("queued", "2nd in the queue", "A verdict in about 5 s.")), "2nd in the queue. A verdict in about 5 s.");
  assert.equal(spoken(state("case", "Case 1 of 9"), state("case", "Case 2 of 9")), "");
  assert.equal(spoken(state("compiled", "Compiled"), state("case", "Case 1 of 9")), "");
  assert.equal(spoken(state("case", "Case 9 of 9"), state("waiting", "Waiting for the GPU")), "Waiting for the GPU");
  assert.equal(spoken(state("timing", "Timing 1 of 2"), state("timing", "Timing 2 of 2")), "");
});

test("lines of the source lead to their instructions", () => {
  assert.deepEqual([...index([0, 7, 7, 0, 3, 7])], [[7, [1, 2, 5]], [3, [4]]]);
  assert.deepEqual([...index([])], []);
});

test("keys move among lines, within the list", () => {
  const list = { count: 50, page: 10 };
  assert.equal(step(4, "ArrowDown", list), 5);
  assert.equal(step(0, "ArrowUp", list), 0);
  assert.equal(step(45, "PageDown", list), 49);
  assert.equal(step(30, "Home", list), 0);
  assert.equal(step(3, "End", list), 49);
  assert.equal(step(3, "x", list), null);
  assert.equal(step(0, "End", { count: 0, page: 1 }), null);
});

test("keys move among tabs, round and round", () => {
  assert.equal(towards(0, "ArrowRight", 3), 1);
  assert.equal(towards(2, "ArrowRight", 3), 0);
  assert.equal(towards(0, "ArrowLeft", 3), 2);
  assert.equal(towards(1, "Home", 3), 0);
  assert.equal(towards(1, "End", 3), 2);
  assert.equal(towards(1, "Enter", 3), null);
});
