import assert from "node:assert/strict";
import { test } from "node:test";
import * as drafts from "../src/lib/drafts.js";
import { remoteAt } from "../src/lib/remote.js";
import { Sync } from "../src/lib/sync.js";

const STARTER = "starter";

function memory() {
  const map = new Map();
  return { map, getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value), removeItem: (key) => map.delete(key) };
}

/** A server with one draft, as ours behaves. `down` makes it unreachable. */
function server(source = null, revision = 0) {
  const state = { source, revision, history: [], saves: 0, down: false };
  return {
    state,
    async load() {
      return state.down ? { kind: "unreachable" } : { kind: "draft", source: state.source, revision: state.revision };
    },
    async save({ source: text, expected, keep }) {
      state.saves += 1;
      if (state.down) return { kind: "unreachable" };
      if (state.revision && text === state.source) return { kind: "saved", revision: state.revision };
      if (expected !== state.revision) return { kind: "conflict", source: state.source, revision: state.revision, saved: "now" };
      if (keep) state.history.push(state.source);
      state.source = text;
      state.revision += 1;
      return { kind: "saved", revision: state.revision };
    },
  };
}

/** A page: its sync, what the editor shows, and the timers, which run when told to. */
function page({ remote = null, storage = memory(), owner = "ada" } = {}) {
  const seen = { status: null, text: null, asked: null, due: null };
  const store = drafts.open(storage, drafts.keyOf({ owner, problem: "relu", language: "cuda" }));
  const timers = { setTimeout: (call, ms) => (seen.due = { call, ms }), clearTimeout: () => (seen.due = null) };
  const sync = new Sync({
    store,
    remote,
    starter: STARTER,
    timers,
    show: (text) => (seen.text = text),
    tell: ({ kind }) => (seen.status = kind),
    ask: (texts) => (seen.asked = texts),
  });
  return { sync, seen, store, storage, wait: () => seen.due?.call() };
}

const served = ({ state }) => ({ revision: state.revision, source: state.source });

test("a draft comes back, for its own person, problem and language only", () => {
  const storage = memory();
  const at = (owner, problem, language) => drafts.open(storage, drafts.keyOf({ owner, problem, language }));
  at("ada", "relu", "cuda").write({ source: "mine", base: 0, dirty: true, sent: null });
  assert.equal(at("ada", "relu", "cuda").read().source, "mine");
  for (const other of [["", "relu", "cuda"], ["ada", "relu", "triton"], ["ada", "softmax", "cuda"]]) assert.equal(at(...other).read(), null);
});

test("records that are not ours are no drafts", () => {
  for (const text of [null, "", "my program", "{}", '{"source": 1, "base": 0}', '{"source": "a"}']) assert.equal(drafts.parse(text), null);
});

test("without storage there are no drafts, and no errors", () => {
  const broken = drafts.open(null, "key");
  assert.deepEqual([broken.read(), broken.write({ source: "a" })], [null, false]);
  broken.clear();
});

test("the starter itself is not kept, so that a better one reaches its reader", () => {
  const { sync, store, seen } = page();
  sync.begin(served(server()));
  sync.edit("mine");
  assert.deepEqual([store.read().source, seen.status], ["mine", "local"]);
  sync.edit(STARTER);
  assert.deepEqual([store.read(), seen.status], [null, "starter"]);
});

test("a change is kept at once and saved after a pause", async () => {
  const remote = server();
  const { sync, seen, store, wait } = page({ remote });
  assert.equal(sync.begin(served(remote)).text, STARTER);
  sync.edit("mine");
  assert.deepEqual([store.read().dirty, seen.status, remote.state.saves], [true, "local", 0]);
  await wait();
  assert.deepEqual([remote.state.source, store.read().dirty, seen.status], ["mine", false, "saved"]);
});

test("what was written during a save is saved next", async () => {
  const remote = server();
  const { sync, seen, wait } = page({ remote });
  sync.begin(served(remote));
  sync.edit("one");
  const saving = sync.flush();
  sync.edit("two");
  await saving;
  assert.equal(seen.status, "local");
  await wait();
  assert.deepEqual([remote.state.source, seen.status], ["two", "saved"]);
});

test("while the server is away the draft stays here, and is tried again", async () => {
  const remote = server();
  remote.state.down = true;
  const { sync, seen, store, wait } = page({ remote });
  sync.begin(served(remote));
  sync.edit("mine");
  await wait();
  assert.deepEqual([seen.status, store.read().source], ["unreachable", "mine"]);
  const first = seen.due.ms;
  await wait();
  assert.ok(seen.due.ms > first, "it waits longer each time");
  remote.state.down = false;
  await wait();
  assert.deepEqual([seen.status, remote.state.source], ["saved", "mine"]);
});

test("a draft of another browser is taken when nothing waits here", () => {
  const storage = memory();
  const remote = server("theirs", 3);
  const { sync, store } = page({ remote, storage });
  store.write({ source: "older", base: 2, dirty: false, sent: "older" });
  assert.equal(sync.begin(served(remote)).text, "theirs");
});

test("what waits here is sent when the server has not changed", async () => {
  const remote = server("older", 2);
  const { sync, store, wait } = page({ remote });
  store.write({ source: "mine", base: 2, dirty: true, sent: null });
  assert.equal(sync.begin(served(remote)).text, "mine");
  await wait();
  assert.equal(remote.state.source, "mine");
});

test("a save whose answer was lost is no conflict", async () => {
  const remote = server("sent last", 3);
  const { sync, store, seen, wait } = page({ remote });
  store.write({ source: "sent last, and more", base: 2, dirty: true, sent: "sent last" });
  assert.equal(sync.begin(served(remote)).text, "sent last, and more");
  await wait();
  assert.deepEqual([seen.asked, remote.state.source], [null, "sent last, and more"]);
});

