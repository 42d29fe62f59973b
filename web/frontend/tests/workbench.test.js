import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../src/lib/changes.js";
import { askedBy, isMac } from "../src/lib/keys.js";
import { matches } from "../src/lib/matching.js";
import * as panes from "../src/lib/pane.js";
import * as preferences from "../src/lib/preferences.js";

function memory(entries = []) {
  const map = new Map(entries);
  return { getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value), removeItem: (key) => map.delete(key) };
}

const press = (key, modifiers = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });

test("Control or Command and Enter run, with Shift they submit", () => {
  for (const main of ["ctrlKey", "metaKey"]) {
    assert.equal(askedBy(press("Enter", { [main]: true }), { typing: true }), "run");
    assert.equal(askedBy(press("Enter", { [main]: true, shiftKey: true }), { typing: true }), "submit");
  }
  assert.equal(askedBy(press("Enter"), { typing: false }), null);
});

test("a question mark asks for the keys, unless it is being written", () => {
  assert.equal(askedBy(press("?", { shiftKey: true }), { typing: false }), "help");
  assert.equal(askedBy(press("?", { shiftKey: true }), { typing: true }), null);
  assert.equal(askedBy(press("?", { ctrlKey: true }), { typing: false }), null);
});

test("Macs are known by their platform", () => {
  assert.deepEqual(["MacIntel", "macOS", "iPhone", "Linux x86_64", "Win32"].map(isMac), [true, true, true, false, false]);
});

test("panes stay where they were left, within their bounds", () => {
  const storage = memory();
  panes.save(storage, { split: 30.5, rows: 70 });
  assert.deepEqual(panes.load(storage), { split: 30.5, rows: 70 });
  panes.save(storage, { split: 999, rows: "x" });
  assert.deepEqual(panes.load(storage), { split: 75, rows: panes.USUAL.rows });
  assert.deepEqual(panes.properties({ split: 30, rows: 60 }), { "--split": "30%", "--console": "40%" });
});

test("what was kept badly, or cannot be read, is as usual", () => {
  for (const storage of [null, memory([["warpcourt:panes", "{"], ["warpcourt:editor", "{"]]), memory()]) {
    assert.deepEqual(panes.load(storage), panes.USUAL);
    assert.deepEqual(preferences.load(storage), preferences.USUAL);
  }
  panes.save(null, panes.USUAL);
  preferences.save(null, preferences.USUAL);
});

test("preferences come back, and nonsense among them does not", () => {
  const storage = memory();
  preferences.save(storage, { size: 16, tab: 8, vim: true, wrap: true });
  assert.deepEqual(preferences.load(storage), { size: 16, tab: 8, vim: true, wrap: true });
  assert.deepEqual(preferences.sane({ size: 1e9, tab: "4", vim: "yes" }), preferences.USUAL);
});

test("lines that differ are found on both sides", () => {
  const { before, after } = changedLines("a\nb\nc\nd", "a\nx\nc\ny\nd");
  assert.deepEqual([[...before], [...after]], [[1], [1, 3]]);
  const same = changedLines("a\nb", "a\nb");
  assert.deepEqual([same.before.size, same.after.size], [0, 0]);
});

test("very long texts differ as a block", () => {
  const long = Array.from({ length: 4000 }, (_, index) => `a${index}`).join("\n");
  assert.equal(changedLines(long, long.replaceAll("a", "b")).before.size, 4000);
});

test("Control and S save, and Alt with Shift leads to the rest", () => {
  assert.equal(askedBy(press("s", { ctrlKey: true }), { typing: true }), "save");
  assert.equal(askedBy(press("S", { metaKey: true }), { typing: true }), "save");
  assert.equal(askedBy(press("s", { ctrlKey: true, shiftKey: true }), { typing: true }), null);
  const both = { altKey: true, shiftKey: true };
  const codes = { KeyN: "next", KeyP: "previous", KeyO: "notes", KeyB: "bookmark", KeyF: "format", KeyZ: "zoom", KeyX: null };
  for (const [code, asked] of Object.entries(codes)) assert.equal(askedBy(press("Å", { ...both, code }), { typing: true }), asked);
});

test("a title answers words in any order", () => {
  assert.ok(matches("Matrix multiplication", "mult matr"));
  assert.ok(matches("Anything", ""));
  assert.ok(!matches("Softmax", "soft sort"));
});
