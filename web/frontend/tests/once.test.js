import assert from "node:assert/strict";
import { test } from "node:test";
import { Once, QUIET_MS } from "../src/lib/once.js";

function drawn() {
  let count = 0;
  return new Once("first", () => `drawn-${(count += 1)}`);
}

test("quick clicks have one key, before the verdict and right after it", () => {
  const once = drawn();
  assert.deepEqual([0, 50, 100].map((at) => once.keyFor("a", at)), ["first", "first", "first"]);
  once.judged();
  assert.equal(once.keyFor("a", 150), "first");
});

test("a program that is meant again later has a new key", () => {
  const once = drawn();
  once.keyFor("a", 0);
  assert.equal(once.keyFor("a", 10 * QUIET_MS), "first", "it is still being judged");
  once.judged();
  assert.equal(once.keyFor("a", 20 * QUIET_MS), "drawn-1");
});

test("another program has another key at once", () => {
  const once = drawn();
  once.keyFor("a", 0);
  assert.equal(once.keyFor("b", 10), "drawn-1");
});

test("what the server refused may be sent again", () => {
  const once = drawn();
  once.keyFor("a", 0);
  once.refused();
  assert.equal(once.keyFor("a", 3 * QUIET_MS), "drawn-1");
});
