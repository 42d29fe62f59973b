"""Tests that a submission may change only few lines of a given program, by any kind of edit."""

from dataclasses import replace

import pytest

from problems.fix import MAX_CHANGES, MAX_WIDTH, refused_changes
from problems.loader import load_problem, problems_root
from problems.schema import Fix
from problems.vocabulary import Language
from tests.growth import assert_linear
from tests.unit.problems.fix_attacks import ATTACKS
from tests.unit.problems.packages import DESCRIPTION, faults_of, write_package

GIVEN = "int a;\nint b;\n\nint c;\nint d;\nint e;\n"
FIX = '\n[fix]\ngiven = ["broken.cu"]\nchanges = 2\nprotected = ["int a;"]\n'
BROKEN = '\n[[solutions]]\nfile = "broken.cu"\nverdict = "wrong_answer"\nnote = "Broken."\n'
ONE = DESCRIPTION.replace('["cuda", "triton"]', '["cuda"]').replace(
    '\n[[solutions]]\nfile = "plain.py"\nverdict = "accepted"\nnote = "One program per block."\n', ""
)


def refusal(source: str, *, changes: int = 2, given: str = GIVEN, language: Language = Language.CUDA) -> str:
    return refused_changes(given, source, language, Fix(("given.cu",), changes, ("int a;",)))


class TestChanges:
    @pytest.mark.parametrize(
        "source",
        [
            GIVEN,
            GIVEN.replace("int b;", "int  b ;\n\n"),
            GIVEN.replace("b", "x"),
            GIVEN.replace("b", "x").replace("e", "y"),
            GIVEN.replace("int b;\n", "").replace("int c;\n", ""),
            GIVEN + "int f;\nint g;\n",
            GIVEN.replace("int d;\n", "") + "int f;\n#pragma unroll\n",
        ],
    )
    def test_up_to_the_limit(self, source):
        assert refusal(source) == ""

    @pytest.mark.parametrize(
        ("source", "changes"),
        [
            (GIVEN.replace("b", "x").replace("c", "y").replace("d", "z"), 3),
            (GIVEN + "int f;\nint g;\nint h;\n", 3),
            (GIVEN.replace("int b;\n\nint c;\n", "int x;\n") + "int f;\nint g;\nint h;\nint b;\n", 5),
            ("int a;\nint e;\n", 3),
            ("int a;\n", 4),
        ],
    )
    def test_beyond_the_limit(self, source, changes):
        said = refusal(source)
        assert said.startswith(f"This program changes, adds or removes {changes} lines of the given program.")
        assert "The problem allows 2." in said

    @pytest.mark.parametrize("source", [GIVEN.replace("int a;", "int z;"), GIVEN.replace("int a;\n", "")])
    def test_a_protected_line_must_stay(self, source):
        assert refusal(source).startswith("Line 1 of the given program must not change.")

    def test_protected_lines_keep_their_order(self):
        swapped = "int b;\nint a;\n"
        fix = Fix(("given.cu",), 2, ("int a;", "int b;"))
        assert "Line 2" in refused_changes("int a;\nint b;\n", swapped, Language.CUDA, fix)

    def test_python_keeps_its_indentation(self):
        given = "if a:\n    b()\n"
        fix = Fix(("given.py",), 1)
        assert refused_changes(given, "if a:\n    b()  \n", Language.TRITON, fix) == ""
        assert refused_changes(given + given, (given + given).replace("    ", " "), Language.TRITON, fix)

    @pytest.mark.parametrize(
        ("line", "language"),
        [
            ("/*", Language.CUDA),
            ("int f; /* x */ /* y", Language.CUDA),
            ("#if 0", Language.CUDA),
            (" %:define b c", Language.CUDA),
            ('const char* f = R"(', Language.CUDA),
            ('auto f = LR"(', Language.CUDA),
            ('auto f = u8R"x(', Language.CUDA),
            ("/**/#if 0", Language.CUDA),
            ("/* x */ /* y */ %:if 0", Language.CUDA),
            ("x */ #if 0", Language.CUDA),
            ("int f; /\\", Language.CUDA),
            ("// x \\ ", Language.CUDA),
            ('f = """', Language.TRITON),
            ("'''", Language.PYTHON),
            ("x" * (MAX_WIDTH + 1), Language.CUDA),
        ],
    )
    def test_a_changed_line_hides_nothing(self, line, language):
        assert refusal(GIVEN + line + "\n", language=language).startswith("Line 7 ")

    @pytest.mark.parametrize("end", ["\f", "\v", "\r", "\x1c", "\x85", "\u2028"])
    @pytest.mark.parametrize("language", Language)
    def test_a_comment_hides_no_lines_that_end_only_for_python(self, end, language):
        hidden = GIVEN.replace("int b;\n\nint c;\n", f"//{end}int b;{end}int c;\n")
        assert refusal(hidden, language=language) == (
            f"Line 2 contains the control character U+{ord(end):04X}. Remove it."
        )

    def test_windows_ends_of_lines_are_taken(self):
        assert refusal(GIVEN.replace("\n", "\r\n")) == ""

    def test_white_space_alone_opens_no_comment(self):
        given = "int a;\nf = a / *b;\nint c;\n"
        assert refusal(given, given=given) == ""
        assert refusal(given.replace("/ *b", "/  *b"), given=given) == ""
        assert "begins a comment" in refusal(given.replace("/ *b", "/*b"), given=given)

    def test_given_lines_may_be_directives(self):
        given = "int a;\n#include <x>\n/*\n*/\n"
        assert refusal(given + "int f;\n", given=given) == ""

    @pytest.mark.parametrize("piece", ["x\n", "a\nb\n", "\n", "  \n", "ab"])
    def test_the_time_grows_with_the_length(self, piece):
        given = piece * 2000
        assert_linear(
            lambda text: refused_changes(
                text, text + "y\n" * MAX_CHANGES, Language.CUDA, Fix((), MAX_CHANGES)
            ),
            piece,
            length=8192,
        )
        assert_linear(
            lambda text: refused_changes(given, text, Language.CUDA, Fix((), MAX_CHANGES)), piece, length=8192
        )


