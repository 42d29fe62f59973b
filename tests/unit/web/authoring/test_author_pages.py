"""Tests pages for authors: the list of problems, templates, copies, statement, signature, members."""

import re
import tomllib
from io import BytesIO
from typing import Any

import pytest
from django.urls import reverse

from problems.contents import read_folder
from problems.loader import problems_root
from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind
from web.authoring import queries
from web.authoring.folders import load
from web.authoring.models import Membership, Role, Workspace, WorkspaceState
from web.authoring.problem_templates import PROBLEM_TEMPLATES
from web.authoring.services import files, workspaces
from web.site.paging import ROWS

pytestmark = pytest.mark.django_db
JSON = {"headers": {"Accept": "application/json"}}
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20"/></svg>'


@pytest.fixture
def author(client, instructor):
    """A signed-in instructor's browser."""
    client.force_login(instructor)
    return client


def said(workspace: Workspace) -> dict[str, Any]:
    return tomllib.loads(queries.read_text(workspace, "problem.toml"))


def about(workspace: Workspace, **changes: object) -> dict[str, object]:
    """Return the form data that a browser sends from the statement's tab."""
    told = said(workspace)
    return {
        "expected": workspace.revision,
        "text": queries.read_text(workspace, "statement.md"),
        "title": told["title"],
        "summary": told["summary"],
        "difficulty": told["difficulty"],
        "tags": ", ".join(told["tags"]),
        **changes,
    }


class TestList:
    def test_shows_own_and_shared_with_roles(self, author, instructor, workspace, owner):
        theirs = workspaces.create(owner, "their-scan", {"problem.toml": b'title = "A scan"\n'})
        Membership.objects.create(workspace=theirs, user=instructor, role=Role.REVIEWER)
        page = author.get("/author").content.decode()
        assert "Vector addition" in page
        assert "A scan" in page
        assert "Reviewer" in page
        page = author.get("/author?whose=own").content.decode()
        assert "A scan" not in page
        assert "Vector addition" not in author.get("/author?q=scan").content.decode()

    def test_htmx_gets_the_list_alone(self, author, workspace):
        page = author.get("/author", headers={"HX-Request": "true"}).content.decode()
        assert page.startswith('<div id="listing">')

    def test_archived_ones_are_shown_when_asked_for(self, author, workspace):
        workspaces.archive(workspace, workspace.owner)
        assert "my-sum" not in author.get("/author").content.decode()
        assert "my-sum" in author.get("/author?state=archived").content.decode()

    def test_nobody_sees_those_of_others(self, client, owner, workspace):
        client.force_login(owner)
        assert "my-sum" not in client.get("/author").content.decode()
        assert client.get("/author/my-sum/statement").status_code == 404
        assert client.get("/author/new").status_code == 403

    def test_the_account_leads_there_for_whoever_is_let_in(self, client, owner, member):
        client.force_login(owner)
        assert ">Your problems<" not in client.get("/account").content.decode()
        client.force_login(member(Role.VIEWER))
        assert ">Your problems<" in client.get("/account").content.decode()


