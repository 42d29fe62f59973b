import assert from "node:assert/strict";
import { test } from "node:test";
import { localTime, remaining } from "../src/lib/moments.js";

test("a time is shown in the time zone of the browser, in the form of the site", () => {
  assert.equal(localTime("2026-11-23T01:25:00+00:00", "UTC"), "23 Nov 2026, 01:25");
  assert.equal(localTime("2026-11-23T23:25:00+00:00", "Asia/Tokyo"), "24 Nov 2026, 08:25");
  assert.equal(localTime("2026-11-23T00:05:00+00:00", "UTC"), "23 Nov 2026, 00:05");
});

test("the time that is left is told in minutes, and in the last minute in seconds", () => {
  assert.equal(remaining(45 * 60_000), "45 minutes left");
  assert.equal(remaining(44 * 60_000 + 1), "45 minutes left");
  assert.equal(remaining(61_000), "2 minutes left");
  assert.equal(remaining(60_000), "60 seconds left");
  assert.equal(remaining(400), "1 second left");
  assert.equal(remaining(0), "the time is over");
  assert.equal(remaining(-5000), "the time is over");
});
