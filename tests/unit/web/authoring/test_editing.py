"""Tests that forms change problem.toml and keep everything that the author did not change."""

import tomllib
from dataclasses import replace

import pytest

from problems.loader import problems_root
from web.authoring.editing import cases, checking, general, requirements, solutions
from web.authoring.editing.document import (
    DescriptionUnreadable,
    TableRow,
    change_table,
    change_tables,
    change_top,
    inline,
    number,
    read_document,
)
from web.authoring.forms.plain import LimitsForm

SHIPPED = sorted(path.parent.name for path in problems_root().glob("*/problem.toml"))

THREE = """\
title = "Three"

# The cases.
[[cases]]
name = "a"  # the first
sizes = { n = 4 }

# B is special.
# Really.
[[cases]]
name = "b"
sizes = { n = 5 }
# inside of b

[[cases]]
name = "c"
sizes = { n = 6 }

# The solutions.
[[solutions]]
file = "plain.cu"
"""


def description_of(slug: str) -> str:
    return (problems_root() / slug / "problem.toml").read_text(encoding="utf-8")


class TestUnchanged:
    @pytest.mark.parametrize("slug", SHIPPED)
    def test_saving_a_form_that_nobody_changed_changes_no_byte(self, slug):
        text = description_of(slug)
        saved = cases.write_cases(text, cases.read_cases(text))
        saved = checking.write_tolerances(saved, checking.read_tolerances(saved))
        saved = solutions.write_solutions(saved, solutions.read_solutions(saved))
        saved = general.write_limits(saved, general.read_limits(saved))
        saved = general.write_fix(saved, general.read_fix(saved))
        saved = general.write_under_test(saved, general.read_under_test(saved))
        saved = general.write_formulas(saved, general.read_formulas(saved))
        saved = requirements.write_requirements(saved, requirements.read_requirements(saved))
        assert saved == text


class TestTables:
    def test_a_changed_value_keeps_its_comment(self):
        rows = [TableRow(0, {"name": "aa"}), TableRow(1, {}), TableRow(2, {})]
        assert change_tables(THREE, "cases", rows) == THREE.replace('"a"  #', '"aa"  #')

    def test_a_comment_above_a_table_moves_with_it(self):
        changed = change_tables(THREE, "cases", [TableRow(2, {}), TableRow(1, {})])
        assert [case["name"] for case in tomllib.loads(changed)["cases"]] == ["c", "b"]
        assert '# Really.\n[[cases]]\nname = "b"' in changed
        assert "# The solutions.\n[[solutions]]" in changed

    def test_a_comment_above_a_table_goes_with_it(self):
        assert "special" not in change_tables(THREE, "cases", [TableRow(0, {}), TableRow(2, {})])

    def test_new_tables_stand_where_they_are_put(self):
        rows = [TableRow(0, {}), TableRow(None, {"name": "new", "sizes": inline({"n": 9})}), TableRow(1, {})]
        told = tomllib.loads(change_tables(THREE, "cases", rows))["cases"]
        assert told == [
            {"name": "a", "sizes": {"n": 4}},
            {"name": "new", "sizes": {"n": 9}},
            {"name": "b", "sizes": {"n": 5}},
        ]

    def test_the_last_one_may_go(self):
        assert "cases" not in tomllib.loads(change_tables(THREE, "cases", []))

    def test_a_first_one_may_come(self):
        changed = change_tables(THREE, "arguments", [TableRow(None, {"name": "x"})])
        assert tomllib.loads(changed) == {**tomllib.loads(THREE), "arguments": [{"name": "x"}]}

    def test_a_value_that_is_no_array_of_tables_is_replaced(self):
        changed = change_tables("cases = 3\n", "cases", [TableRow(None, {"name": "x"})])
        assert tomllib.loads(changed) == {"cases": [{"name": "x"}]}

    def test_an_unknown_key_stays(self):
        changed = cases.write_cases(
            '[[cases]]\nname = "a"\nmine = 1\n', [cases.CaseRow(0, "b", "odd", {"n": 1})]
        )
        assert tomllib.loads(changed)["cases"][0]["mine"] == 1


