"""Integer, carry, logic and movement instructions against Python's integers."""

from pathlib import Path

import pytest

from .forms_integer import FORMS
from .harness import Compiled, check, compile_forms

pytestmark = pytest.mark.xdist_group("translator-integer")  # compiled once, not in every process


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    folder: Path = tmp_path_factory.mktemp("integer")
    return compile_forms(FORMS, folder)


@pytest.mark.parametrize("index", range(len(FORMS)), ids=[form.label for form in FORMS])
def test_integer_form(compiled: Compiled, index: int) -> None:
    check(compiled, index, FORMS[index])
