// The conversation that every compiled runner has with the referee.
//
// Theory of operation. Descriptor 3 is a SOCK_SEQPACKET socket to the referee (sandbox/wire.py). We answer
// each request with its sequence number and nothing else. From LOAD on the submission's code shares this
// process, so nothing here can be trusted any more; the referee decides by the buffers alone. What we do
// owe it is never to claim success on our own account: every failure we notice ends the process with the
// status that names it.
#pragma once

#include "channel.h"

namespace warpcourt {

// Serves until the host goes. `Runner` has
//     void prepare(unsigned devices), void load(Message&), void run(Message&), void time(Message&)
// It may have void quit(), the last chance to say
// what only now has come to light.
template <class Runner>
[[noreturn]] void serve(Runner& runner) {
  bool loaded = false;
  reply(0);
  for (;;) {
    Message message = receive();
    switch (message.request.kind) {
      case wire::Kind::kPrepare:
        if (loaded) our_fault("PREPARE after LOAD");
        runner.prepare(message.request.devices);
        break;
      case wire::Kind::kLoad:
        if (loaded) our_fault("a second LOAD");
        runner.load(message);
        loaded = true;
        break;
      case wire::Kind::kRun:
        if (!loaded) our_fault("RUN before LOAD");
        runner.run(message);
        break;
      case wire::Kind::kTime:
        if (!loaded) our_fault("TIME before LOAD");
        runner.time(message);
        break;
      case wire::Kind::kQuit:
        if constexpr (requires { runner.quit(); }) runner.quit();
        std::exit(0);
      default: our_fault("an unknown request");
    }
    std::fflush(stdout);
    reply(message.request.sequence);
  }
}

}  // namespace warpcourt