class TestBeginning:
    @pytest.mark.parametrize("kind", [kind.name for kind in PROBLEM_TEMPLATES])
    def test_every_kind_is_a_problem_that_loads(self, author, kind):
        answer = author.post("/author/new", {"kind": kind, "title": f"My {kind}", "slug": ""})
        assert answer.status_code == 302, answer.content.decode()
        made = Workspace.objects.get(slug=f"my-{kind}")
        problem = load(made)
        assert problem.title == made.title == f"My {kind}"
        assert made.state == WorkspaceState.DRAFT

    def test_a_taken_name_is_told(self, author, workspace):
        answer = author.post("/author/new", {"kind": "scan", "title": "A sum", "slug": "my-sum"})
        assert answer.status_code == 422
        assert "Choose another name" in answer.content.decode()

    @pytest.mark.parametrize("slug", ["new", "import", "Ümlaut", "-"])
    def test_a_name_that_cannot_be_is_told(self, author, slug):
        answer = author.post("/author/new", {"kind": "scan", "title": "A sum", "slug": slug})
        assert answer.status_code == 422

    def test_a_copy_is_ones_own(self, client, staff, workspace):
        client.force_login(staff)
        answer = client.post("/author/my-sum/clone", {"title": "Another sum", "slug": ""})
        copy = Workspace.objects.get(slug="another-sum")
        assert answer.url == reverse("author-statement", args=["another-sum"])
        assert (copy.owner, copy.title) == (staff, "Another sum")
        assert queries.read_file(copy, "reference.py") == queries.read_file(workspace, "reference.py")

    def test_archive_and_delete_are_noted(self, author, workspace):
        author.post("/author/my-sum/archive")
        assert Workspace.objects.get().state == WorkspaceState.ARCHIVED
        author.post("/author/my-sum/archive")
        assert Workspace.objects.get().state == WorkspaceState.DRAFT
        assert "Delete this problem?" in author.get("/author/my-sum/delete").content.decode()
        author.post("/author/my-sum/delete")
        assert not Workspace.objects.exists()
        noted = [
            (entry.kind, entry.actor_name, entry.target_text) for entry in AuditEntry.objects.order_by("pk")
        ]
        kinds = (AuditKind.WORKSPACE_ARCHIVE, AuditKind.WORKSPACE_RETURN, AuditKind.WORKSPACE_DELETE)
        assert noted == [(kind, "instructor", "my-sum") for kind in kinds]

    def test_what_was_published_is_not_deleted(self, author, workspace):
        Workspace.objects.update(published_hash="0" * 64)
        author.post("/author/my-sum/delete")
        assert Workspace.objects.exists()


class TestStatement:
    def test_shows_what_learners_will_see(self, author, workspace):
        page = author.get("/author/my-sum/statement").content.decode()
        assert 'class="learners-view"' in page
        assert "<math" in page
        assert "Arguments of <code>solve</code>" in page

    def test_saves_text_and_what_lists_say(self, author, workspace):
        author.post(
            "/author/my-sum/statement",
            about(workspace, title="A sum", tags="bandwidth, data reuse", track_day=7, difficulty="hard"),
        )
        told = said(workspace)
        assert (told["title"], told["tags"], told["track_day"]) == ("A sum", ["bandwidth", "data reuse"], 7)
        assert Workspace.objects.get().title == "A sum"
        assert load(workspace).difficulty == "hard"

    def test_a_wrong_tag_is_told_and_nothing_saved(self, author, workspace):
        answer = author.post("/author/my-sum/statement", about(workspace, tags="No Capitals"))
        assert answer.status_code == 422
        assert "lowercase words" in answer.content.decode()
        assert Workspace.objects.get().revision == workspace.revision

    def test_previews_without_saving(self, author, workspace):
        text = queries.read_text(workspace, "statement.md") + "\n<script>alert(1)</script> and $x^2$\n"
        page = author.post("/author/my-sum/statement/preview", {"text": text}).content.decode()
        assert "&lt;script&gt;" in page
        assert "<msup>" in page
        assert "Arguments of" in page
        assert Workspace.objects.get().revision == workspace.revision

    def test_previews_the_text_of_a_package_with_faults(self, author, workspace):
        page = author.post("/author/my-sum/statement/preview", {"text": "No sections."}).content.decode()
        assert "No sections." in page
        assert "Fix the errors in the package" in page

    def test_previews_the_title_that_is_typed(self, author, workspace):
        sent = about(workspace, title="Not saved yet")
        page = author.post("/author/my-sum/statement/preview", sent).content.decode()
        assert '<p class="preview-title">Not saved yet</p>' in page
        assert Workspace.objects.get().revision == workspace.revision

    def test_a_preview_says_what_is_wrong_with_the_text(self, author, workspace):
        page = author.post("/author/my-sum/statement/preview", {"text": "{{ cases.no.n }}"}).content.decode()
        assert "{{ cases.no.n }} means nothing; there are cases.example.n" in page

    def test_numbers_that_need_not_be_typed_are_named(self, author, workspace):
        page = author.get("/author/my-sum/statement").content.decode()
        assert "{{ sizes.n.most }}" in page.partition("Supported syntax")[2]

    def test_a_script_learns_which_field_is_wrong(self, author, workspace):
        answer = author.post("/author/my-sum/statement", about(workspace, title=""), **JSON)
        assert (answer.status_code, answer.json()["kind"]) == (200, "refused")
        assert answer.json()["error"] == "Title: This field is required."

    def test_can_be_written_while_problem_toml_is_broken(self, author, instructor, workspace):
        files.write(workspace, instructor, workspace.revision, {"problem.toml": b"title = ["})
        assert "Fix it as text" in author.get("/author/my-sum/statement").content.decode()
        author.post("/author/my-sum/statement", {"expected": workspace.revision, "text": "New."})
        assert queries.read_text(workspace, "statement.md") == "New."

    def test_two_texts_meet_on_the_page_of_the_conflict(self, author, instructor, workspace):
        sent = about(workspace, text="Mine.")
        files.write(workspace, instructor, workspace.revision, {"statement.md": b"Theirs."})
        answer = author.post("/author/my-sum/statement", sent)
        assert answer.status_code == 409
        assert "Mine." in answer.content.decode()
        assert "Theirs." in answer.content.decode()


