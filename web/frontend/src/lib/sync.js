// Keeps one draft in this browser and on the server.
//
// Every change is kept in the browser at once and sent when its author pauses. A save names the revision
// that it was made from; when the server has another one, the author decides. Nothing is overwritten
// unseen: what is replaced by a decision goes into the history first.

export const PAUSE_MS = 1500;
const RETRY_MS = [4000, 10_000, 30_000, 60_000];
const NOTHING = { source: null, base: 0, dirty: false, sent: null };

/**
 * A draft that follows its editor.
 *
 * `store` is where this browser keeps it (see drafts.js). `remote` is null while nobody is signed in, else
 * `save({source, expected, keep}, {last})` and `load()`, which resolve to {kind, ...}. `show(text)` puts a
 * text into the editor; `tell(status)` gets {kind, reason}; `ask({mine, theirs})` gets both texts of a conflict.
 */
export class Sync {
  constructor({ store, remote, starter, show, tell, ask, timers = globalThis }) {
    Object.assign(this, { store, remote, starter, show, tell, ask, timers });
    this.state = { ...NOTHING, source: starter };
    this.keep = false;
    this.theirs = null;
    this.failures = 0;
    this.timer = null;
    this.sending = null;
    this.typing = false; // whether what the server lacks was written here
  }

  /**
   * The text to begin with, from what the server has (null: it cannot be asked) and what this browser kept.
   * `found` was written here before its author signed in; `taken` tells that it is no longer needed there.
   */
  begin(server, found = null) {
    const local = this.store.read();
    if (!server) return this.#beginAlone(local);
    this.state = server.revision ? { ...NOTHING, source: server.source, base: server.revision } : { ...NOTHING, source: this.starter };
    const lacking = (record) => record && (record.dirty || record.base > server.revision) && !this.#isKnown(record, server);
    const mine = [local, found].find(lacking);
    const taken = found !== null && (mine === found || !mine);
    if (mine && (!server.revision || mine.base === server.revision || mine.sent === server.source)) {
      this.#become({ ...mine, base: server.revision, dirty: true });
      this.#later(0);
    } else if (mine) {
      this.#become({ ...mine, dirty: true });
      this.#conflict(server);
    } else {
      this.#become(this.state);
    }
    return { text: this.state.source, taken };
  }

  /** The author changed the text. With `keep`, what it replaces goes into the history. */
  edit(source, { keep = false } = {}) {
    if (source === this.state.source) return;
    this.keep ||= keep;
    this.typing = true;
    this.#become({ ...this.state, source, dirty: true });
    this.#later(PAUSE_MS);
  }

  /** Send what the server lacks. `last`: the page is going away. Resolves when nothing is under way. */
  async flush({ last = false } = {}) {
    this.timers.clearTimeout(this.timer);
    if (!this.remote || !this.state.dirty || this.theirs) return;
    if (this.sending) return this.sending;
    this.sending = this.#send(last).finally(() => (this.sending = null));
    await this.sending;
  }

  /** End a conflict with "mine" or "theirs". The other text goes into the history. */
  async decide(choice) {
    const { theirs } = this;
    if (!theirs) return;
    this.theirs = null;
    this.keep = true;
    this.#become({ ...this.state, base: theirs.revision, dirty: true });
    await this.flush();
    if (choice === "mine" || this.theirs) return;
    this.show(theirs.source);
    this.keep = true;
    this.#become({ ...this.state, source: theirs.source, dirty: true });
    await this.flush();
  }

  /** Another tab of this browser kept `record`. */
  adopt(record) {
    if (!record || this.theirs) return;
    const changed = record.source !== this.state.source;
    this.state = record;
    this.typing = false;
    if (changed) this.show(record.source);
    this.#say();
  }

  /** Look whether another browser has saved, if nothing here waits to be sent. */
  async refresh() {
    if (!this.remote || this.state.dirty || this.sending || this.theirs) return;
    const answer = await this.remote.load();
    if (answer.kind !== "draft" || this.state.dirty || answer.revision <= this.state.base) return;
    this.#become({ ...NOTHING, source: answer.source, base: answer.revision });
    this.show(answer.source);
  }

  /** Stop; nothing is sent or told any more. */
  end() {
    this.timers.clearTimeout(this.timer);
    this.tell = this.show = this.ask = () => {};
  }

  #beginAlone(local) {
    this.#become(local ?? this.state);
    if (this.state.dirty) this.#later(PAUSE_MS);
    return { text: this.state.source, taken: false };
  }

  #isKnown(record, server) {
    return record.source === (server.revision ? server.source : this.starter);
  }

  #become(state) {
    this.state = state;
    if (state.source === this.starter && !state.base) {
      this.store.clear();
      this.kept = true;
    } else this.kept = this.store.write(state);
    this.#say();
  }

  #say(kind = null, reason = "") {
    const { source, base, dirty } = this.state;
    if (kind) this.tell({ kind, reason });
    else if (this.theirs) this.tell({ kind: "conflict", reason });
    else if (source === this.starter && !base) this.tell({ kind: "starter", reason });
    else if (base && !dirty) this.tell({ kind: "saved", reason });
    else this.tell({ kind: this.kept ? "local" : "nowhere", reason });
  }

  #later(delay) {
    this.timers.clearTimeout(this.timer);
    if (this.remote) this.timer = this.timers.setTimeout(() => this.flush(), delay);
  }

  async #send(last) {
    const { source, base } = this.state;
    const { keep } = this;
    this.keep = false;
    this.state = { ...this.state, sent: source };
    this.store.write(this.state);
    const answer = await this.remote.save({ source, expected: base, keep }, { last });
    const handled = { saved: () => this.#saved(source, answer), conflict: () => this.#conflict(answer) }[answer.kind];
    if (handled) {
      this.failures = 0;
      handled();
      return;
    }
    this.keep ||= keep;
    this.#say(answer.kind, answer.reason);
    if (answer.kind === "signed-out") this.remote = null;
    if (answer.kind !== "unreachable") return;
    this.#later(RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)]);
    this.failures += 1;
  }

  #saved(source, { revision }) {
    const dirty = this.state.source !== source;
    this.typing &&= dirty;
    this.#become({ ...this.state, base: revision, dirty });
    if (dirty) this.#later(PAUSE_MS);
  }

  #conflict({ revision, source, saved }) {
    this.theirs = { revision, source, saved };
    this.#say();
    this.ask({ mine: this.state.source, theirs: this.theirs });
  }
}
