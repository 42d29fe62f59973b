// The changes that turn one text into another, small enough that a caret stays where it was.

import { changedLines } from "./changes.js";

/** Changes {from, to, insert} in order that turn `before` into `after`. Positions are those of `before`. */
export function edits(before, after) {
  const [old, next] = [ended(before), ended(after)];
  const changed = changedLines(before, after);
  const found = [];
  for (let i = 0, j = 0, at = 0; i < old.length || j < next.length; ) {
    const [start, first] = [i, j];
    while (changed.before.has(i)) i += 1;
    while (changed.after.has(j)) j += 1;
    if (i === start && j === first) {
      i += 1; // a line of both, which may be the last one of one text only
      j += 1;
    }
    const [left, right] = [old.slice(start, i).join(""), next.slice(first, j).join("")];
    found.push(...within(at, left, right));
    at += left.length;
  }
  return found;
}

// The lines of `text`, all but the last with the character that ends them.
function ended(text) {
  return text.split("\n").map((line, index, lines) => (index < lines.length - 1 ? `${line}\n` : line));
}

function within(at, old, next) {
  if (old.replace(/\s+/g, "") !== next.replace(/\s+/g, "")) return trimmed(at, old, next);
  const found = [];
  for (let i = 0, j = 0; i < old.length || j < next.length; ) {
    const [left, right] = [gap(old, i), gap(next, j)];
    found.push(...trimmed(at + i, left, right));
    i += left.length + 1;
    j += right.length + 1;
  }
  return found;
}

function gap(text, from) {
  const space = /\s*/y;
  space.lastIndex = from;
  return space.exec(text)?.[0] ?? "";
}

// One change, or none: without what both texts begin and end with.
function trimmed(at, old, next) {
  if (old === next) return [];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  return [{ from: at + start, to: at + old.length - end, insert: next.slice(start, next.length - end) }];
}