class TestFigures:
    def upload(self, author, workspace, content: bytes, name: str = "Tree of Sums.svg", **more: str):
        file = BytesIO(content)
        file.name = name
        workspace.refresh_from_db()
        sent = {"expected": workspace.revision, "file": file, **more}
        return author.post("/author/my-sum/figures", sent, follow=True)

    def test_are_uploaded_shown_and_removed(self, author, workspace):
        self.upload(author, workspace, DRAWING)
        answer = author.get("/author/my-sum/figures/tree-of-sums.svg")
        assert answer.content == DRAWING
        assert "sandbox" in answer["Content-Security-Policy"]
        text = "![A tree](figures/tree-of-sums.svg)"
        page = author.post("/author/my-sum/statement/preview", {"text": text}).content.decode()
        assert '<img src="/author/my-sum/figures/tree-of-sums.svg?v=' in page
        workspace.refresh_from_db()
        asked = author.get("/author/my-sum/figures/tree-of-sums.svg/remove").content.decode()
        assert "Remove tree-of-sums.svg?" in asked
        assert f"restore revision {workspace.revision} under History" in asked
        assert author.get("/author/my-sum/figures/tree-of-sums.svg").status_code == 200
        number = workspace.revision
        author.post("/author/my-sum/figures/tree-of-sums.svg/remove", {"expected": number})
        assert author.get("/author/my-sum/figures/tree-of-sums.svg").status_code == 404
        assert author.get("/author/my-sum/figures/tree-of-sums.svg/remove").status_code == 404
        author.post(f"/author/my-sum/history/{number}/restore", {"expected": number + 1})
        assert author.get("/author/my-sum/figures/tree-of-sums.svg").content == DRAWING

    @pytest.mark.parametrize(
        ("content", "name", "why"),
        [
            (DRAWING.replace(b"<rect", b"<script/><rect"), "a.svg", "holds &lt;script&gt;"),
            (DRAWING.replace(b"<rect", b'<rect onclick="x"'), "a.svg", "onclick"),
            (b"GIF89a", "a.gif", "not a valid figure name"),
            (b"GIF89a", "a.png", "is not a PNG"),
            (DRAWING, "../up.svg", ""),
            (b"x" * (257 * 1024), "a.png", "exceeds 256 KiB"),
        ],
    )
    def test_that_may_not_be_shown_are_refused(self, author, workspace, content, name, why):
        page = self.upload(author, workspace, content, name).content.decode()
        assert why in page
        assert ("figures/up.svg" in queries.sizes(workspace)) is (not why)
        assert "figures/a" not in "".join(queries.sizes(workspace))

    def test_are_for_members(self, client, owner, author, workspace):
        self.upload(author, workspace, DRAWING)
        client.force_login(owner)
        assert client.get("/author/my-sum/figures/tree-of-sums.svg").status_code == 404


