"""Tests tabs for judging: forms show the files, write them back, and overwrite no unseen changes."""

import tomllib

import pytest

from web.authoring import queries
from web.authoring.models import Role
from web.authoring.services import files

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


def fields_of(response) -> dict[str, object]:
    """Return the form data that a browser would send from the page if nothing is changed."""
    told: dict[str, object] = {"expected": response.context["workspace"].revision}
    for name in ("form", "about", "sizes", "checker", "fix", "tests", "required"):
        form = response.context.get(name)
        if form is not None:
            told |= {bound.html_name: _value(bound) for bound in form}
    for form in [output["form"] for output in response.context.get("outputs") or []]:
        told |= {bound.html_name: _value(bound) for bound in form}
    table = response.context.get("table")
    if table is not None:
        for form in [table.management_form, *table.forms]:
            told |= {bound.html_name: _value(bound) for bound in form}
    return {name: value for name, value in told.items() if value is not False}


def _value(bound) -> object:
    value = bound.value()
    if isinstance(value, list):
        return [choice for choice, _ in bound.field.choices if choice in value]
    return ([] if hasattr(bound.field, "choices") else "") if value is None else value


@pytest.fixture
def tab(client, instructor, workspace):
    """Reads and writes tabs as the owner: `tab("cases")`, `tab("cases", {...})`."""
    client.force_login(instructor)

    def ask(name: str, sent: dict[str, object] | None = None, **headers: str):
        url = f"/author/{workspace.slug}/{name}"
        answer = client.get(url) if sent is None else client.post(url, sent, headers=headers)
        workspace.refresh_from_db()
        return answer

    return ask


@pytest.fixture
def told(workspace):
    """Return the current contents of problem.toml."""
    return lambda: tomllib.loads(queries.read_text(workspace, "problem.toml"))


class TestEveryTab:
    @pytest.mark.parametrize(
        "name",
        [
            "reference",
            "cases",
            "checking",
            "solutions",
            "solutions/plain.cu",
            "limits",
            "formulas",
            "hints",
            "editorial",
            "files",
            "files/problem.toml",
            "comments/reference.py",
            "history",
            "history/1",
            "history/1?against=now",
            "proof",
            "publish",
        ],
    )
    def test_it_is_there(self, tab, name):
        assert tab(name).status_code == 200

    @pytest.mark.parametrize(
        "name",
        [
            *("statement", "signature", "reference", "cases", "checking", "solutions", "limits", "formulas"),
            *("editorial", "files/statement.md"),
        ],
    )
    def test_saving_it_as_it_is_changes_no_byte(self, tab, name, workspace):
        before = queries.read(workspace)
        answer = tab(name, fields_of(tab(name)))
        assert answer.status_code == 302, answer.content.decode()[-3000:]
        assert queries.read(workspace) == before
        assert workspace.revision == 1
        assert "Already saved as revision 1." in tab(name).content.decode()

    @pytest.mark.parametrize(
        ("name", "old", "new"),
        [
            ("solutions", "note =", 'gpu_verdicts = [\n  "wrong_answer", # a race\n  "accepted",\n]\nnote ='),
            ("limits", "difficulty =", 'languages = ["triton", "cuda"]\ndifficulty ='),
            ("limits", "[limits]", '[limits]\nlibraries = ["thrust", "cub"]'),
        ],
    )
    def test_the_order_of_boxes_rewrites_no_array(self, tab, instructor, workspace, name, old, new):
        text = queries.read_text(workspace, "problem.toml").replace(old, new, 1)
        files.write(workspace, instructor, 1, {"problem.toml": text.encode()}, note="By hand")
        assert tab(name, fields_of(tab(name))).status_code == 302
        assert queries.read_text(workspace, "problem.toml") == text
        assert workspace.revision == 2

    @pytest.mark.parametrize(
        ("name", "path"), [("editorial", "editorial.md"), ("files/reference.py", "reference.py")]
    )
    def test_windows_line_ends_stay_until_the_text_changes(self, tab, instructor, workspace, name, path):
        text = queries.read_text(workspace, path).replace("\n", "\r\n")
        files.write(workspace, instructor, 1, {path: text.encode()}, note="From Windows")
        tab(name, fields_of(tab(name)))
        assert (workspace.revision, queries.read_text(workspace, path)) == (2, text)
        tab(name, {"expected": 2, "text": f"{text}# More\r\n"})
        assert queries.read_text(workspace, path) == text.replace("\r\n", "\n") + "# More\n"

    @pytest.mark.parametrize("name", ["reference", "cases", "checking", "solutions", "limits", "formulas"])
    def test_viewers_read_it_and_may_not_write(self, client, member, workspace, name):
        client.force_login(member(Role.VIEWER))
        url = f"/author/{workspace.slug}/{name}"
        assert "read-only access" in client.get(url).content.decode()
        assert client.post(url, {"expected": 1}).status_code == 403

    @pytest.mark.parametrize("name", ["cases", "history", "proof", "publish", "files/reference.py"])
    def test_to_others_it_does_not_exist(self, client, teammate, workspace, name):
        client.force_login(teammate)
        assert client.get(f"/author/{workspace.slug}/{name}").status_code == 404

    def test_nobody_is_asked_to_sign_in(self, client, workspace):
        answer = client.get(f"/author/{workspace.slug}/cases")
        assert (answer.status_code, answer.url.split("?")[0]) == (302, "/accounts/login/")


