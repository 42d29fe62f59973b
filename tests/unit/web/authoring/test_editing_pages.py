"""Tabs that change what is judged: forms show the files and write them back, and overwrite nothing unseen."""

import tomllib

import pytest

from web.authoring import queries
from web.authoring.models import Role
from web.authoring.services import files

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


def fields_of(response) -> dict[str, object]:
    """What a browser would send of the page's forms when nothing is changed."""
    told: dict[str, object] = {"expected": response.context["workspace"].revision}
    for name in ("form", "sizes", "checker"):
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
    """What problem.toml says now."""
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
        [*("reference", "cases", "checking", "solutions", "limits"), "formulas", "files/statement.md"],
    )
    def test_saving_it_as_it_is_changes_no_byte(self, tab, name, workspace):
        before = queries.read(workspace)
        answer = tab(name, fields_of(tab(name)))
        assert answer.status_code == 302, answer.content.decode()[-3000:]
        assert queries.read(workspace) == before
        assert workspace.revision == 1

    @pytest.mark.parametrize("name", ["reference", "cases", "checking", "solutions", "limits", "formulas"])
    def test_viewers_read_it_and_may_not_write(self, client, member, workspace, name):
        client.force_login(member(Role.VIEWER))
        url = f"/author/{workspace.slug}/{name}"
        assert "You may read this" in client.get(url).content.decode()
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
        assert answer.status_code == 422
        assert "inputs: Write one line" in answer.json()["error"]

    def test_a_script_learns_where_rows_are_now(self, tab):
        sent = fields_of(tab("cases"))
        answer = tab("cases", {**sent, "cases-0-DELETE": "on"}, **JSON).json()
        assert answer["revision"] == 2
        assert (answer["values"]["cases-0-came_from"], answer["values"]["cases-1-came_from"]) == ("", 0)

    def test_what_a_case_asks_of_a_gpu_is_counted(self, tab):
        text = tab("cases?gpu=L4").content.decode()
        assert "On a GPU L4" in text


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

    def test_a_renamed_row_too(self, tab, told, workspace):
        old = told()["solutions"][0]["file"]
        source = queries.read_file(workspace, f"solutions/{old}")
        tab("solutions", {**fields_of(tab("solutions")), "solutions-0-file": "renamed.cu"})
        assert queries.read_file(workspace, "solutions/renamed.cu") == source
        assert f"solutions/{old}" not in queries.sizes(workspace)


class TestConflicts:
    @pytest.fixture
    def rival(self, workspace, instructor, member):
        """Somebody else writes the same file first."""
        files.write(workspace, member(Role.EDITOR), 1, {"editorial.md": b"Theirs.\n"})

    def test_a_script_is_told(self, tab, rival):
        answer = tab("editorial", {"expected": 1, "text": "Mine."}, **JSON)
        assert (answer.status_code, answer.json()["revision"]) == (409, 2)

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


class TestHistory:
    def test_a_revision_comes_back(self, tab, workspace, instructor):
        before = queries.read(workspace)
        tab("editorial", {"expected": 1, "text": "Worse."})
        assert tab("history/1/restore", {"expected": 2}).status_code == 302
        assert queries.read(workspace) == before

    def test_one_that_is_not_kept_does_not(self, tab):
        assert tab("history/77").status_code == 404
        assert tab("history/77/restore", {"expected": 1}).status_code == 404

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

    def test_files_that_are_not_there_have_none(self, tab):
        assert tab("comments/missing.py").status_code == 404
