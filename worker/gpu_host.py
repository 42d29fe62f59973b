"""Runs all services of a GPU host under one process: `python -m worker.gpu_host`.

Theory of operation. The node service and the worker share leases, MPS and the secret pools through the
runtime directory, and identify processes by their ids. So in a deployment by containers they run in one
container, the only one that may command the container engine. Processes that exit are restarted, as under
`worker.supervise`. At the end the worker stops first: it finishes its jobs or returns them to the queue. The
node service stops after it, because the worker needs MPS and the secret pools until then. This process never
sends SIGKILL: the sender of the SIGTERM does so after its own time limit.
"""

import argparse
import signal
import sys
from threading import Event

from web.config import Config
from web.setting import ConfigError
from worker.supervise import SupervisedProcess, worker_argv

_LOOK_S = 0.2


def run(parts: list[SupervisedProcess], stop: Event) -> None:
    """Keep `parts` running until `stop`. Then stop each and wait for it, the last one first."""
    for part in parts:
        part.start()
    while not stop.wait(_LOOK_S):
        for part in parts:
            part.tend()
    for part in reversed(parts):
        part.ask_to_stop()
        if part.process is not None:
            part.process.wait()
        part.kill()  # processes that the last run left behind


def main(argv: list[str] | None = None) -> int:
    """Judge on the GPUs of this host, and monitor them, until SIGTERM or Ctrl-C."""
    argparse.ArgumentParser(prog="python -m worker.gpu_host", description=main.__doc__).parse_args(argv)
    try:
        config = Config.from_env()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    node = SupervisedProcess("node", [sys.executable, "-m", "worker.node"], sys.stdout)
    run([node, SupervisedProcess("worker", worker_argv(config), sys.stdout)], stop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