class TestCases:
    def test_a_size_is_changed(self, tab, told):
        sent = fields_of(tab("cases"))
        tab("cases", {**sent, "cases-0-size_n": "3", "cases-0-inputs": ""})
        assert told()["cases"][0]["sizes"] == {"n": 3}

    def test_the_last_row_is_for_a_new_case(self, tab, told):
        sent = fields_of(tab("cases"))
        count = int(sent["cases-INITIAL_FORMS"])
        tab(
            "cases",
            {
                **sent,
                f"cases-{count}-name": "new-one",
                f"cases-{count}-group": "odd",
                f"cases-{count}-size_n": "7",
                f"cases-{count}-ORDER": "1",
            },
        )
        assert told()["cases"][1]["name"] in {"new-one", "example", "sample"}
        assert {"name": "new-one", "group": "odd", "sizes": {"n": 7}} in told()["cases"]

    def test_a_case_is_removed(self, tab, told):
        sent = fields_of(tab("cases"))
        gone = told()["cases"][1]["name"]
        tab("cases", {**sent, "cases-1-DELETE": "on"})
        assert gone not in [case["name"] for case in told()["cases"]]

    def test_sizes_come_and_go(self, tab, told):
        tab("cases", {**fields_of(tab("cases")), "sizes": "n, rows"})
        assert told()["cases"][3]["sizes"]["rows"] == 1
        assert tab("cases").context["sizes"]["made_with"].value() == "n, rows"

    def test_what_is_wrong_is_said_where_it_is(self, tab, workspace):
        answer = tab("cases", {**fields_of(tab("cases")), "cases-0-size_n": "0"})
        assert answer.status_code == 422
        assert "greater than or equal to 1" in answer.content.decode()
        assert workspace.revision == 1

    def test_a_script_reads_it_in_words(self, tab):
        answer = tab("cases", {**fields_of(tab("cases")), "cases-0-inputs": "a = ["}, **JSON)
        assert (answer.status_code, answer.json()["kind"]) == (200, "refused")
        assert "inputs: Write one line" in answer.json()["error"]

    def test_a_script_learns_where_rows_are_now(self, tab):
        sent = fields_of(tab("cases"))
        answer = tab("cases", {**sent, "cases-0-ORDER": "2", "cases-1-ORDER": "1"}, **JSON).json()
        assert answer["revision"] == 2
        assert (answer["values"]["cases-0-came_from"], answer["values"]["cases-1-came_from"]) == (1, 0)

    def test_rows_and_columns_go_when_the_button_is_pressed_and_not_before(self, tab, told):
        before = told()["cases"]
        changes = {"cases-0-DELETE": "on", "sizes": "rows, cols", "cases-1-size_n": "77"}
        sent = {**fields_of(tab("cases")), **changes}
        answer = tab("cases", sent, **JSON).json()
        assert "error" not in answer
        assert len(told()["cases"]) == len(before)
        assert told()["cases"][1]["sizes"] == {"n": 77}
        tab("cases", {**sent, "expected": answer["revision"]})
        assert len(told()["cases"]) == len(before) - 1
        assert told()["cases"][0]["sizes"] == {"rows": 1, "cols": 1}

    def test_a_size_that_is_renamed_keeps_its_numbers(self, tab, told):
        sizes = [case["sizes"]["n"] for case in told()["cases"]]
        tab("cases", {**fields_of(tab("cases")), "sizes": "length"})
        assert [case["sizes"] for case in told()["cases"]] == [{"length": size} for size in sizes]

    def test_what_was_typed_stays_when_the_names_of_sizes_are_none(self, tab):
        answer = tab("cases", {**fields_of(tab("cases")), "sizes": "N!", "cases-1-size_n": "77"})
        assert answer.status_code == 422
        assert answer.context["table"][1]["size_n"].value() == "77"

    def test_columns_that_nobody_knows_are_not_saved(self, tab, workspace):
        for made_with in ("", "N!"):
            answer = tab("cases", {**fields_of(tab("cases")), "made_with": made_with}, **JSON)
            assert answer.json()["error"]
        assert workspace.revision == 1

    def test_two_cases_of_one_name_are_refused(self, tab, told):
        sent = fields_of(tab("cases"))
        answer = tab("cases", {**sent, "cases-1-name": sent["cases-0-name"]})
        assert answer.status_code == 422
        assert "is used twice" in answer.content.decode()
        gone = {**sent, "cases-1-name": sent["cases-0-name"], "cases-0-DELETE": "on"}
        assert tab("cases", gone).status_code == 302, "the other one goes"

    def test_what_a_case_asks_of_a_gpu_is_counted(self, tab):
        text = tab("cases?gpu=L4").content.decode()
        assert "Memory on L4" in text


