"""Loads, stores, atomics, copies and control flow against their models."""

from pathlib import Path

import pytest

from .forms_memory import FORMS
from .harness import Compiled, check, compile_forms

pytestmark = pytest.mark.xdist_group("translator-memory")  # compiled once, not in every process


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    folder: Path = tmp_path_factory.mktemp("memory")
    return compile_forms(FORMS, folder)


@pytest.mark.parametrize("index", range(len(FORMS)), ids=[form.label for form in FORMS])
def test_memory_form(compiled: Compiled, index: int) -> None:
    check(compiled, index, FORMS[index])
