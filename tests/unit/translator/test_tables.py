"""Tests that the tables are complete: every entry has a section, a test and up-to-date documentation."""

from pathlib import Path

from sandbox.cpu.translator.documentation import document
from sandbox.cpu.translator.parser import parse
from sandbox.cpu.translator.syntax import Instruction, Scope, Statement
from sandbox.cpu.translator.tables import ENTRIES, find

from . import forms_conversion, forms_float, forms_integer, forms_memory, test_emission
from .forms_matrix import PRODUCTS, ROW_KERNELS, product_kernel
from .harness import HEADER

PAGE = Path(__file__).parents[3] / "docs" / "functional-mode-instructions.md"
CALLS_TESTED_BY_NAME = {"call"}  # test_emission.py: direct, indirect and into the runtime


def _instructions(statements: tuple[Statement, ...]) -> list[Instruction]:
    found: list[Instruction] = []
    for statement in statements:
        if isinstance(statement, Instruction):
            found.append(statement)
        elif isinstance(statement, Scope):
            found += _instructions(statement.statements)
    return found


def _tested() -> set[int]:
    families = (forms_integer, forms_float, forms_conversion, forms_memory)
    forms = [form for family in families for form in family.FORMS]
    texts = [form.kernel(index) for index, form in enumerate(forms)]
    texts += [product_kernel(product, index) for index, product in enumerate(PRODUCTS)]
    texts += [ROW_KERNELS, *(test_emission.kernel(text).removeprefix(HEADER) for text in test_emission.CALLS)]
    module = parse(HEADER + "\n".join(texts))
    return {
        id(find(instruction))
        for function in module.functions
        for instruction in _instructions(function.body or ())
    }


def test_every_entry_names_its_section_and_syntax() -> None:
    for entry in ENTRIES:
        assert entry.section.startswith("9.7."), entry.name
        assert entry.syntax.startswith(entry.name), entry.syntax


def test_every_entry_is_tested() -> None:
    tested = _tested()
    untested = [
        f"{entry.section}: {entry.syntax}"
        for entry in ENTRIES
        if id(entry) not in tested and entry.name not in CALLS_TESTED_BY_NAME
    ]
    assert not untested


def test_the_page_is_in_step_with_the_tables() -> None:
    assert PAGE.read_text() == document(), "run: python -m sandbox.cpu.translator.documentation"
