// Previews while somebody writes: of many texts in a row the last is shown.

import assert from "node:assert/strict";
import test from "node:test";

import { latest } from "../src/lib/latest.js";

test("what is asked meanwhile is asked once, and the last answer counts", async () => {
  const asked = [];
  const shown = [];
  let text = "a";
  let answer;
  const go = latest(
    () => {
      asked.push(text);
      return new Promise((resolve) => (answer = resolve));
    },
    (value) => shown.push(value),
  );
  const first = go();
  text = "ab";
  go();
  text = "abc";
  go();
  const answerFirst = answer;
  answerFirst("A");
  await new Promise((resolve) => setImmediate(resolve));
  answer("ABC");
  await first;
  assert.deepEqual(asked, ["a", "abc"]);
  assert.deepEqual(shown, ["ABC"]);
});

test("what fails shows nothing, and the next is asked", async () => {
  const shown = [];
  let fails = true;
  const go = latest(async () => {
    if (fails) throw new Error("away");
    return "there";
  }, (value) => shown.push(value));
  await go();
  fails = false;
  await go();
  assert.deepEqual(shown, ["there"]);
});