class TestTranslations:
    def test_begin_with_the_original_and_are_removed(self, author, workspace):
        sent = {"expected": workspace.revision, "locale": "de"}
        answer = author.post("/author/my-sum/translations", sent)
        assert answer.url.endswith("?locale=de")
        assert queries.read_text(workspace, "statement.de.md") == queries.read_text(workspace, "statement.md")
        workspace.refresh_from_db()
        author.post(answer.url, {"expected": workspace.revision, "text": "Addiere zwei Vektoren.\n"})
        assert load(workspace).translations == {"de": "Addiere zwei Vektoren.\n"}
        assert 'lang="de"' in author.get(answer.url).content.decode()
        workspace.refresh_from_db()
        asked = author.get("/author/my-sum/translations/de/remove").content.decode()
        assert "This removes statement.de.md." in asked
        assert f"restore revision {workspace.revision} under History" in asked
        assert load(workspace).translations
        author.post("/author/my-sum/translations/de/remove", {"expected": workspace.revision})
        assert load(workspace).translations == {}
        assert author.get("/author/my-sum/translations/de/remove").status_code == 404

    @pytest.mark.parametrize("locale", ["", "german", "../x", "DE"])
    def test_need_a_language(self, author, workspace, locale):
        author.post("/author/my-sum/translations", {"expected": workspace.revision, "locale": locale})
        assert Workspace.objects.get().revision == workspace.revision


