"""Tests the order of the steps that compile for several architectures."""

from pathlib import Path

import pytest

from sandbox.gpu.compile.recipe import DeviceSteps, GpuCompileRecipe
from sandbox.gpu.compile.server import GpuChains

NOTHING = ["true"]


def shell(text: str, *arguments: str) -> list[str]:
    return ["sh", "-c", text, *arguments]


def test_the_host_waits_for_the_stub_that_it_includes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another architecture is ready while the stub is half written."""
    monkeypatch.chdir(tmp_path)
    Path("solution.cu").touch()
    early = shell("until [ -e last.stub.c ]; do sleep 0.01; done", "--stub_file_name", "first.stub.c")
    late = shell(
        "printf half > last.stub.c; sleep 0.5; printf ' whole' >> last.stub.c",
        *("--stub_file_name", "last.stub.c"),
    )
    host_front = shell(
        "touch front.cpp", *("--stub_file_name", "last.stub.c", "--gen_c_file_name", "front.cpp")
    )
    recipe = GpuCompileRecipe(
        environment={},
        host={
            "host_preprocess": NOTHING,
            "host_front": host_front,
            "host_compile": shell("cp last.stub.c seen.c"),
        },
        devices=[DeviceSteps(NOTHING, front, NOTHING, "ptx", "cubin") for front in (early, late)],
        fatbinary=NOTHING,
        embed=NOTHING,
        link=NOTHING,
        usage=[],
        disassemble=[],
        files={},
        root="",
        libraries={},
    )
    assert GpuChains(recipe).compile() == (0, "")
    assert Path("seen.c").read_text() == "half whole"
