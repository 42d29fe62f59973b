// Asks the formatter, which runs in a worker and is loaded at the first request.

import { edits } from "../lib/edits.js";

const PATIENCE_MS = 60_000; // the formatter of CUDA has a megabyte to load
const WORKER = "../formatter.js"; // as seen from the built chunk with this module
let worker = null;
let asked = 0;

/**
 * Format `source`. Resolves to {kind: "changed", changes} for the editor, {kind: "same"}, {kind: "broken", line,
 * reason} where the source does not parse, or {kind: "failed"} where no formatter answered.
 */
export async function formatted(language, source) {
  const answer = await ask({ id: (asked += 1), language, source });
  if (answer.kind !== "formatted") return answer;
  const changes = edits(source, answer.text);
  return changes.length ? { kind: "changed", changes } : { kind: "same" };
}

function ask(request) {
  worker ??= new Worker(new URL(WORKER, import.meta.url), { type: "module" });
  const mine = worker;
  return new Promise((resolve) => {
    const listening = new AbortController();
    const end = (answer) => {
      listening.abort();
      clearTimeout(timer);
      if (answer.kind === "failed") drop(mine);
      resolve(answer);
    };
    const timer = setTimeout(() => end({ kind: "failed" }), PATIENCE_MS);
    mine.addEventListener("message", ({ data }) => data.id === request.id && end(data), listening);
    mine.addEventListener("error", () => end({ kind: "failed" }), listening);
    mine.postMessage(request);
  });
}

// A module that did not load fails for good in its worker. The next request starts another one.
function drop(failed) {
  failed.terminate();
  if (worker === failed) worker = null;
}