class TestTokens:
    """The limit on tokens that changed lines may add or remove: six for each of `changes` lines."""

    def test_up_to_the_limit(self):
        assert refusal(GIVEN + "a b c d e f\ng h 1 2 + ;\n") == ""

    def test_beyond_the_limit(self):
        message = refusal(GIVEN + "a b c d e f\ng h 1 2 + ; i\n")
        assert message.startswith(
            "The changed lines add or remove 13 tokens (names, numbers, other characters)"
        )
        assert "The problem allows 12." in message

    def test_a_problem_may_say_another_number(self):
        source = GIVEN + "a b c\n"
        assert refused_changes(GIVEN, source, Language.CUDA, Fix((), 2, (), 3)) == ""
        assert "allows 2" in refused_changes(GIVEN, source, Language.CUDA, Fix((), 2, (), 2))

    def test_what_removed_lines_have_in_the_same_order_is_not_added(self):
        given = "int a;\nf(x0, x1, x2, x3, x4, x5, x6, x7);\n"
        assert refusal(given.replace("x4", "y + z"), given=given, changes=1) == ""
        backwards = "f(x7, x6, x5, x4, x3, x2, x1, x0);"
        assert "The changed lines add or remove" in refusal(f"int a;\n{backwards}\n", given=given, changes=1)

    @pytest.mark.parametrize(
        ("line", "changed"),
        [
            ("a;  // Words of a comment don't count, as many as there are of them.", 0),
            ("x(1);  // the same", 4),
            ("x++;", 3),
            ('x = "// words in a text"; y();', 13),
            ("/* // words */ x = y + z;", 12),
            ("x */ y // and */ z();", 12),
            ("x" * 32 + ";", 1),
            ("x" * 33 + ";", 9),
            ("x\N{GREEK SMALL LETTER ALPHA}\N{GREEK SMALL LETTER BETA}", 3),
        ],
    )
    def test_what_counts(self, line, changed):
        fix = Fix((), 1, (), 1)
        found = refused_changes("a;\n", f"{line}\n", Language.CUDA, fix)
        if changed <= 1:
            assert found == ""
        else:
            assert f"add or remove {changed} tokens" in found

    @pytest.mark.parametrize("language", [Language.TRITON, Language.PYTHON])
    def test_comments_of_python(self, language):
        fix = Fix((), 1, (), 1)
        assert refused_changes("", "x  # as many words as there are", language, fix) == ""
        assert "add or remove 10 tokens" in refused_changes("", "x('# words of a text')", language, fix)

    @pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.problem}-{attack.name}")
    def test_given_lines_cannot_stay_for_nothing(self, attack):
        problem = load_problem(problems_root() / attack.problem)
        source = attack.applied(problem.starters[Language.CUDA])
        found = refused_changes(problem.starters[Language.CUDA], source, Language.CUDA, problem.fix)
        assert found.startswith("The changed lines add or remove ")

    @pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.problem}-{attack.name}")
    def test_these_attacks_change_few_lines(self, attack):
        problem = load_problem(problems_root() / attack.problem)
        source = attack.applied(problem.starters[Language.CUDA])
        lenient = replace(problem.fix, tokens=400)
        assert refused_changes(problem.starters[Language.CUDA], source, Language.CUDA, lenient) == ""


