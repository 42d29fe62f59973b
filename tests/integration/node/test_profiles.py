"""Tests a profiled run on a node. Only the GPU and the profiler, which is a script, are not real."""

from collections.abc import Collection
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from judge.cpu.target import CpuTarget
from judge.evaluate import evaluate
from judge.gpu.hardware import Card
from judge.gpu.pool.client import SecretPoolSettings
from judge.gpu.simulated import SimulatedHardware
from judge.gpu.target import GpuTarget
from judge.report import Report
from judge.report_json import from_json, to_json
from problems.schema import Problem
from problems.vocabulary import Language, Mode, Verdict
from sandbox.bubblewrap import Bubblewrap
from sandbox.cpu.build import runner_command
from sandbox.gpu.profiler import MAX_REPORT_BYTES, REPORT, profiling_argv
from sandbox.gpu.tool import Tool
from sandbox.spec import Bind, Command, Limits
from tests.integration.conftest import CACHE
from tests.integration.node.conftest import solution
from tests.integration.sandbox.test_profiler import PROFILER

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-profiles")]


class ProfilingHardware(SimulatedHardware):
    """A simulated card whose profiler writes its report with the shell command `write`."""

    def __init__(self, cpu: CpuTarget, folder: Path, write: str) -> None:
        super().__init__(cpu)
        self._runtime = cpu.runtime
        self._folder = folder
        self._write = write

    @property
    def tools(self) -> Collection[Tool]:
        return (Tool.PROFILER,)

    def watched(self, card: Card, limits: Limits, tool: Tool) -> Command:
        plain = runner_command(self._runtime, limits=limits)
        for name, text in (
            ("ncu", PROFILER.replace("{write}", self._write)),
            ("runner", f"#!/bin/sh\nexec {' '.join(plain.argv)}\n"),
        ):
            (self._folder / name).write_text(text)
            (self._folder / name).chmod(0o755)
        return replace(
            plain,
            argv=profiling_argv("/tool/ncu", "/tool/runner"),
            binds=(*plain.binds, Bind(self._folder, "/tool")),
            environment={"PATH": "/usr/bin:/bin"},
            collect={REPORT: MAX_REPORT_BYTES},
        )


def profiled(runtime: Path, folder: Path, problem: Problem, write: str) -> Report:
    """The report of a profiled run of an accepted program."""
    folder.chmod(0o755)
    backend = Bubblewrap()
    hardware = ProfilingHardware(CpuTarget.open(backend, cache=CACHE, warm={}), folder, write)
    pool = SecretPoolSettings(budget_mib=256)
    node = GpuTarget(hardware, backend, runtime=runtime, warm={"oracle": 1}, slots=2, secret_pool=pool)
    with closing(node):
        return evaluate(
            problem,
            source=solution("plain.cu"),
            language=Language.CUDA,
            mode=Mode.RUN,
            target=node,
            tool=Tool.PROFILER,
        )


def test_a_run_brings_the_report_of_its_profile(runtime: Path, tmp_path: Path, vector_add: Problem) -> None:
    report = profiled(runtime, tmp_path, vector_add, "printf 'NVR\\0\\377'")
    assert report.verdict is Verdict.ACCEPTED
    assert report.profile is not None
    assert [launch.kernel for launch in report.profile.launches] == ["add"]
    assert (report.profile_report, report.profile.report_missing) == (b"NVR\0\xff", "")
    assert from_json(to_json(report)) == replace(report, profile_report=None)


def test_a_large_report_is_left_out_and_the_profile_says_so(
    runtime: Path, tmp_path: Path, vector_add: Problem
) -> None:
    report = profiled(runtime, tmp_path, vector_add, f"head -c {MAX_REPORT_BYTES + 1} /dev/zero")
    assert report.profile is not None
    assert report.profile.launches
    assert report.profile_report is None
    assert "larger than 16 MiB" in report.profile.report_missing
