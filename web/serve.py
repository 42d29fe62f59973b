"""The web server of a deployment: `python -m web.serve`.

Theory of operation. A site stays available during a restart if two of these servers run behind a proxy and
stop one after the other. A server that stops immediately would break requests that are on their way to it. So
on SIGTERM:

1. The server creates the mark of `web.site.draining`. From now on, `/readyz` answers 503. All other requests
   are served as before.
2. For `drain_s` seconds nothing changes. The proxy checks `/readyz` more often than that and uses the other
   server.
3. The server creates the mark for stopping, so its event streams end (`web.submissions.event_broadcaster`).
   The clients resume them at the other server. uvicorn gets the SIGTERM and completes the running requests.

A second signal ends the wait. uvicorn runs in a child process and starts further processes. If it exits
without a signal from this process, this process exits with its status, and the supervisor restarts it.

The server keeps idle connections for longer than a proxy does, so that the proxy closes them. A request on a
connection that the server is just closing would be lost.
"""

import argparse
import signal
import subprocess
import sys
from threading import Event

from web.config import Config
from web.setting import ConfigError
from web.site import draining

FINISH_S = 10  # for running requests, on a slow host
KEEP_IDLE_S = 75
_LOOK_S = 0.2


def uvicorn_argv(config: Config) -> list[str]:
    """Return the command that serves the site."""
    return [
        *(sys.executable, "-m", "uvicorn", "web.asgi:application"),
        *("--host", config.host, "--port", str(config.port), "--lifespan", "off"),
        *("--workers", str(config.web_processes), "--timeout-keep-alive", str(KEEP_IDLE_S)),
        *("--no-server-header", "--no-access-log", "--log-level", "warning", "--no-proxy-headers"),
        *("--timeout-graceful-shutdown", str(FINISH_S)),
    ]


def serve(config: Config, stop: Event, hurry: Event) -> int:
    """Serve until `stop`. Then drain, at most until `hurry`. Return the status of uvicorn."""
    mark, stopping = draining.mark(config), draining.stopping_mark(config)
    mark.parent.mkdir(parents=True, exist_ok=True)
    for left_over in (mark, stopping):  # by a server that was killed
        left_over.unlink(missing_ok=True)
    # Start uvicorn in a new session, so that signals reach only this process
    server = subprocess.Popen(uvicorn_argv(config), start_new_session=True)
    try:
        while server.poll() is None and not stop.wait(_LOOK_S):
            pass
        if server.poll() is None:
            mark.touch()
            _say(f"draining for {config.drain_s} s")
            hurry.wait(config.drain_s)
    finally:
        stopping.touch()
        server.terminate()
        status = server.wait()
        for made in (mark, stopping):
            made.unlink(missing_ok=True)
    return 0 if stop.is_set() else status or 1


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGTERM or Ctrl-C, then drain for a while."""
    argparse.ArgumentParser(prog="python -m web.serve", description=main.__doc__).parse_args(argv)
    try:
        config = Config.from_env()
    except ConfigError as error:
        _say(str(error))
        return 1
    stop, hurry = Event(), Event()

    def asked(*_: object) -> None:
        (hurry if stop.is_set() else stop).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, asked)
    return serve(config, stop, hurry)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
