"""Texts of refusals say what is wrong and what to do."""

from problems.importing.refusals import python_fails, random_reference, undrawable

SHAPE = "RuntimeError: shape '[64, 3, 3, 3]' is invalid for input of size 2"


def test_a_missing_package_is_named_with_what_the_sandbox_has() -> None:
    said = python_fails("ModuleNotFoundError: No module named 'einops.layers' (model.py, line 4)")
    assert said.startswith("it needs the Python package einops, but the sandbox has only PyTorch, NumPy,")
    assert said.endswith("Rewrite its code without the package, then import it again.")


def test_other_failures_are_told_as_they_are() -> None:
    said = "KeyError: 'n' (task.py, line 2)"
    assert python_fails(said) == f"its Python fails: {said}. Correct its code, then import it again."


def test_a_problem_that_is_too_large_says_how_large_and_tells_each_failure_once() -> None:
    broken = {name: f"generating case {name}: died: {SHAPE}" for name in ("sample-2", "odd-sizes")}
    said = undrawable(528 << 20, broken)
    assert said.startswith(
        "the arrays of its smallest test have 528 MiB, but a checked case may have at most 256"
    )
    assert said.count(SHAPE) == 1
    assert said.endswith("Reduce the sizes in its file, then import it again.")


def test_a_problem_of_usual_size_whose_cases_fail_has_to_be_corrected() -> None:
    said = undrawable(1 << 20, {"a": "generating case a: took longer than 60 s"})
    assert said == (
        "its cases cannot be drawn: took longer than 60 s. Correct its code, then import it again."
    )


def test_random_numbers_of_a_reference() -> None:
    assert "global random numbers (sample)" in random_reference("sample")
