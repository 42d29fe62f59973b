// What a watcher knows about a judgement, folded from its events in order.

export const START = { sequence: 0, kind: "queued", stage: "Queued", detail: "", total: null, lanes: [], checked: 0, finished: false };

const STAGES = {
  queued: "Queued",
  claimed: "Picked up by a worker",
  compiling: "Compiling",
  compiled: "Compiled; preparing sandbox and cases",
  case: "Running cases",
  disturbed: "Disturbed on the shared GPU; rejudging alone",
  waiting: "Waiting for exclusive GPU access",
  timing: "Timing",
  retried: "The worker was lost; rejudging",
  finished: "Finished; loading the report",
};

/** The kinds of events there are. */
export const KINDS = Object.keys(STAGES);

/** The kind of message that says where a job stands in the queue. It has no sequence number. */
export const QUEUE = "queue";

// After these, cases begin from the first again.
const ANEW = new Set(["queued", "claimed", "disturbed", "retried"]);
const IN_QUEUE = new Set(["queued", "retried"]);

// The site says who claimed or returned the job: a worker of its own, or the user's node.
const SAID_BY_SITE = new Set(["claimed", "retried"]);

/** The state after `event` ({sequence, kind, text, detail, index, total, verdict}). Old events change nothing. */
export function advance(state, event) {
  if (event.kind === QUEUE) return IN_QUEUE.has(state.kind) ? { ...state, stage: event.text, detail: event.detail } : state;
  if (event.sequence <= state.sequence) return state;
  const { sequence, kind } = event;
  const said = SAID_BY_SITE.has(kind) && event.text;
  const next = { ...state, sequence, kind, stage: said || (STAGES[kind] ?? kind), detail: "" };
  if (ANEW.has(kind)) return { ...next, lanes: [], checked: 0, total: null };
  if (kind === "case") return withCase(next, event);
  if (kind === "timing") return withTiming(next, event);
  return kind === "finished" ? { ...next, finished: true } : next;
}

/**
 * What to say to somebody whose stage has lasted `seconds`: how it ends by itself, or what to do. Empty at first.
 *
 * `limits` are those of the problem: {compile, case} in seconds.
 */
export function patience(kind, seconds, limits) {
  if (seconds > LONG_S) return "Taking longer than usual. If the worker is lost, another one takes over. You can leave this page.";
  if (kind === "compiling" && seconds > limits.compile / 3) return `The compiler is stopped after ${limits.compile} s.`;
  if (kind === "case" && seconds > Math.max(2, limits.case / 3)) return `A case that runs for more than ${limits.case} s gets the verdict Time limit.`;
  if (kind === "compiled" && seconds > 10) return "Starting a sandbox and generating inputs.";
  if (kind === "claimed" && seconds > 10) return "The worker is getting ready.";
  if (kind === "waiting" && seconds > 10) return "Other submissions are using the GPU. Timing starts when it is free. You can leave this page.";
  if (kind === "timing" && seconds > 30) return "Calls are repeated until the interval is narrow.";
  if (kind === "finished" && seconds > 5) return "The report could not be loaded. Trying again…";
  return "";
}

const LONG_S = 120;

/** What a screen reader should say when `before` became `after`; empty for steps that come too thick. */
export function spoken(before, after) {
  if (after.kind === before.kind && after.stage === before.stage) return "";
  if (IN_QUEUE.has(after.kind)) return after.detail ? `${after.stage}. ${after.detail}` : after.stage;
  return TOLD.has(after.kind) && after.kind !== before.kind ? after.stage : "";
}

const TOLD = new Set(["claimed", "disturbed", "waiting", "timing"]);

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
