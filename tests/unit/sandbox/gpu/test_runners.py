"""Tests the commands of the runners for GPUs, and that they contain nothing about this machine."""

import sys
from pathlib import Path

import pytest

from sandbox.gpu.profiler import MAX_REPORT_BYTES, REPORT
from sandbox.gpu.runners import (
    HOME,
    IN_IMAGE,
    Interpreter,
    cuda_runner_command,
    library_runner_command,
    of_this_process,
    oracle_command,
    triton_runner_command,
    watched_runner_command,
)
from sandbox.gpu.tool import Tool
from sandbox.runner.timed_session import LIBRARY
from sandbox.spec import Command, Image, Limits, SandboxGpu

LIMITS = Limits(wall_s=1, cpu_s=1, memory_mib=64)
GPU = SandboxGpu("GPU-1", 0)
RUNNER = Path("/somewhere/built/device_runner")


def commands(interpreter: Interpreter = IN_IMAGE) -> dict[Image, Command]:
    return {
        Image.CUDA: cuda_runner_command(RUNNER, limits=LIMITS, gpu=GPU),
        Image.LIBRARIES: library_runner_command(RUNNER, limits=LIMITS, gpu=GPU),
        Image.TRITON: triton_runner_command(interpreter, RUNNER, limits=LIMITS, gpu=GPU),
        Image.ORACLE: oracle_command(interpreter, limits=LIMITS, gpu=GPU),
    }


@pytest.mark.parametrize("image", [Image.CUDA, Image.LIBRARIES, Image.TRITON, Image.ORACLE])
def test_a_command_names_its_image_and_its_gpu(image: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    command = commands()[image]
    assert (command.image, command.gpu, command.channel) == (image, GPU, True)
    assert "hunter2" not in command.environment.values()
    assert command.environment["CUDA_CACHE_DISABLE"] == "1"
    assert not any(sys.prefix in word for word in (*command.argv, *command.environment.values()))


def test_an_images_own_python_runs_our_code_alone() -> None:
    command = commands()[Image.TRITON]
    assert command.argv == ("python3", "-s", "-B", "-m", "sandbox.runner.device_triton_runner")
    native, code = command.binds
    assert (native.source, native.target) == (RUNNER.parent, HOME)
    library = Path(command.environment[LIBRARY])
    assert library.parent == Path(HOME)
    assert (code.source.name, code.target) == ("sandbox", f"{command.environment['PYTHONPATH']}/sandbox")


def test_this_processs_python_comes_with_its_files() -> None:
    interpreter = of_this_process()
    assert interpreter.python == sys.executable
    shown = [Path("/usr"), *(bind.source for bind in interpreter.binds)]
    for needed in (sys.executable, sys.prefix, sys.base_prefix):
        assert any(Path(needed).is_relative_to(folder) for folder in shown), needed
    assert commands(interpreter)[Image.ORACLE].binds[:-1] == interpreter.binds


def test_an_interpreters_environment_wins() -> None:
    interpreter = Interpreter("python3", environment={"TRITON_CACHE_DIR": "/elsewhere"})
    assert commands(interpreter)[Image.TRITON].environment["TRITON_CACHE_DIR"] == "/elsewhere"


def test_the_profiler_leaves_its_report_where_it_is_collected() -> None:
    command = watched_runner_command(RUNNER, "/opt/ncu", tool=Tool.PROFILER, limits=LIMITS, gpu=GPU)
    assert command.argv[command.argv.index("--export") + 1] == f"/work/{REPORT}"
    assert command.collect == {REPORT: MAX_REPORT_BYTES}


@pytest.mark.parametrize("tool", [Tool.MEMCHECK, Tool.RACECHECK])
def test_the_sanitizer_runs_the_runner(tool: Tool) -> None:
    plain = commands()[Image.CUDA]
    command = watched_runner_command(
        RUNNER, "/usr/local/cuda/bin/compute-sanitizer", tool=tool, limits=LIMITS, gpu=GPU
    )
    assert command.argv[1:3] == ("--tool", tool.value)
    assert command.argv[0] == "/usr/local/cuda/bin/compute-sanitizer"
    assert command.argv[-1:] == plain.argv
    assert command.binds == plain.binds