class TestPackage:
    def test_the_given_program_is_the_starter_and_part_of_the_version(self, tmp_path):
        (folder := write_package(tmp_path, problem_toml=ONE + BROKEN + FIX)).joinpath(
            "solutions/plain.py"
        ).unlink()
        (folder / "solutions/broken.cu").write_text(GIVEN)
        problem = load_problem(folder)
        assert problem.starters == {Language.CUDA: GIVEN}
        assert problem.fix == Fix(("broken.cu",), 2, ("int a;",))
        (folder / "solutions/broken.cu").write_text(GIVEN + "int f;\n")
        assert load_problem(folder).version != problem.version

    @pytest.mark.parametrize(
        ("description", "fault"),
        [
            (ONE + FIX, "fix.given[0]: 'broken.cu' is not in [[solutions]]"),
            (ONE + BROKEN + FIX.replace("broken.cu", "plain.cu"), "fix.given[0]: 'plain.cu' is accepted"),
            (
                ONE + BROKEN + FIX.replace('"broken.cu"', '"broken.cu", "plain.cu"'),
                "fix.given[1]: has the language of given[0]",
            ),
            (DESCRIPTION + BROKEN + FIX, "fix.given: no program in triton"),
            (
                ONE + BROKEN + FIX.replace('["int a;"]', '["int z;"]'),
                "fix.protected[0]: 'int z;' is not a line",
            ),
            (ONE + BROKEN + FIX.replace("= 2", "= 41"), "fix.changes: must be from 1 to 40"),
            (ONE + BROKEN + FIX.replace("changes = 2", ""), "fix.changes: missing"),
            (ONE + BROKEN + FIX + "tokens = 401\n", "fix.tokens: must be from 1 to 400"),
        ],
    )
    def test_what_does_not_fit(self, tmp_path, description, fault):
        folder = write_package(tmp_path, problem_toml=description)
        (folder / "solutions/broken.cu").write_text(GIVEN)
        assert any(fault in found for found in faults_of(folder)), faults_of(folder)

    def test_a_starter_of_the_same_language(self, tmp_path):
        folder = write_package(tmp_path, problem_toml=ONE + BROKEN + FIX)
        (folder / "solutions/broken.cu").write_text(GIVEN)
        (folder / "starter").mkdir()
        (folder / "starter/cuda.cu").write_text(GIVEN)
        assert any("fix.given: 'broken.cu' is the starter already" in found for found in faults_of(folder))