class TestSignature:
    def sent(self, page) -> dict[str, object]:
        table = page.context["table"]
        told: dict[str, object] = {"expected": page.context["workspace"].revision}
        for form in [table.management_form, *table.forms]:
            told |= {bound.html_name: "" if bound.value() is None else bound.value() for bound in form}
        return {name: value for name, value in told.items() if value is not False}

    def test_shows_arguments_and_derived_starters(self, author, workspace):
        page = author.get("/author/my-sum/signature")
        assert [form["name"].value() for form in page.context["table"].forms][:4] == ["a", "b", "c", "n"]
        assert page.content.decode().count(">generated</span>") >= 2

    def test_unchanged_it_changes_nothing(self, author, workspace):
        before = queries.read_text(workspace, "problem.toml")
        author.post("/author/my-sum/signature", self.sent(author.get("/author/my-sum/signature")))
        assert queries.read_text(workspace, "problem.toml") == before

    def test_an_argument_is_added_with_a_tolerance(self, author, workspace):
        sent = self.sent(author.get("/author/my-sum/signature"))
        sent |= {
            "arguments-4-name": "scaled",
            "arguments-4-role": "out",
            "arguments-4-dtype": "float16",
            "arguments-4-extent": "n, 2 * n",
        }
        answer = author.post("/author/my-sum/signature", sent)
        assert answer.status_code == 302, answer.context["table"].complaints()
        argument = said(workspace)["arguments"][4]
        assert argument == {
            "name": "scaled",
            "role": "out",
            "dtype": "float16",
            "shape": ["n", "2 * n"],
            "tolerance": {"relative": 1e-2},
        }

    def test_an_output_may_start_at_zero(self, author, workspace):
        sent = self.sent(author.get("/author/my-sum/signature")) | {"arguments-2-zeroed": "on"}
        assert author.post("/author/my-sum/signature", sent).status_code == 302
        assert said(workspace)["arguments"][2]["zeroed"] is True
        page = author.get("/author/my-sum/signature")
        assert page.context["table"].forms[2].initial["zeroed"] is True
        author.post("/author/my-sum/signature", self.sent(page) | {"arguments-2-zeroed": ""})
        assert "zeroed" not in said(workspace)["arguments"][2]

    def test_an_array_may_be_in_host_memory(self, author, workspace):
        sent = self.sent(author.get("/author/my-sum/signature")) | {"arguments-0-memory": "pinned"}
        assert author.post("/author/my-sum/signature", sent).status_code == 302
        assert said(workspace)["arguments"][0]["memory"] == "pinned"
        page = author.get("/author/my-sum/signature")
        assert page.context["table"].forms[0].initial["memory"] == "pinned"
        author.post("/author/my-sum/signature", self.sent(page) | {"arguments-0-memory": ""})
        assert "memory" not in said(workspace)["arguments"][0]

    def test_an_array_may_be_on_another_gpu(self, author, workspace):
        sent = self.sent(author.get("/author/my-sum/signature")) | {"arguments-0-memory": "1"}
        assert author.post("/author/my-sum/signature", sent).status_code == 302
        assert said(workspace)["arguments"][0]["device"] == 1
        assert "memory" not in said(workspace)["arguments"][0]
        page = author.get("/author/my-sum/signature")
        assert page.context["table"].forms[0].initial["memory"] == "1"
        author.post("/author/my-sum/signature", self.sent(page) | {"arguments-0-memory": ""})
        assert "device" not in said(workspace)["arguments"][0]

    def test_inputs_may_promise_values_and_scalars_be_drawn(self, author, workspace):
        sent = self.sent(author.get("/author/my-sum/signature")) | {
            "arguments-0-bounds": "-1,",
            "arguments-0-order": "ascending",
            "arguments-0-always_drawn": "on",
            "arguments-4-ORDER": "5",
            "arguments-4-name": "alpha",
            "arguments-4-role": "scalar",
            "arguments-4-dtype": "float32",
            "arguments-4-extent": "",
            "arguments-4-bounds": "0.5, n / 2",
        }
        answer = author.post("/author/my-sum/signature", sent)
        assert answer.status_code == 302, answer.context["table"].complaints()
        first, *_, last = said(workspace)["arguments"]
        assert first["values"] == {"least": "-1", "order": "ascending", "custom": False}
        assert last == {
            "name": "alpha",
            "role": "scalar",
            "dtype": "float32",
            "values": {"least": "0.5", "most": "n / 2"},
        }
        page = author.get("/author/my-sum/signature")
        shown = page.context["table"].forms
        assert (shown[0].initial["bounds"], shown[0].initial["always_drawn"]) == ("-1,", True)
        assert (shown[4].initial["extent"], shown[4].initial["bounds"]) == ("", "0.5, n / 2")
        author.post("/author/my-sum/signature", self.sent(page))
        assert said(workspace)["arguments"][4] == last

    def test_what_is_compared_no_more_loses_its_tolerance(self, author, workspace):
        sent = self.sent(author.get("/author/my-sum/signature"))
        author.post("/author/my-sum/signature", sent | {"arguments-2-dtype": "int32"})
        assert "tolerance" not in said(workspace)["arguments"][2]

    @pytest.mark.parametrize(
        ("field", "value", "why"),
        [
            ("name", "class", "reserved word"),
            ("name", "Upper", "lowercase letters"),
            ("name", "b", "Two arguments are named b"),
            ("extent", "n ** 2", "Example: rows * cols"),
            ("extent", "n, n, n, n, n", "At most 4 dimensions"),
            ("zeroed", "on", "Only an out array can start at zero"),
            ("extent", "", "Enter a shape, or the value of a scalar"),
            ("bounds", "1", "Write two values with a comma between them"),
            ("bounds", "0, n **", "Example: rows * cols"),
        ],
    )
    def test_what_cannot_be_is_told(self, author, workspace, field, value, why):
        sent = self.sent(author.get("/author/my-sum/signature"))
        answer = author.post("/author/my-sum/signature", sent | {f"arguments-0-{field}": value})
        assert answer.status_code == 422
        assert why in answer.content.decode()