class TestBrokenDescription:
    @pytest.fixture(autouse=True)
    def _broken(self, workspace, instructor):
        files.write(workspace, instructor, 1, {"problem.toml": b'title = "x"\nsummary = \n'})

    @pytest.mark.parametrize("name", ["cases", "checking", "solutions", "limits", "formulas"])
    def test_the_line_is_named_and_the_text_offered(self, tab, name):
        answer = tab(name)
        assert answer.status_code == 422
        assert "line 2" in answer.content.decode()
        assert "/files/problem.toml" in answer.content.decode()

    def test_it_can_be_edited_as_text(self, tab, workspace):
        answer = tab("files/problem.toml", {"expected": 2, "text": 'title = "Mended"\r\n'})
        assert answer.status_code == 302
        assert queries.read_file(workspace, "problem.toml") == b'title = "Mended"\n'


class TestChecking:
    def test_a_tolerance_is_kept_as_it_was_typed(self, tab, workspace):
        sent = fields_of(tab("checking"))
        name = next(name for name in sent if name.endswith("-relative"))
        tab("checking", {**sent, name: "2e-4"})
        assert "relative = 2e-4" in queries.read_text(workspace, "problem.toml")

    def test_a_checker_comes_and_goes(self, tab, workspace):
        tab("checking", {**fields_of(tab("checking")), "checker-text": "def check(xp): ...\n"})
        assert queries.read_file(workspace, "checker.py") == b"def check(xp): ...\n"
        tab("checking", {**fields_of(tab("checking")), "checker-text": ""})
        assert queries.read_file(workspace, "checker.py") is None