test("two changed texts are shown to their author, and nothing is overwritten meanwhile", async () => {
  const remote = server("theirs", 3);
  const { sync, seen, store } = page({ remote });
  store.write({ source: "mine", base: 2, dirty: true, sent: null });
  assert.equal(sync.begin(served(remote)).text, "mine");
  assert.deepEqual([seen.asked.mine, seen.asked.theirs.source, seen.status], ["mine", "theirs", "conflict"]);
  sync.edit("mine still");
  await sync.flush();
  assert.equal(remote.state.source, "theirs");
});

test("keeping mine puts the other into the history", async () => {
  const remote = server("theirs", 3);
  const { sync, store, seen } = page({ remote });
  store.write({ source: "mine", base: 2, dirty: true, sent: null });
  sync.begin(served(remote));
  await sync.decide("mine");
  assert.deepEqual([remote.state.source, remote.state.history, seen.status], ["mine", ["theirs"], "saved"]);
});

test("taking theirs puts mine into the history", async () => {
  const remote = server("theirs", 3);
  const { sync, store, seen } = page({ remote });
  store.write({ source: "mine", base: 2, dirty: true, sent: null });
  sync.begin(served(remote));
  await sync.decide("theirs");
  assert.deepEqual([remote.state.source, remote.state.history, seen.text, seen.status], ["theirs", ["theirs", "mine"], "theirs", "saved"]);
});

test("a save that meets another one asks", async () => {
  const remote = server("one", 1);
  const { sync, seen, wait } = page({ remote });
  sync.begin(served(remote));
  remote.state.source = "theirs";
  remote.state.revision = 2;
  sync.edit("mine");
  await wait();
  assert.deepEqual([seen.status, seen.asked.theirs.source], ["conflict", "theirs"]);
});

test("what was written before signing in goes to the server", async () => {
  const remote = server();
  const { sync, seen, wait } = page({ remote });
  const begun = sync.begin(served(remote), { source: "before", base: 0, dirty: true, sent: null });
  assert.deepEqual(begun, { text: "before", taken: true });
  await wait();
  assert.deepEqual([remote.state.source, seen.status], ["before", "saved"]);
});

test("what was written before signing in does not hide what the server has", () => {
  const remote = server("from another day", 4);
  const { sync, seen } = page({ remote });
  assert.equal(sync.begin(served(remote), { source: "before", base: 0, dirty: true, sent: null }).taken, true);
  assert.equal(seen.asked.theirs.source, "from another day");
});

test("another tab's text is taken over", () => {
  const remote = server("one", 1);
  const { sync, seen } = page({ remote });
  sync.begin(served(remote));
  sync.adopt({ source: "two", base: 1, dirty: true, sent: null });
  assert.deepEqual([seen.text, sync.state.source], ["two", "two"]);
});

test("a tab types from its own change until the server has it", async () => {
  const remote = server("one", 1);
  const { sync, wait } = page({ remote });
  sync.begin(served(remote));
  assert.equal(sync.typing, false);
  sync.edit("two");
  assert.equal(sync.typing, true);
  await wait();
  assert.equal(sync.typing, false);
  sync.edit("three");
  sync.adopt({ source: "four", base: 2, dirty: true, sent: null });
  assert.equal(sync.typing, false);
});

test("coming back looks for what another browser saved", async () => {
  const remote = server("one", 1);
  const { sync, seen } = page({ remote });
  sync.begin(served(remote));
  Object.assign(remote.state, { source: "two", revision: 2 });
  await sync.refresh();
  assert.deepEqual([seen.text, sync.state.base], ["two", 2]);
});

test("a refused text is not sent again until it changes", async () => {
  const remote = { load: async () => ({ kind: "unreachable" }), save: async () => ({ kind: "refused", reason: "too long" }) };
  const { sync, seen, wait } = page({ remote });
  sync.begin({ revision: 0, source: null });
  sync.edit("long");
  await wait();
  assert.deepEqual([seen.status, seen.due], ["refused", null]);
});

test("when the server cannot be asked, the draft of this browser is shown", () => {
  const { sync, store } = page({ remote: server() });
  store.write({ source: "mine", base: 2, dirty: true, sent: null });
  assert.equal(sync.begin(null).text, "mine");
  assert.equal(store.read().dirty, true);
});

test("answers of the server are told apart", async () => {
  const answering = (status, told = {}) => async () => ({ status, headers: new Headers({ "content-type": "application/json" }), json: async () => told });
  const kind = async (send) => (await remoteAt("/draft", () => "token", send).save({ source: "a" })).kind;
  assert.equal(await kind(answering(200, { revision: 2 })), "saved");
  assert.equal(await kind(answering(409, { revision: 2 })), "conflict");
  assert.equal(await kind(answering(422, { error: "too long" })), "refused");
  assert.equal(await kind(answering(401)), "signed-out");
  assert.equal(await kind(answering(503)), "unreachable");
  assert.equal(await kind(async () => { throw new TypeError("network"); }), "unreachable");
});

test("only small bodies outlive the page", async () => {
  const sent = [];
  const remote = remoteAt("/draft", () => "token", async (_url, options) => (sent.push(options), { status: 500, headers: new Headers() }));
  await remote.save({ source: "a" }, { last: true });
  await remote.save({ source: "a".repeat(70_000) }, { last: true });
  assert.deepEqual(sent.map(({ keepalive }) => keepalive), [true, false]);
  assert.equal(sent[0].headers["X-CSRFToken"], "token");
});
