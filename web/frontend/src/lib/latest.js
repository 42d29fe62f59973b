// Of questions that are asked while one is under way, only the last is asked, and only the last answer counts.

/** A function that calls `ask` now or once the answer under way is there, and `take` with each answer that is one. */
export function latest(ask, take) {
  let running = false;
  let again = false;
  return async function go() {
    if (running) {
      again = true;
      return;
    }
    running = true;
    const answer = await ask().catch(() => null);
    running = false;
    if (again) {
      again = false;
      await go();
    } else if (answer !== null) take(answer);
  };
}