class TestStarters:
    def test_written_by_hand_show_how_they_differ(self, author, workspace):
        page = author.get("/author/my-sum/signature/cuda")
        text = page.context["found"].derived.replace("// Launch", "// One launch is enough.\n    // Launch")
        author.post("/author/my-sum/signature/cuda", {"expected": workspace.revision, "text": text})
        assert load(workspace).starters["cuda"] == text
        page = author.get("/author/my-sum/signature/cuda").content.decode()
        assert "Changes from the generated starter" in page
        assert "One launch is enough" in page

    def test_the_author_chooses_a_skeleton_or_the_empty_starter(self, author, workspace):
        address = "/author/my-sum/signature/cuda"
        assert "Use skeleton" in author.get(address).content.decode()
        sent = {"expected": workspace.revision, "text": "// ignored", "skeleton": "1"}
        author.post(address, sent)
        text = load(workspace).starters["cuda"]
        assert "__global__ void kernel(const float* a" in text
        assert "kernel<<<1, 256>>>(a" in text
        page = author.get(address)
        assert "Use skeleton" not in page.content.decode()
        assert not page.context["found"].stale
        workspace.refresh_from_db()
        author.post(address, {"expected": workspace.revision, "text": text, "derive": "1"})
        assert "__global__" not in load(workspace).starters["cuda"]

    def test_derived_again_have_no_file(self, author, workspace):
        author.post("/author/my-sum/signature/cuda", {"expected": workspace.revision, "text": "// mine"})
        page = author.get("/author/my-sum/signature").content.decode()
        assert ">custom</span>" in page
        assert "match the current signature" in page
        workspace.refresh_from_db()
        author.post(
            "/author/my-sum/signature/cuda",
            {"expected": workspace.revision, "text": "// mine", "derive": "1"},
        )
        assert "starter/cuda.cu" not in queries.sizes(workspace)

    @pytest.mark.parametrize("slug", ["vector-add", "fix-tiled-product", "compile-friendly", "peer-swap"])
    def test_the_tab_shows_those_that_learners_get(self, author, instructor, slug):
        made = workspaces.create(instructor, "a-copy", read_folder(problems_root() / slug).files)
        page = author.get("/author/a-copy/signature")
        shown = {starter.language: starter.text for starter in page.context["starters"]}
        assert shown == load(made).starters

    def test_a_given_program_is_edited_as_a_solution(self, author, instructor):
        files_of_it = read_folder(problems_root() / "fix-tiled-product").files
        workspaces.create(instructor, "a-copy", files_of_it)
        page = author.get("/author/a-copy/signature").content.decode()
        assert ">given program</span>" in page
        assert 'href="/author/a-copy/solutions/given.cu">given.cu<' in page
        answer = author.get("/author/a-copy/signature/cuda", follow=True)
        assert answer.redirect_chain[-1][0] == "/author/a-copy/solutions/given.cu"
        assert "given.cu is the starter, because the problem gives it." in answer.content.decode()
        author.post("/author/a-copy/signature/cuda", {"expected": 1, "text": "// mine"})
        assert "starter/cuda.cu" not in queries.sizes(Workspace.objects.get())

    def test_there_is_none_in_another_language(self, author, workspace):
        assert author.get("/author/my-sum/signature/python").status_code == 404


