// A stream of events that survives what networks do: it reconnects, and asks now and then while it cannot.
//
// The browser reconnects an EventSource by itself and sends Last-Event-ID, so nothing is missed. After several
// failures in a row, or when the server refuses a stream, `poll` is called every POLL_MS instead, and the stream
// is tried again after RETRY_POLLS of them.

export const FAILURES = 4;
export const POLL_MS = 3000;
export const RETRY_POLLS = 10;

const REAL = {
  open: (url) => new EventSource(url),
  wait: (call, ms) => setTimeout(call, ms),
  cancel: (timer) => clearTimeout(timer),
};

/**
 * Follow `url`.
 *
 * `hear(kind, data, id)` gets each message of `kinds`. `tell(how)` learns of the connection: "live", "lost" or
 * "polling". `poll()` asks in the stream's place and resolves to true when there is no more to follow; so does
 * `hear` by returning true. Returns a function that ends it.
 */
export function follow(url, { kinds, hear, tell, poll }, { open, wait, cancel } = REAL) {
  let source = null;
  let timer = null;
  let failures = 0;
  let polls = 0;
  let over = false;
  let last = "";

  const stop = () => {
    over = true;
    source?.close();
    cancel(timer);
  };
  const receive = (message) => {
    if (over) return;
    last = message.lastEventId || last;
    failures = 0;
    if (hear(message.type, JSON.parse(message.data), Number(message.lastEventId))) stop();
  };
  const connect = () => {
    source = open(resumed(url, last));
    source.addEventListener("open", () => !over && tell("live"));
    source.addEventListener("error", fail);
    for (const kind of kinds) source.addEventListener(kind, receive);
  };
  const fail = () => {
    if (over) return;
    failures += 1;
    const refused = source.readyState === CLOSED;
    if (!refused && failures < FAILURES) {
      tell("lost");
      return;
    }
    source.close();
    polls = 0;
    // A stream that has ended is refused too; then the first answer says so, and nothing was lost.
    ask({ quietly: refused && failures === 1 });
  };
  const ask = async ({ quietly }) => {
    const done = await poll().catch(() => false);
    if (over) return;
    if (done) {
      stop();
      return;
    }
    if (!quietly || polls > 0) tell("polling");
    polls += 1;
    timer = wait(() => {
      if (polls % RETRY_POLLS) ask({ quietly: false });
      else {
        failures = 0;
        connect();
      }
    }, POLL_MS);
  };

  connect();
  return stop;
}

const CLOSED = 2;

// A new EventSource knows no last id, so the address says it.
function resumed(url, last) {
  return last ? `${url.split("?")[0]}?after=${last}` : url;
}
