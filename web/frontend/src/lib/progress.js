// What a watcher knows about a judgement, folded from its events in order.

export const START = { sequence: 0, stage: "Queued", passed: 0, total: null, lanes: [], checked: 0, finished: false };

const STAGES = {
  queued: "Queued",
  claimed: "Picked up by a worker",
  compiling: "Compiling",
  compiled: "Compiled",
  case: "Running cases",
  disturbed: "Disturbed on the shared GPU; judging again, alone",
  waiting: "Waiting for the GPU to itself",
  timing: "Timing",
  retried: "The worker was lost; judging again",
  finished: "Finished",
};

/** The kinds of events there are. */
export const KINDS = Object.keys(STAGES);

// After these, cases begin from the first again.
const ANEW = new Set(["queued", "claimed", "disturbed", "retried"]);

/** The state after `event` ({sequence, kind, text, index, total, verdict}). Old events change nothing. */
export function advance(state, event) {
  if (event.sequence <= state.sequence) return state;
  const next = { ...state, sequence: event.sequence, stage: STAGES[event.kind] ?? event.kind };
  if (ANEW.has(event.kind)) return { ...next, lanes: [], checked: 0, total: null };
  if (event.kind === "case") return withCase(next, event);
  if (event.kind === "timing") return withTiming(next, event);
  return event.kind === "finished" ? { ...next, finished: true } : next;
}

function withCase(state, { index, total }) {
  const lanes = lanesOf(index, total ?? index);
  return { ...state, total, lanes, checked: lanes.length, stage: total ? `Case ${index} of ${total}` : `Case ${index}` };
}

// The timed cases come after the checked ones, all of which have passed by then.
function withTiming(state, { index, total }) {
  const passed = Array.from({ length: state.checked }, () => "done");
  const stage = total ? `Timing ${index} of ${total}, alone on the GPU` : STAGES.timing;
  return { ...state, total, lanes: [...passed, ...lanesOf(index, total ?? index)], stage };
}

function lanesOf(current, total) {
  return Array.from({ length: total }, (_, lane) => laneOf(lane + 1, current));
}

function laneOf(lane, current) {
  if (lane < current) return "done";
  return lane === current ? "running" : "waiting";
}
