import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp, move } from "../src/lib/pane.js";
import { advance, KINDS, START } from "../src/lib/progress.js";
import { cookie, next } from "../src/lib/theme.js";

const fold = (...events) => events.reduce((state, event, index) => advance(state, { sequence: index + 1, ...event }), START);

test("the scheme goes round", () => {
  assert.deepEqual(["system", "light", "dark"].map(next), ["light", "dark", "system"]);
});

test("choosing the system's scheme forgets the cookie", () => {
  assert.match(cookie("system", { secure: false }), /max-age=0/);
  assert.match(cookie("dark", { secure: true }), /^theme=dark; .*; secure$/);
});

test("a splitter moves by arrows and stays within its bounds", () => {
  const bounds = { min: 20, max: 75, vertical: false };
  assert.equal(move(50, "ArrowLeft", bounds), 46);
  assert.equal(move(22, "ArrowLeft", bounds), 20);
  assert.equal(move(50, "End", bounds), 75);
  assert.equal(move(50, "ArrowUp", bounds), null);
  assert.equal(move(50, "ArrowUp", { ...bounds, vertical: true }), 46);
  assert.equal(clamp(99, bounds), 75);
});

test("cases become lanes: done, running, waiting", () => {
  const state = fold({ kind: "claimed" }, { kind: "compiled" }, { kind: "case", index: 2, total: 4 });
  assert.deepEqual(state.lanes, ["done", "running", "waiting", "waiting"]);
  assert.equal(state.stage, "Case 2 of 4");
});

test("an event that was seen before changes nothing", () => {
  const state = fold({ kind: "claimed" }, { kind: "compiling" });
  assert.equal(advance(state, { sequence: 1, kind: "queued" }), state);
});

test("a retry begins anew", () => {
  const state = fold({ kind: "claimed" }, { kind: "case", index: 1, total: 2 }, { kind: "retried" });
  assert.deepEqual([state.lanes, state.finished], [[], false]);
});

test("the site says who took a job and why it returned", () => {
  const taken = fold({ kind: "claimed", text: "Picked up by your node" });
  assert.equal(taken.stage, "Picked up by your node");
  assert.equal(advance(taken, { sequence: 2, kind: "retried", text: "Your node did not finish this run." }).stage, "Your node did not finish this run.");
  assert.equal(fold({ kind: "claimed" }).stage, "Picked up by a worker");
  assert.equal(fold({ kind: "compiling", text: "anything" }).stage, "Compiling");
});

test("the finished event ends it", () => {
  assert.equal(fold({ kind: "claimed" }, { kind: "finished" }).finished, true);
});

test("an unknown kind is shown as it is", () => {
  assert.equal(fold({ kind: "polishing" }).stage, "polishing");
});

test("timed cases come after the checked ones", () => {
  const checked = [{ kind: "case", index: 1, total: 2 }, { kind: "case", index: 2, total: 2 }];
  const waiting = fold(...checked, { kind: "waiting" });
  assert.equal(waiting.stage, "Waiting for exclusive GPU access");
  const state = fold(...checked, { kind: "waiting" }, { kind: "timing", index: 2, total: 3 });
  assert.deepEqual(state.lanes, ["done", "done", "done", "running", "waiting"]);
  assert.equal(state.stage, "Timing 2 of 3, alone on the GPU");
});

test("a disturbed run begins anew, and says why", () => {
  const state = fold({ kind: "claimed" }, { kind: "case", index: 1, total: 2 }, { kind: "disturbed" });
  assert.deepEqual(state.lanes, []);
  assert.match(state.stage, /alone/);
});

test("every kind has words of its own", () => {
  for (const kind of KINDS) assert.notEqual(fold({ kind }).stage, kind);
});
