// Sends a form a little after each change, one request at a time.
//
// A save names the revision that the form was made from, in `expected`. What the server answers decides: saved
// (with the new revision), a conflict that its author must look at, refused with a reason, or out of reach,
// which is tried again.

export const PAUSE_MS = 1500;
const RETRY_MS = [4000, 10_000, 30_000, 60_000];
// Browsers send up to 64 KiB for a page that is gone; the form's own framing comes on top of what it holds.
export const LAST_BYTES = 56 * 1024;

/**
 * Saves what `read()` gives through `send(body, {last})`, which resolves to {kind, revision, values, reason, by}.
 *
 * `tell(status)` gets {kind, reason, by}; `adopt({revision, values})` what the form must say once it is saved.
 */
export class Saving {
  constructor({ read, send, adopt, tell, timers = globalThis }) {
    Object.assign(this, { read, send, adopt, tell, timers });
    this.dirty = false;
    this.stopped = false;
    this.stuck = false;
    this.failures = 0;
    this.timer = null;
    this.sending = null;
  }

  /** The form was changed. */
  changed() {
    this.dirty = true;
    if (this.stopped) return;
    this.tell({ kind: "unsaved", reason: "" });
    this.#later(PAUSE_MS);
  }

  /** Send what the server lacks. Resolves to whether it lacks nothing any more. */
  async flush({ last = false } = {}) {
    this.timers.clearTimeout(this.timer);
    if (this.sending) await this.sending;
    if (this.stopped || !this.dirty) return !this.dirty;
    this.sending = this.#send(last).finally(() => (this.sending = null));
    await this.sending;
    return !this.dirty;
  }

  /** Try once more what was not taken since nobody was signed in. */
  async again() {
    this.stopped = false;
    this.dirty = true;
    return this.flush();
  }

  /** Whether leaving now would lose what the server did not take. */
  get losing() {
    return this.dirty && (this.stuck || weight(this.read()) > LAST_BYTES);
  }

  /** The form is handed in by its button; nothing more is sent. */
  stop() {
    this.stopped = true;
    this.dirty = false;
    this.timers.clearTimeout(this.timer);
  }

  async #send(last) {
    this.dirty = false;
    const answer = await this.send(this.read(), { last });
    this.stuck = answer.kind !== "saved";
    if (answer.kind === "saved") {
      this.failures = 0;
      this.adopt(answer);
      this.tell(this.dirty ? { kind: "unsaved", reason: "" } : { kind: "saved", reason: "" });
      if (this.dirty) this.#later(PAUSE_MS);
      return;
    }
    this.dirty = true;
    this.tell({ kind: answer.kind, reason: answer.reason ?? "", by: answer.by ?? "" });
    if (answer.kind === "conflict" || answer.kind === "signed-out") this.stopped = true;
    if (answer.kind !== "unreachable") return;
    this.#later(RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)]);
    this.failures += 1;
  }

  #later(delay) {
    this.timers.clearTimeout(this.timer);
    this.timer = this.timers.setTimeout(() => this.flush(), delay);
  }
}

/** The bytes of what a form holds. */
export function weight(form) {
  const encoder = new TextEncoder();
  const bytes = [...form].map(([name, value]) => encoder.encode(name).length + (value.size ?? encoder.encode(value).length));
  return bytes.reduce((sum, each) => sum + each, 0);
}

/** Posts a form to `url` for a script. What is too much for a page that goes is sent as if it stayed. */
export function poster(url, send = fetch) {
  return async (body, { last = false } = {}) => {
    const headers = { Accept: "application/json" };
    const keepalive = last && weight(body) <= LAST_BYTES;
    const response = await send(url, { method: "POST", body, headers, credentials: "same-origin", keepalive }).catch(() => null);
    if (!response) return { kind: "unreachable" };
    // Who is signed out is led to the form that signs in, which answers scripts in JSON too.
    if (response.redirected) return { kind: "signed-out" };
    const json = (response.headers.get("content-type") ?? "").startsWith("application/json");
    const told = json ? await response.json() : {};
    if (response.ok && json) return { ...told, reason: told.error ?? "" };
    const kinds = { 200: "signed-out", 401: "signed-out", 403: "signed-out", 404: "signed-out" };
    return { kind: kinds[response.status] ?? "unreachable", reason: told.error ?? "" };
  };
}
