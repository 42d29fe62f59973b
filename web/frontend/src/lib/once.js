// The random key that goes with a program, so that the server takes the same intention once.
//
// A program keeps its key while it is judged, and as long as its author goes on pressing the button after the
// verdict. Any other program gets a new key, and so does the same one when it is meant again.

export const QUIET_MS = 2000;

export class Once {
  #key;
  #program = null;
  #pending = false;
  #pressed = 0;
  #draw;

  /** `first` is the key that the server put into the form. `draw()` returns a new one. */
  constructor(first, draw = () => crypto.randomUUID()) {
    this.#key = first;
    this.#draw = draw;
  }

  /** The key for `program`, which its author hands in at `now` (in milliseconds). */
  keyFor(program, now) {
    const again = program === this.#program && (this.#pending || now - this.#pressed < QUIET_MS);
    if (this.#program !== null && !again) this.#key = this.#draw();
    this.#program = program;
    this.#pending = true;
    this.#pressed = now;
    return this.#key;
  }

  /** The verdict is there. */
  judged() {
    this.#pending = false;
  }

  /** The server took nothing, so the key is free. */
  refused() {
    this.#pending = false;
    this.#pressed = 0;
  }
}
