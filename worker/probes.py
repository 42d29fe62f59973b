"""The small web server of a worker or of the node service, for Prometheus and probes.

Theory of operation. It runs in threads of the main process, which also forks children. A child closes the
listening socket that it inherits, or the port would stay in use while a child outlives its parent. It answers

    /metrics  the counts of this process and its children; see `web.observability.access` for who may read it
    /healthz  200 as long as the process answers: a supervisor without an answer should restart it
    /readyz   200 if it works, else 503 with the reason

and does not need the database. A port that is in use costs only the metrics, never a judgement.
"""

import os
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import structlog

from web.observability.access import REFUSED, may_read
from web.observability.exposition import CONTENT_TYPE, expose

log = structlog.get_logger(__name__)

_PLAIN = "text/plain; charset=utf-8"
_PATIENCE_S = 5.0


class Probes:
    """Answers at `host` and `port` from `start` until `stop`.

    `trouble` returns the reason why the process does not work, or nothing. `folder` holds its counts and
    those of its children, None if it counts alone.
    """

    def __init__(
        self, host: str, port: int, *, token: str, folder: Path | None, trouble: Callable[[], str]
    ) -> None:
        self.host, self.port = host, port
        self.token, self.folder, self.trouble = token, folder, trouble
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> None:
        """Listen, unless the port is 0. If that fails, log it and continue without."""
        if not self.port:
            return
        try:
            self._server = _Server((self.host, self.port), _handler(self))
        except OSError as error:
            log.error(  # noqa: TRY400 - a traceback would bury the fix
                "metrics_not_served",
                error=str(error),
                fix=f"give each service of this host its own port; {self.port} was asked for",
            )
            return
        os.register_at_fork(after_in_child=self._server.socket.close)
        Thread(target=self._server.serve_forever, name="probes", daemon=True).start()
        log.info("metrics_served", host=self.host, port=self.port)

    def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def answer(
        self, path: str, *, client: str, authorization: str, forwarded: bool
    ) -> tuple[int, str, bytes]:
        """Return the status, type and body of the answer to a GET of `path`."""
        if path == "/healthz":
            return 200, _PLAIN, b"ok\n"
        if path == "/readyz":
            trouble = self.trouble()
            return (503, _PLAIN, f"{trouble}\n".encode()) if trouble else (200, _PLAIN, b"ok\n")
        if path != "/metrics":
            return 404, _PLAIN, b"There are /metrics, /healthz and /readyz.\n"
        if not may_read(token=self.token, authorization=authorization, client=client, forwarded=forwarded):
            return 403, _PLAIN, REFUSED.encode()
        return 200, CONTENT_TYPE, expose(self.folder)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, handler)


def _handler(probes: Probes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = _PATIENCE_S

        def do_GET(self) -> None:
            status, kind, body = probes.answer(
                self.path.partition("?")[0],
                client=self.client_address[0],
                authorization=self.headers.get("Authorization", ""),
                forwarded="X-Forwarded-For" in self.headers or "Forwarded" in self.headers,
            )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: Prometheus asks every few seconds."""

    return Handler
