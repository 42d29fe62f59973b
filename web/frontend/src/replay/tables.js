// The tables for those who cannot see the pictures: what happens in a step, and what each line costs.

import { ATOMIC, BARRIER, BRANCH, READ } from "./format.js";
import { costOf } from "./costs.js";
import { costText, counted, lanesText, operation, placesText } from "./words.js";

function row(cells) {
  const line = document.createElement("tr");
  cells.forEach((text, i) => {
    const cell = document.createElement(i ? "td" : "th");
    if (!i) cell.scope = "row";
    cell.textContent = text;
    line.append(cell);
  });
  return line;
}

/** Fills the table of a step. */
export function fillStep(body, replay, widths, film, events) {
  const rows = events.map(({ row: at, e }) =>
    row([`Warp ${film.warps[at]}`, replay.line[e] ? String(replay.line[e]) : "–", operation(replay, e), lanesText(replay.mask[e]), placesText(replay, widths, e), costText(replay, e)]),
  );
  body.replaceChildren(...(rows.length ? rows : [row(["–", "", "no warp does anything", "", "", ""])]));
}

const NAMES = { [READ]: "reads", 1: "writes", [ATOMIC]: "atomic operations", [BARRIER]: "barriers", [BRANCH]: "branches" };

/** What the lines of the program do in all recorded blocks, in the order of the lines. */
export function linesOf(replay) {
  const lines = new Map();
  for (let e = 0; e < replay.head.events; ++e) {
    const key = `${replay.line[e]} ${replay.kind[e]} ${replay.shared[e]}`;
    const entry = lines.get(key) ?? { line: replay.line[e], kind: replay.kind[e], shared: replay.shared[e], requests: 0, cost: 0, fewest: 0, unit: "" };
    const found = costOf(replay, e);
    ++entry.requests;
    if (found) {
      entry.cost += found.cost;
      entry.fewest += found.fewest;
      entry.unit = found.unit;
    }
    lines.set(key, entry);
  }
  return [...lines.values()].sort((a, b) => a.line - b.line || a.kind - b.kind || a.shared - b.shared);
}

/** Fills the table of lines. */
export function fillLines(body, replay) {
  const name = ({ kind, shared }) => `${kind <= ATOMIC ? `${shared ? "shared" : "global"} ` : ""}${NAMES[kind]}`;
  body.replaceChildren(
    ...linesOf(replay).map((entry) =>
      row([entry.line ? String(entry.line) : "library", name(entry), entry.requests.toLocaleString("en"), entry.unit ? counted(entry.cost, entry.unit) : "", entry.unit ? entry.fewest.toLocaleString("en") : ""]),
    ),
  );
}
