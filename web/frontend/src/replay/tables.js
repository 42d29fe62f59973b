// The tables for those who cannot see the pictures: what happens in a step, and what each line costs.

import { ATOMIC, BARRIER, BRANCH, READ } from "./format.js";
import { costOf } from "./costs.js";
import { accessText, costText, counted, lanesText, operation, placesText } from "./words.js";

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

/** Fills the table of a step. `races` are the accesses that race in it. */
export function fillStep(body, replay, widths, film, events, races) {
  const racing = (e) => races.filter(({ event }) => event === e).map(({ lane }) => `, lane ${lane} in a data race`);
  const rows = events.map(({ row: at, e }) => [
    `Warp ${film.warps[at]}`,
    replay.line[e] ? String(replay.line[e]) : "–",
    operation(replay, e) + [...new Set(racing(e))].join(""),
    lanesText(replay.mask[e]),
    placesText(replay, widths, e),
    costText(replay, e),
  ]);
  if (!rows.length) rows.push(["–", "", "no warp does anything", "", "", ""]);
  // Steps resemble each other, so cells are kept and only their changed texts are set.
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((texts, i) => {
    if (!body.rows[i]) return body.append(row(texts));
    return texts.forEach((text, j) => {
      const cell = body.rows[i].cells[j];
      if (cell.textContent !== text) cell.textContent = text;
    });
  });
}

/** Fills the table of the marks of races. */
export function fillRaces(body, launches, blocks, marks) {
  body.replaceChildren(
    ...marks.map(({ place, own, other, apart }, i) => {
      const line = row(["", place, accessText(own, false), accessText(other, apart)]);
      const { launch, block } = blocks[own.at];
      const text = `Launch ${launch + 1}, block ${block}, step ${own.step + 1}`;
      const button = Object.assign(document.createElement("button"), { type: "button", className: "line-link", textContent: launches > 1 ? text : text.replace(/^.*?, b/, "B") });
      button.dataset.race = i;
      line.cells[0].append(button);
      return line;
    }),
  );
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
