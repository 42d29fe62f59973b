import assert from "node:assert/strict";
import { test } from "node:test";
import { localTime } from "../src/lib/moments.js";

test("a time is shown in the time zone of the browser, in the form of the site", () => {
  assert.equal(localTime("2026-11-23T01:25:00+00:00", "UTC"), "23 Nov 2026, 01:25");
  assert.equal(localTime("2026-11-23T23:25:00+00:00", "Asia/Tokyo"), "24 Nov 2026, 08:25");
  assert.equal(localTime("2026-11-23T00:05:00+00:00", "UTC"), "23 Nov 2026, 00:05");
});
