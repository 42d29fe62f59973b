"""Tests that the output of a sandbox is validated, because it has run foreign code."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.proof.examination import SandboxedExaminer
from problems.importing.described import MAX_DESCRIPTION_BYTES, Array, Described, parse_description
from problems.importing.report import Refused
from problems.importing.sandboxed import quoted, with_imports
from sandbox.fake import FakeBackend, Script, exited
from sandbox.spec import Completion, Termination

SOUND = {
    "title": "T",
    "absolute": 0.1,
    "relative": 0,
    "gpus": 1,
    "tier": "",
    "arguments": [{"name": "a", "kind": "array", "role": "in", "dtype": ""}],
    "modules": [],
    "tests": [
        {
            "part": "example",
            "number": 0,
            "name": "e",
            "arguments": {"a": {"kind": "array", "dtype": "float32", "shape": [2]}},
        }
    ],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def test_a_sound_one_is_read() -> None:
    found = parse_description(json.dumps(SOUND).encode())
    assert found.tests[0].values == {"a": Array("float32", (2,))}


@given(st.sampled_from(sorted(SOUND)), JSON)
def test_anything_else_is_refused_and_never_breaks(key: str, value: object) -> None:
    with contextlib.suppress(Refused):
        assert isinstance(parse_description(json.dumps(SOUND | {key: value}).encode()), Described)


@pytest.mark.parametrize(
    "content", [b"", b"[", b"\xff", b"[" * 100_000, b"1" * 10_000, b"0" * (MAX_DESCRIPTION_BYTES + 1)]
)
def test_what_is_no_description_is_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        parse_description(content)


@pytest.mark.parametrize(
    ("completion", "words"),
    [
        (exited(3, stderr=b"boom"), "ended unexpectedly .exited, status 3.: boom"),
        (Completion(Termination.WALL_TIME, 9, b"", b"", 1, 1, None), "takes more than 600 s"),
        (Completion(Termination.MEMORY, 9, b"", b"", 1, 1, None), "takes more than 4096 MiB"),
    ],
)
def test_how_a_sandbox_ended_is_the_reason(monkeypatch, completion: Completion, words: str) -> None:
    monkeypatch.setattr("judge.proof.examination.find_spec", lambda _: True)
    with pytest.raises(Refused, match=words):
        SandboxedExaminer(FakeBackend([Script(completion=completion)])).examine("")


@given(st.text(max_size=80))
def test_quoted_text_is_itself(text: str) -> None:
    assert eval(quoted(text)) == text


def test_modules_are_found_by_reading(tmp_path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "base.py").write_text("from core import more\nimport os\nboom = 1 / 0\n")
    (tmp_path / "core" / "more.py").write_text("x = 1\n")
    (tmp_path / "main.py").write_text("from core.base import thing\nimport torch\n")
    (tmp_path / "other.py").write_text("never\n")
    assert set(with_imports(tmp_path / "main.py", "main.py", [tmp_path])) == {
        "main.py",
        "core/base.py",
        "core/more.py",
    }


def test_links_lead_nowhere(tmp_path) -> None:
    (tmp_path / "secret.py").write_text("x = 1\n")
    inside = tmp_path / "set"
    inside.mkdir()
    (inside / "linked.py").symlink_to(tmp_path / "secret.py")
    (inside / "main.py").write_text("import linked\n")
    assert set(with_imports(inside / "main.py", "main.py", [inside])) == {"main.py"}
    with pytest.raises(Refused):
        with_imports(inside / "linked.py", "main.py", [inside])


def test_what_the_sandbox_has_is_not_looked_for_beside_a_definition(tmp_path) -> None:
    for name in ("torch", "ctypes", "own"):
        (tmp_path / f"{name}.py").write_text("x = 1\n")
    (tmp_path / "main.py").write_text("import ctypes\nimport own\nimport torch.nn as nn\n")
    assert set(with_imports(tmp_path / "main.py", "main.py", [tmp_path])) == {"main.py", "own.py"}