class TestTop:
    def test_a_new_key_goes_above_the_tables_and_their_comments(self):
        changed = change_top(THREE, {"summary": "Short."})
        assert changed.startswith('title = "Three"\nsummary = "Short."\n\n# The cases.\n[[cases]]')

    def test_a_new_table_goes_above_the_arrays(self):
        changed = change_table(THREE, "limits", {"case_s": number("1e1")})
        assert "[limits]\ncase_s = 1e1\n\n# The cases.\n[[cases]]" in changed

    def test_a_table_with_nothing_left_goes(self):
        text = change_table(THREE, "limits", {"case_s": 3})
        assert change_table(text, "limits", {"case_s": None}) == THREE

    def test_an_empty_file_can_be_begun(self):
        assert tomllib.loads(change_top("", {"title": "T"})) == {"title": "T"}

    def test_a_key_that_is_removed(self):
        assert "title" not in tomllib.loads(change_top(THREE, {"title": None}))


class TestBroken:
    def test_the_line_is_told(self):
        with pytest.raises(DescriptionUnreadable) as refused:
            read_document('title = "x"\nsummary = \n')
        assert refused.value.line == 2

    def test_values_of_other_types_read_as_absent(self):
        text = '[[cases]]\nname = 3\nsizes = "n"\n[[cases]]\nsizes = { n = true, m = 2 }\n'
        assert [(row.name, row.sizes) for row in cases.read_cases(text)] == [("", {}), ("", {"m": 2})]

    @pytest.mark.parametrize("text", ["", "one", "true", "[1]", '"1"', "1 2"])
    def test_what_is_no_number_is_refused(self, text):
        with pytest.raises(ValueError, match="not a number"):
            number(text)


class TestCases:
    TEXT = '[[cases]]\nname = "a"\ngroup = "sample"\nsizes = { n = 2 }\ninputs = { x = [1, 2] }\n'

    def test_a_size_more(self):
        rows = cases.with_sizes(cases.read_cases(self.TEXT), ["n", "rows"])
        changed = cases.write_cases(self.TEXT, rows)
        assert tomllib.loads(changed)["cases"][0]["sizes"] == {"n": 2, "rows": 1}

    def test_inputs_are_lines(self):
        (row,) = cases.read_cases(self.TEXT)
        assert row.inputs == "x = [1, 2]\n"

    def test_inputs_that_are_no_lines_of_arrays_are_refused(self):
        with pytest.raises(ValueError, match="one line per input"):
            cases.parse_inputs("x = [1,")

    def test_the_names_of_sizes_are_those_of_all_cases(self):
        rows = [cases.CaseRow(None, "a", "odd", {"n": 1}), cases.CaseRow(None, "b", "odd", {"m": 1, "n": 2})]
        assert cases.size_names(rows) == ("n", "m")


class TestTolerances:
    TEXT = """\
[[arguments]]
name = "a"
role = "in"
dtype = "float32"

[[arguments]]
name = "b"
role = "out"
dtype = "float32"
# Why it is so.
tolerance = { relative = 1e-5 }

[[arguments]]
name = "c"
role = "out"
dtype = "int32"
"""

    def test_outputs_alone_have_one(self):
        rows = checking.read_tolerances(self.TEXT)
        assert [(row.name, row.exact, row.relative) for row in rows] == [
            ("b", False, "1e-5"),
            ("c", True, ""),
        ]

    def test_numbers_are_written_as_they_were_typed(self):
        rows = checking.read_tolerances(self.TEXT)
        looser = [checking.ToleranceRow(1, "b", "float32", "2e-4", "1e-6", nan=True), rows[1]]
        changed = checking.write_tolerances(self.TEXT, looser)
        assert "# Why it is so.\ntolerance = { relative = 2e-4, absolute = 1e-6, nan = true }\n" in changed

    def test_no_tolerance_at_all_asks_for_the_exact_value(self):
        changed = checking.write_tolerances(self.TEXT, [checking.ToleranceRow(1, "b", "float32")])
        assert tomllib.loads(changed)["arguments"][1]["tolerance"] == {"absolute": 0.0}


class TestSolutions:
    def test_a_label_goes_with_its_baseline(self):
        row = solutions.SolutionRow(None, "a.cu", "accepted", "Plain.", (), "", "Plain kernel")
        (told,) = tomllib.loads(solutions.write_solutions("", [row]))["solutions"]
        assert told == {"file": "a.cu", "verdict": "accepted", "note": "Plain."}


class TestGivenProgram:
    def test_it_is_written_and_removed(self):
        row = general.FixRow(("given.cu",), "6", ('extern "C" void solve(int n) {',), "30")
        text = general.write_fix(THREE, row)
        assert tomllib.loads(text)["fix"] == {
            "given": ["given.cu"],
            "changes": 6,
            "tokens": 30,
            "protected": ['extern "C" void solve(int n) {'],
        }
        assert general.read_fix(text) == row
        assert general.write_fix(text, general.FixRow()) == THREE


