import assert from "node:assert/strict";
import { test } from "node:test";
import { isTyping } from "../src/lib/typing.js";

const key = (target, more = {}) => ({ key: "/", target, ...more });

test("keys pressed in a field are text", () => {
  for (const tagName of ["INPUT", "TEXTAREA", "SELECT"]) assert.ok(isTyping(key({ tagName })));
  assert.ok(isTyping(key({ tagName: "DIV", isContentEditable: true })));
});

test("keys with a modifier are the browser's", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey"]) assert.ok(isTyping(key({ tagName: "BODY" }, { [held]: true })));
});

test("other keys may be shortcuts", () => {
  assert.ok(!isTyping(key({ tagName: "BODY" })));
  assert.ok(!isTyping(key({ tagName: "A" })));
});
