"""Traces by OpenTelemetry if `WARPCOURT_OTLP_URL` names a collector; otherwise all functions do nothing.

A trace begins with a request, continues with the wake-up message for a worker, and ends with the stages of
judging. Its packages are in deploy/requirements/otel.txt. Only this module imports them, and only if they are
needed.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from web.setting import ConfigError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

_INSTALL = "install it: .venv/bin/pip install --require-hashes --no-deps -r deploy/requirements/otel.txt"
_HEADER = "traceparent"  # Source: https://www.w3.org/TR/trace-context/
_providers: "list[TracerProvider]" = []  # the last one makes the spans


class SpanRole(Enum):
    """The role of a span in a trace, by OpenTelemetry's names of span kinds."""

    INTERNAL = 0
    SERVER = 1
    PRODUCER = 3
    CONSUMER = 4


def start(service: str, url: str) -> None:
    """Send the spans of this process to the collector at `url`, as those of `service`; none if it is empty.

    Call it in each process that works, after any fork.

    Raises:
        ConfigError: OpenTelemetry is not installed.
    """
    if not url:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(f"WARPCOURT_OTLP_URL: OpenTelemetry is missing; {_INSTALL}") from error
    start_with(service, BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{url}/v1/traces")))


def start_with(service: str, processor: "SpanProcessor") -> None:
    """As `start`, with the given receiver of the spans."""
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415 - optional
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - optional

    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service}))
    provider.add_span_processor(processor)
    _providers.append(provider)


def stop() -> None:
    """Send the remaining spans."""
    while _providers:
        _providers.pop().shutdown()


@contextmanager
def span(
    name: str,
    *,
    role: SpanRole = SpanRole.INTERNAL,
    parent: str = "",
    attributes: Mapping[str, str | int] | None = None,
) -> Iterator[None]:
    """Time the block as a span, below `parent` if one is given, else below the current span.

    If the parent is elsewhere, the current span becomes a link of the new one.
    """
    if not _providers:
        yield
        return
    from opentelemetry import trace  # noqa: PLC0415 - optional

    current = trace.get_current_span().get_span_context()
    links = [trace.Link(current)] if parent and current.is_valid else []
    tracer = _providers[-1].get_tracer("warpcourt")
    with tracer.start_as_current_span(
        name,
        context=_context(parent),
        kind=trace.SpanKind(role.value),
        attributes=dict(attributes or {}),
        links=links,
        record_exception=False,  # its text may quote a program
        set_status_on_exception=False,
    ) as begun:
        try:
            yield
        except BaseException as error:
            begun.set_status(trace.StatusCode.ERROR, type(error).__name__)
            raise


def note(name: str, attributes: Mapping[str, str | int]) -> None:
    """Set the name and the attributes of the current span that were unknown when it began."""
    if _providers:
        from opentelemetry import trace  # noqa: PLC0415 - optional

        trace.get_current_span().update_name(name)
        trace.get_current_span().set_attributes(attributes)


def passed(name: str, seconds: float) -> None:
    """Add a span that ends now and took `seconds`."""
    if _providers:
        now_ns = time.time_ns()
        tracer = _providers[-1].get_tracer("warpcourt")
        tracer.start_span(name, start_time=now_ns - int(seconds * 1e9)).end(now_ns)


def traceparent() -> str:
    """Return the current span as the value of the header `traceparent`; empty if there is none."""
    if not _providers:
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    found: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(found)
    return found.get(_HEADER, "")


def carrier() -> dict[str, str]:
    """Return the current span as headers of a message; empty if there is none."""
    current = traceparent()
    return {_HEADER: current} if current else {}


def _context(parent: str) -> "Context | None":
    if not parent:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    return TraceContextTextMapPropagator().extract({_HEADER: parent})