class TestProgramsUnderTest:
    def test_they_are_written_and_removed(self):
        row = general.UnderTestRow(("off-by-one", "stale"), "2")
        text = general.write_under_test(THREE, row)
        assert tomllib.loads(text)["test"] == {"faulty": ["off-by-one", "stale"], "least_killed": 2}
        assert general.read_under_test(text) == row
        assert general.write_under_test(text, general.UnderTestRow()) == THREE


class TestRequirements:
    LINES = (
        "shared_wavefronts_ratio at_most 1 in a, c: No bank conflicts: pad the tile.",
        "launches equals 1: One launch.",
    )

    def test_they_are_written_changed_and_removed(self):
        rows = [requirements.parse_line(line) for line in self.LINES]
        text = requirements.write_requirements(THREE, rows)
        assert tomllib.loads(text)["requirements"] == [
            {
                "counter": "shared_wavefronts_ratio",
                "at_most": 1,
                "explanation": "No bank conflicts: pad the tile.",
                "cases": ["a", "c"],
            },
            {"counter": "launches", "equals": 1, "explanation": "One launch."},
        ]
        assert tuple(map(requirements.to_line, requirements.read_requirements(text))) == self.LINES
        text = requirements.write_requirements(text, [replace(rows[1], relation="at_most", bound="2")])
        assert tomllib.loads(text)["requirements"] == [
            {"counter": "launches", "at_most": 2, "explanation": "One launch."}
        ]
        assert "requirements" not in tomllib.loads(requirements.write_requirements(text, []))

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("launches", "like this"),
            ("launches at_most 1", "like this"),
            ("launches at_most: Few.", "like this"),
            ("launches at_most 1 of a: Few.", "like this"),
            ("speed at_most 1: Few.", "'speed' is not a counter. Use one of global_sectors_per_request"),
            ("launches below 1: Few.", "'below' is not a relation. Use one of at_most"),
            ("launches at_most one: Few.", "'one' is not a number"),
        ],
    )
    def test_other_lines_are_refused(self, line, complaint):
        with pytest.raises(requirements.LineUnreadable, match=complaint):
            requirements.parse_line(line)


class TestLimits:
    def test_all_languages_need_not_be_said(self):
        row = general.read_limits("")
        assert general.write_limits("", row) == ""

    def test_one_language(self):
        row = general.LimitRow(("triton",), {"case_s": "5", "memory_mib": ""})
        told = tomllib.loads(general.write_limits("", row))
        assert told == {"languages": ["triton"], "limits": {"case_s": 5}}

    def test_largest_sizes(self):
        before = "[limits]\nsizes = { radius = 7 }  # as stated\n"
        row = general.read_limits(before)
        assert row.sizes == (("radius", "7"),)
        assert general.write_limits(before, row) == before
        told = general.write_limits(before, replace(row, sizes=(("radius", "9"), ("rows", "64"))))
        assert tomllib.loads(told) == {"limits": {"sizes": {"radius": 9, "rows": 64}}}
        assert tomllib.loads(general.write_limits(told, replace(row, sizes=()))) == {}

    @pytest.mark.parametrize(
        ("typed", "sizes"),
        [
            ("", ()),
            (" segment=4096 , radius = 7,", (("segment", "4096"), ("radius", "7"))),
            ("segment", None),
            ("segment = 4096 radius = 7", None),
            ("n = 1, n = 2", None),
            ("n = -1", None),
        ],
    )
    def test_largest_sizes_in_the_form(self, typed, sizes):
        form = LimitsForm({"languages": ["cuda"], "sizes": typed})
        assert form.is_valid() == (sizes is not None)
        if sizes is None:
            assert "such as segment = 4096" in str(form.errors["sizes"])
        else:
            assert form.row().sizes == sizes

    def test_several_gpus(self):
        told = general.write_limits('title = "One"\n', general.LimitRow(("cuda",), {}, gpu_count="2"))
        assert tomllib.loads(told) == {"title": "One", "languages": ["cuda"], "gpus": 2}
        assert general.read_limits(told).gpu_count == "2"
        assert "gpus" not in general.write_limits(told, general.LimitRow(("cuda",), {}))

    def test_the_number_of_ranks_is_at_the_top(self):
        told = general.write_limits('title = "One"\n', general.LimitRow(("python",), {}, ranks="4"))
        assert tomllib.loads(told) == {"title": "One", "languages": ["python"], "ranks": 4}
        assert general.read_limits(told).ranks == "4"
        assert "ranks" not in general.write_limits(told, general.LimitRow(("python",), {}))