class TestSolutions:
    def test_a_new_row_begins_a_file(self, tab, told, workspace):
        sent = fields_of(tab("solutions"))
        count = int(sent["solutions-INITIAL_FORMS"])
        row = {"file": "new-one.py", "verdict": "wrong_answer", "note": "Forgets the last."}
        tab("solutions", {**sent, **{f"solutions-{count}-{name}": value for name, value in row.items()}})
        assert told()["solutions"][-1] == row
        assert queries.read_file(workspace, "solutions/new-one.py") == b"# Forgets the last.\n"

    def test_a_removed_row_takes_its_file_along(self, tab, told, workspace):
        gone = told()["solutions"][0]["file"]
        tab("solutions", {**fields_of(tab("solutions")), "solutions-0-DELETE": "on"})
        assert f"solutions/{gone}" not in queries.sizes(workspace)

    def test_a_mark_of_removal_may_be_taken_back_until_save_is_pressed(self, tab, told, workspace):
        before = queries.read(workspace)
        sent = fields_of(tab("solutions"))
        answer = tab("solutions", {**sent, "solutions-0-DELETE": "on"}, **JSON)
        assert "error" not in answer.json()
        assert queries.read(workspace) == before

    def test_a_name_that_leads_elsewhere_stays_to_be_corrected(self, tab, workspace, instructor):
        answer = tab("solutions", {**fields_of(tab("solutions")), "solutions-0-file": "../up.cu"})
        assert answer.status_code == 422
        assert "such as plain.cu" in answer.content.decode()
        assert 'value="../up.cu"' in answer.content.decode()
        text = queries.read_text(workspace, "problem.toml").replace('file = "', 'file = "../', 1)
        files.write(workspace, instructor, 1, {"problem.toml": text.encode()})
        assert tab("solutions").status_code == 200

    def test_two_of_one_file_are_refused(self, tab, told, workspace):
        sent = fields_of(tab("solutions"))
        answer = tab("solutions", {**sent, "solutions-1-file": sent["solutions-0-file"]})
        assert answer.status_code == 422
        assert "Choose another name" in answer.content.decode()
        assert workspace.revision == 1

    def test_a_renamed_row_too(self, tab, told, workspace):
        old = told()["solutions"][0]["file"]
        source = queries.read_file(workspace, f"solutions/{old}")
        tab("solutions", {**fields_of(tab("solutions")), "solutions-0-file": "renamed.cu"})
        assert queries.read_file(workspace, "solutions/renamed.cu") == source
        assert f"solutions/{old}" not in queries.sizes(workspace)


class TestConflicts:
    @pytest.fixture
    def rival(self, workspace, instructor, member):
        """Another user writes the same file first."""
        files.write(workspace, member(Role.EDITOR), 1, {"editorial.md": b"Theirs.\n"})

    def test_a_script_is_told(self, tab, rival):
        answer = tab("editorial", {"expected": 1, "text": "Mine."}, **JSON)
        told = answer.json()
        assert (answer.status_code, told["kind"], told["revision"]) == (200, "conflict", 2)
        assert told["by"] == "editor"

    def test_both_texts_are_shown_and_nothing_is_lost(self, tab, rival, workspace):
        answer = tab("editorial", {"expected": 1, "text": "Mine."})
        assert answer.status_code == 409
        assert "Mine." in answer.content.decode()
        assert "Theirs." in answer.content.decode()
        assert queries.read_file(workspace, "editorial.md") == b"Theirs.\n"

    def test_the_decision_is_written(self, tab, rival, workspace):
        sent = {"expected": 2, "path": "editorial.md", "text": "Both.", "back": "/author/my-sum/editorial"}
        answer = tab("conflict", sent)
        assert (answer.status_code, answer.url) == (302, "/author/my-sum/editorial")
        assert queries.read_file(workspace, "editorial.md") == b"Both."

    def test_it_leads_nowhere_else(self, tab, rival):
        sent = {"expected": 2, "path": "editorial.md", "text": "Both.", "back": "//elsewhere.example/"}
        assert tab("conflict", sent).url == "/author/my-sum"

    def test_other_files_are_no_conflict(self, tab, rival):
        assert tab("limits", fields_of(tab("limits")) | {"expected": 1, "case_s": "5"}).status_code == 302

    def test_a_form_without_its_revision_is_one(self, tab, rival):
        assert tab("editorial", {"text": "Mine."}).status_code == 409


class TestRefusals:
    def test_what_was_typed_is_still_there_and_can_be_saved(self, tab, workspace):
        text = "€" * 100_000
        answer = tab("editorial", {"expected": 1, "text": text})
        assert answer.status_code == 422
        assert "at most 256 KiB" in answer.content.decode()
        assert text in answer.content.decode()
        assert workspace.revision == 1
        sent = {"expected": 1, "path": "editorial.md", "text": "Shorter.", "back": "/author/my-sum/editorial"}
        assert tab("conflict", sent).url == "/author/my-sum/editorial"
        assert queries.read_file(workspace, "editorial.md") == b"Shorter."

    def test_a_script_is_told(self, tab):
        answer = tab("editorial", {"expected": 1, "text": "€" * 100_000}, **JSON)
        assert "at most 256 KiB" in answer.json()["error"]


