// Forms that save themselves: what is sent when, and what an answer leads to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LAST_BYTES, PAUSE_MS, poster, Saving } from "../src/lib/saving.js";

// Timers that fire when they are told to.
function clock() {
  const timers = { waiting: null };
  timers.setTimeout = (call, delay) => (timers.waiting = { call, delay });
  timers.clearTimeout = () => (timers.waiting = null);
  return timers;
}

function make(...answers) {
  const seen = { sent: [], told: [], adopted: [] };
  const timers = clock();
  const form = { text: "a" };
  const saving = new Saving({
    read: () => new Map([["text", form.text]]),
    send: async (body) => {
      seen.sent.push(body.get("text"));
      const answer = answers.shift() ?? { kind: "saved", revision: 9 };
      return typeof answer === "function" ? answer() : answer;
    },
    adopt: (answer) => seen.adopted.push(answer.revision),
    tell: ({ kind }) => seen.told.push(kind),
    timers,
  });
  return { saving, seen, timers, form };
}

test("a change is sent after a pause", async () => {
  const { saving, seen, timers } = make({ kind: "saved", revision: 2 });
  saving.changed();
  assert.deepEqual(seen.sent, []);
  assert.equal(timers.waiting.delay, PAUSE_MS);
  await timers.waiting.call();
  assert.deepEqual([seen.sent, seen.adopted, seen.told], [["a"], [2], ["unsaved", "saved"]]);
});

test("what nobody changed is not sent", async () => {
  const { saving, seen } = make();
  assert.equal(await saving.flush(), true);
  assert.deepEqual(seen.sent, []);
});

test("what was changed meanwhile is sent again, from the new revision", async () => {
  const { saving, seen, timers, form } = make(() => {
    form.text = "b";
    saving.changed();
    return { kind: "saved", revision: 2 };
  });
  saving.changed();
  assert.equal(await saving.flush(), false);
  await timers.waiting.call();
  assert.deepEqual([seen.sent, seen.adopted], [["a", "b"], [2, 9]]);
});

test("who signs in again saves what was typed before", async () => {
  const { saving, seen } = make({ kind: "signed-out" }, { kind: "saved", revision: 3 });
  saving.changed();
  assert.equal(await saving.flush(), false);
  assert.equal(await saving.flush(), false);
  assert.equal(await saving.again(), true);
  assert.deepEqual([seen.sent, seen.adopted, seen.told], [["a", "a"], [3], ["unsaved", "signed-out", "saved"]]);
});

test("a conflict ends it, so that its author looks", async () => {
  const { saving, seen, timers } = make({ kind: "conflict", revision: 5 });
  saving.changed();
  assert.equal(await saving.flush(), false);
  saving.changed();
  assert.equal(timers.waiting, null);
  assert.deepEqual([seen.sent.length, seen.adopted], [1, []]);
});

test("what is refused waits for the next change", async () => {
  const { saving, seen, timers } = make({ kind: "refused", reason: "Name it." });
  saving.changed();
  await saving.flush();
  assert.equal(timers.waiting, null);
  saving.changed();
  await timers.waiting.call();
  assert.equal(seen.told.at(-1), "saved");
});

test("a site out of reach is tried again, later each time", async () => {
  const { saving, timers } = make({ kind: "unreachable" }, { kind: "unreachable" });
  saving.changed();
  await saving.flush();
  const first = timers.waiting.delay;
  await timers.waiting.call();
  assert.ok(timers.waiting.delay > first);
});

test("two never run at once", async () => {
  let release;
  const { saving, seen } = make(() => new Promise((resolve) => (release = () => resolve({ kind: "saved", revision: 2 }))));
  saving.changed();
  const one = saving.flush();
  const two = saving.flush();
  await Promise.resolve();
  release();
  assert.deepEqual(await Promise.all([one, two]), [true, true]);
  assert.equal(seen.sent.length, 1);
});

test("answers are told apart", async () => {
  const answer = (status, body, { type = "application/json", redirected = false } = {}) =>
    poster("/x", async () => ({ status, ok: status < 300, redirected, headers: new Headers({ "content-type": type }), json: async () => body }))(new FormData());
  assert.deepEqual(await answer(200, { kind: "saved", revision: 3 }), { kind: "saved", revision: 3, reason: "" });
  assert.equal((await answer(200, { kind: "conflict", error: "!", by: "you" })).by, "you");
  assert.equal((await answer(200, { kind: "refused", error: "Name it." })).reason, "Name it.");
  assert.equal((await answer(404, "", { type: "text/html" })).kind, "signed-out");
  assert.equal((await answer(403, {})).kind, "signed-out");
  assert.equal((await answer(200, "", { type: "text/html", redirected: true })).kind, "signed-out");
  assert.equal((await answer(200, { form: {} }, { redirected: true })).kind, "signed-out");
  assert.equal((await answer(503, "", { type: "text/html" })).kind, "unreachable");
  assert.equal((await poster("/x", async () => Promise.reject(new Error("gone")))(new FormData())).kind, "unreachable");
});

test("leaving loses what was not taken, and nothing else", async () => {
  const { saving, form } = make({ kind: "refused", reason: "Name it." }, { kind: "saved", revision: 2 });
  saving.changed();
  assert.equal(saving.losing, false); // it is sent on the way out
  await saving.flush();
  assert.equal(saving.losing, true);
  form.text = "b";
  saving.changed();
  await saving.flush();
  assert.equal(saving.losing, false);
});

test("more than a page that goes may send is asked about, and sent as if it stayed", async () => {
  const { saving, form } = make();
  form.text = "é".repeat(LAST_BYTES / 2);
  saving.changed();
  assert.equal(saving.losing, true);
  form.text = "a";
  assert.equal(saving.losing, false);
  const kept = [];
  const post = poster("/x", async (_, { keepalive }) => kept.push(keepalive) && Promise.reject(new Error("gone")));
  const large = new FormData();
  large.append("text", "a".repeat(LAST_BYTES + 1));
  await post(large, { last: true });
  await post(new FormData(), { last: true });
  await post(new FormData());
  assert.deepEqual(kept, [false, true, false]);
});

test("what its button hands in is not lost", async () => {
  const { saving } = make({ kind: "conflict", revision: 5 });
  saving.changed();
  await saving.flush();
  saving.stop();
  assert.deepEqual([saving.losing, await saving.flush()], [false, true]);
});