class TestPeople:
    def test_are_let_in_changed_and_let_out(self, author, workspace, owner):
        author.post("/author/my-sum/people", {"person": "OWNER", "role": "reviewer"})
        assert Membership.objects.get().role == Role.REVIEWER
        author.post("/author/my-sum/people", {"person": "owner", "role": "editor"})
        assert Membership.objects.get().role == Role.EDITOR
        asked = author.get("/author/my-sum/people/owner/remove").content.decode()
        assert "Remove owner from this problem?" in asked
        assert "offer" not in asked
        assert Membership.objects.exists()
        author.post("/author/my-sum/people/owner/remove")
        assert not Membership.objects.exists()

    def test_unknown_people_are_told(self, author, workspace):
        answer = author.post("/author/my-sum/people", {"person": "nobody", "role": "editor"})
        assert "User not found" in answer.content.decode()

    def test_a_learner_cannot_own_it(self, author, workspace, owner):
        answer = author.post("/author/my-sum/people", {"person": "owner", "role": "owner"})
        assert "is not an instructor" in answer.content.decode()

    @pytest.mark.parametrize("answer", ["accept", "decline"])
    def test_a_new_owner_is_asked(self, author, client, workspace, instructor, teammate, answer):
        teammate.is_instructor = True
        teammate.save()
        told = author.post("/author/my-sum/people", {"person": "teammate", "role": "owner"}, follow=True)
        assert "You offered the ownership to teammate" in told.content.decode()
        client.force_login(teammate)
        assert "Become the owner" in client.get("/author/my-sum/people").content.decode()
        done = client.post("/author/my-sum/people/ownership", {"answer": answer}, follow=True)
        assert "Become the owner" not in done.content.decode()
        assert Workspace.objects.get().owner == (teammate if answer == "accept" else instructor)
        again = client.post("/author/my-sum/people/ownership", {"answer": "accept"}, follow=True)
        assert "no longer offers" in again.content.decode()

    def test_an_offer_is_withdrawn(self, author, workspace, teammate):
        teammate.is_instructor = True
        teammate.save()
        address = "/author/my-sum/people"
        author.post(address, {"person": "teammate", "role": "reviewer"})
        assert '<option value="owner"' in author.get(address).content.decode().partition("Add a member")[0]
        author.post(address, {"person": "teammate", "role": "owner"})
        assert "Withdraw offer" in author.get(address).content.decode()
        asked = author.get(f"{address}/teammate/remove").content.decode()
        assert "This also withdraws the offer of the ownership." in asked
        told = author.post(address, {"person": "teammate", "role": "reviewer"}, follow=True)
        assert "You withdrew the offer. teammate is a reviewer." in told.content.decode()
        assert "Withdraw offer" not in told.content.decode()

    def test_members_may_leave_and_not_share(self, client, workspace, member):
        viewer = member(Role.VIEWER)
        client.force_login(viewer)
        assert client.post("/author/my-sum/people", {"person": "viewer", "role": "editor"}).status_code == 403
        assert client.post("/author/my-sum/archive").status_code == 403
        assert client.post("/author/my-sum/statement", about(workspace)).status_code == 403
        assert client.get("/author/my-sum/people").status_code == 200
        asked = client.get("/author/my-sum/people/viewer/remove").content.decode()
        assert "Leave this problem?" in asked
        assert "Only the owner and staff can add you again." in asked
        left = client.post("/author/my-sum/people/viewer/remove", follow=True)
        assert left.redirect_chain == [("/author", 302)]
        assert "You no longer have access to my-sum." in left.content.decode()
        assert client.get("/author/my-sum/people").status_code == 404

    def test_come_in_pages(self, author, client, workspace):
        users = User.objects.bulk_create(User(username=f"user-{n:02}") for n in range(ROWS + 5))
        Membership.objects.bulk_create(
            Membership(workspace=workspace, user=user, role=Role.VIEWER, offered=user is users[-1])
            for user in users
        )
        first = author.get("/author/my-sum/people").content.decode()
        named = re.findall(r">(instructor|user-\d\d)</a>", first)
        assert named == ["instructor", *(user.username for user in users[:ROWS])]
        assert 'href="?after=user-49">Next</a>' in first
        second = author.get("/author/my-sum/people?after=user-49").content.decode()
        assert re.findall(r">(instructor|user-\d\d)</a>", second) == [u.username for u in users[ROWS:]]
        assert ">First</a>" in second
        assert ">Next</a>" not in second
        assert author.get("/author/my-sum/people?after=%00").status_code == 200
        client.force_login(users[-1])
        offered = client.get("/author/my-sum/people").content.decode()
        assert "Become the owner" in offered, "whatever the page"

    def test_only_members_are_removed(self, author, workspace, owner):
        for name in (owner.username, "nobody", "%00"):
            assert author.get(f"/author/my-sum/people/{name}/remove").status_code == 404
            assert author.post(f"/author/my-sum/people/{name}/remove").status_code == 404

    def test_nobody_lets_the_owner_out(self, author, workspace, instructor):
        author.post("/author/my-sum/people/instructor/remove")
        assert Workspace.objects.get().owner == instructor