class TestHistory:
    def test_a_revision_comes_back(self, tab, workspace, instructor):
        before = queries.read(workspace)
        tab("editorial", {"expected": 1, "text": "Worse."})
        assert tab("history/1/restore", {"expected": 2}).status_code == 302
        assert queries.read(workspace) == before

    def test_one_that_is_not_kept_does_not(self, tab):
        assert tab("history/77").status_code == 404
        assert tab("history/77/restore", {"expected": 1}).status_code == 404

    def test_the_list_names_some_files_and_counts_the_rest(self, tab, workspace):
        (row,) = tab("history").context["rows"]
        assert len(row.files) == 6
        assert row.more == len(queries.sizes(workspace)) - 6
        assert f"and {row.more} more" in tab("history").content.decode()

    def test_what_changed_since(self, tab):
        tab("editorial", {"expected": 1, "text": "A line that was not there."})
        assert "A line that was not there." in tab("history/1?against=now").content.decode()


class TestComments:
    def test_one_stands_beside_its_line_until_it_is_settled(self, tab, workspace):
        tab("comments/reference.py", {"line": "3", "text": "Why **this** seed?"})
        text = tab("comments/reference.py").content.decode()
        assert "Why **this** seed?" in text
        assert "1 open" in tab("reference").content.decode()
        (comment,) = workspace.comments.all()
        tab(f"comments/{comment.pk}/settle", {})
        assert "1 open" not in tab("reference").content.decode()

    def test_viewers_may_not(self, client, member, workspace):
        client.force_login(member(Role.VIEWER))
        url = f"/author/{workspace.slug}/comments/reference.py"
        assert client.post(url, {"text": "Hm."}).status_code == 403

    def test_reviewers_may(self, client, member, workspace):
        client.force_login(member(Role.REVIEWER))
        url = f"/author/{workspace.slug}/comments/reference.py"
        assert client.post(url, {"text": "Hm."}).status_code == 302

    def test_html_is_text(self, tab):
        tab("comments/reference.py", {"text": "<script>alert(1)</script>"})
        assert "<script>alert" not in tab("comments/reference.py").content.decode()

    def test_those_of_a_removed_file_can_be_settled(self, tab, workspace, instructor):
        tab("comments/editorial.md", {"line": "1", "text": "Too long."})
        files.write(workspace, instructor, workspace.revision, {"editorial.md": None})
        assert "/comments/editorial.md" in tab("files").content.decode()
        text = tab("comments/editorial.md").content.decode()
        assert "Too long." in text
        assert "This file was removed." in text
        tab(f"comments/{workspace.comments.get().pk}/settle", {})
        assert "/comments/editorial.md" not in tab("files").content.decode()

    def test_no_page_leads_to_those_of_a_file_that_is_not_there(self, tab):
        text = tab("checking").content.decode()
        assert "/comments/problem.toml" in text
        assert "/comments/checker.py" not in text

    def test_files_that_are_not_there_have_none(self, tab):
        assert tab("comments/missing.py").status_code == 404


class TestHints:
    def test_each_is_a_file_and_a_blank_one_is_removed(self, tab, workspace):
        sent = {"expected": 1, "hint-1-text": "Look.", "hint-2-text": "Guard it.", "hint-3-text": ""}
        assert tab("hints", sent).status_code == 302
        assert queries.read_file(workspace, "hints/1.md") == b"Look."
        assert queries.read_file(workspace, "hints/3.md") is None
        assert "Guard it." in tab("hints").content.decode()
        sent |= {"expected": workspace.revision, "hint-2-text": ""}
        tab("hints", sent)
        assert queries.read_file(workspace, "hints/2.md") is None

    def test_a_gap_is_a_fault_of_this_tab(self, tab):
        tab("hints", {"expected": 1, "hint-1-text": "", "hint-2-text": "x", "hint-3-text": ""})
        assert "hints/1.md is missing; number the hints from 1 without gaps" in tab("hints").content.decode()

    def test_a_text_that_is_too_large_is_refused(self, tab):
        sent = {"expected": 1, "hint-1-text": "\u20ac" * 100_000, "hint-2-text": "", "hint-3-text": ""}
        assert tab("hints", sent, **JSON).json()["kind"] == "refused"
