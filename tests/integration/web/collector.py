"""An OpenTelemetry collector that stores the spans that it receives."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, slots=True)
class Seen:
    """A received span. Ids are in hexadecimal, and a missing parent is empty."""

    service: str
    name: str
    trace: str
    span: str
    parent: str
    links: tuple[str, ...]
    attributes: dict[str, str]


@dataclass(slots=True)
class Collector:
    """The received spans, and the collector's `url`."""

    url: str = ""
    spans: list[Seen] = field(default_factory=list)

    def take(self, body: bytes) -> None:
        """Store the spans of one message."""
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = next(
                a.value.string_value for a in resource.resource.attributes if a.key == "service.name"
            )
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.append(
                        Seen(
                            service,
                            span.name,
                            span.trace_id.hex(),
                            span.span_id.hex(),
                            span.parent_span_id.hex(),
                            tuple(link.span_id.hex() for link in span.links),
                            {a.key: a.value.string_value or str(a.value.int_value) for a in span.attributes},
                        )
                    )

    def named(self, name: str) -> list[Seen]:
        """Return the spans of that name, in the order of arrival."""
        return [span for span in self.spans if span.name == name]


@contextmanager
def collecting() -> Iterator[Collector]:
    """Yield a collector that listens on the loopback address."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
