// What a watcher knows about a judgement, folded from its events in order.

export const START = { sequence: 0, stage: "Queued", passed: 0, total: null, lanes: [], finished: false };

const STAGES = {
  queued: "Queued",
  claimed: "Picked up by a worker",
  compiling: "Compiling",
  compiled: "Compiled",
  case: "Running cases",
  retried: "The worker was lost; judging again",
  finished: "Finished",
};

/** The state after `event` ({sequence, kind, text, index, total, verdict}). Old events change nothing. */
export function advance(state, event) {
  if (event.sequence <= state.sequence) return state;
  const next = { ...state, sequence: event.sequence, stage: STAGES[event.kind] ?? event.kind };
  if (event.kind === "claimed" || event.kind === "retried" || event.kind === "queued") return { ...next, lanes: [], total: null };
  if (event.kind === "case") return withCase(next, event);
  return event.kind === "finished" ? { ...next, finished: true } : next;
}

function withCase(state, { index, total }) {
  const lanes = Array.from({ length: total ?? index }, (_, lane) => laneOf(lane + 1, index));
  return { ...state, total, lanes, stage: total ? `Case ${index} of ${total}` : `Case ${index}` };
}

function laneOf(lane, current) {
  if (lane < current) return "done";
  return lane === current ? "running" : "waiting";
}
