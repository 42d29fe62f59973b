"""Tests spans with an exporter in memory, and that there are none without a collector."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from web.setting import ConfigError
from web.site import tracing


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    found = InMemorySpanExporter()
    tracing.start_with("test", SimpleSpanProcessor(found))
    yield found
    tracing.stop()


def test_a_span_below_another_is_of_its_trace(exporter: InMemorySpanExporter) -> None:
    with tracing.span("outer", attributes={"n": 1}), tracing.span("inner"):
        tracing.passed("compile", 0.5)
    stage, inner, outer = exporter.get_finished_spans()
    assert (stage.name, inner.name, outer.name) == ("compile", "inner", "outer")
    assert stage.parent.span_id == inner.context.span_id
    assert inner.parent.span_id == outer.context.span_id
    assert outer.attributes == {"n": 1}
    assert 0.49e9 < stage.end_time - stage.start_time < 0.51e9


def test_a_parent_elsewhere_is_taken_by_its_header_and_the_current_span_linked(
    exporter: InMemorySpanExporter,
) -> None:
    with tracing.span("request"):
        header = tracing.traceparent()
    with tracing.span("receive wake-up"), tracing.span("judge", parent=header):
        pass
    request, judge, heard = exporter.get_finished_spans()
    assert judge.parent.span_id == request.context.span_id
    assert judge.context.trace_id == request.context.trace_id != heard.context.trace_id
    assert [link.context.span_id for link in judge.links] == [heard.context.span_id]


def test_nonsense_for_a_parent_begins_a_new_trace(exporter: InMemorySpanExporter) -> None:
    with tracing.span("request", parent="00-zz-zz-01"):
        pass
    (request,) = exporter.get_finished_spans()
    assert request.parent is None


def test_a_span_keeps_no_text_of_an_exception(exporter: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="source"), tracing.span("judge"):
        raise ValueError("a source of somebody")
    (span,) = exporter.get_finished_spans()
    assert span.events == ()
    assert span.status.description == "ValueError"
    assert "somebody" not in span.to_json()


def test_without_a_collector_nothing_is_done_and_nothing_imported() -> None:
    code = """
import sys
from web.site import tracing
tracing.start("web", "")
with tracing.span("request", parent="x"):
    tracing.note("GET home", {"a": 1})
    tracing.passed("compile", 1)
    assert tracing.traceparent() == "" and tracing.carrier() == {}
tracing.stop()
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_package_is_named_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(ConfigError, match=r"WARPCOURT_OTLP_URL.*otel\.txt"):
        tracing.start("web", "http://127.0.0.1:4318")
