// Rows that scroll sideways.

import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, centred } from "../src/lib/strips.js";

test("says on which sides there is more", () => {
  const at = (scrollLeft, scrollWidth = 900) => beyond({ scrollLeft, clientWidth: 300, scrollWidth });
  assert.deepEqual([at(0), at(200), at(600), at(599.5), at(0, 300)], ["end", "start end", "start", "start", ""]);
});

test("brings an item to the middle", () => {
  assert.equal(centred({ offsetLeft: 500, offsetWidth: 100 }, { clientWidth: 300 }), 400);
});
