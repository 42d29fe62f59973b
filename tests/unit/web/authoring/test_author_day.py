"""Tests feedback for authors: states, marks, messages at fields, all sources on a page, downloads."""

import io
import zipfile

import pytest

from judge.proof.results import Proof, error, to_json
from problems.vocabulary import Language
from web.authoring import queries
from web.authoring.editing.declaration import declaration_in, differs, with_declaration
from web.authoring.models import Role, RunKind, Workspace, WorkspaceState
from web.authoring.queue import queue as proofs
from web.authoring.services import files, publishing, runs, workspaces
from web.authoring.standing import pills_of
from web.authoring.tabs import TABS

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(client, instructor, workspace):
    """Gets and posts below the workspace, as its owner."""
    client.force_login(instructor)

    def send(path: str, sent: dict[str, object] | None = None):
        url = f"/author/{workspace.slug}/{path}"
        return client.get(url) if sent is None else client.post(url, sent)

    return send


def write(workspace: Workspace, path: str, old: str, new: str) -> None:
    text = queries.read_text(workspace, path)
    assert old in text
    changed = text.replace(old, new, 1).encode()
    files.write(workspace, workspace.owner, workspace.revision, {path: changed})


def prove(workspace: Workspace, *findings) -> None:
    runs.prove(workspace, workspace.owner)
    proof = Proof(workspace.slug, "v", findings, ())
    proofs.record(proofs.claim("node-1"), to_json(proof), holds=proof.holds)
    workspace.refresh_from_db()


def words(workspace: Workspace) -> list[str]:
    return [pill.word for pill in pills_of(Workspace.objects.get(pk=workspace.pk))]


class TestState:
    def test_it_says_what_learners_have(self, workspace, instructor, ask):
        assert words(workspace) == ["Draft"]
        assert "Open problem" not in ask("publish").content.decode()
        prove(workspace)
        assert words(workspace) == ["Draft", "Ready to publish"]
        publishing.publish(workspace, instructor)
        assert words(workspace) == ["Live"]
        assert f'href="/problems/{workspace.slug}">Open problem' in ask("publish").content.decode()
        workspace.refresh_from_db()
        write(workspace, "editorial.md", "\n", "\nMore.\n")
        assert words(workspace) == ["Live with changes"]
        prove(workspace)
        assert words(workspace) == ["Live with changes", "Ready to publish"]
        workspaces.archive(workspace, instructor)
        assert words(workspace) == ["Archived", "Live"]
        workspaces.take_back(workspace, instructor)
        publishing.withdraw(workspace, instructor)
        assert words(workspace) == ["Withdrawn", "Ready to publish"]
        assert "Open problem" not in ask("publish").content.decode()
        assert "Withdrawn" in ask("publish").content.decode()

    def test_the_list_asks_once_for_all(self, workspace, instructor, vector_add, django_assert_num_queries):
        def listed() -> list[str]:
            rows = queries.visible_workspaces(instructor)
            return [pill.word for row in rows for pill in pills_of(row)]

        with django_assert_num_queries(1):
            assert listed() == ["Draft"]
        for number in range(3):
            workspaces.create(instructor, f"more-{number}", vector_add)
        Workspace.objects.update(published_hash="x", state=WorkspaceState.PUBLISHED)
        with django_assert_num_queries(1):
            assert listed() == ["Withdrawn"] * 4

    def test_withdrawing_asks_first(self, workspace, instructor, ask, client, member):
        prove(workspace)
        publishing.publish(workspace, instructor)
        assert "Withdraw this problem?" in ask("publish/withdraw").content.decode()
        assert words(workspace) == ["Live"]
        ask("publish/withdraw", {"how": "withdraw"})
        assert words(workspace) == ["Withdrawn"]
        client.force_login(member(Role.EDITOR))
        assert client.get(f"/author/{workspace.slug}/publish/withdraw").status_code == 403


class TestMarks:
    def test_tabs_count_their_errors(self, workspace, ask):
        write(workspace, "problem.toml", 'name = "one-block"', 'name = "One Block"')
        text = ask("statement").content.decode()
        assert text.count("(1 error)") == 1
        assert text.index(">Cases") < text.index("(1 error)") < text.index(">Checking")

    def test_errors_of_the_latest_proof_count_until_the_files_change(self, workspace, ask):
        prove(workspace, error("solutions/plain.cu", "is wrong", "correct it"))
        text = ask("statement").content.decode()
        assert text.index(">Solutions") < text.index("(1 error)") < text.index(">Limits")
        write(workspace, "editorial.md", "\n", "\nMore.\n")
        assert "(1 error)" not in ask("statement").content.decode()

    def test_every_tab_is_in_a_group(self, ask):
        text = ask("statement").content.decode()
        for tab in TABS:
            assert f"/{tab.name}" in text
        for group in ("Write", "Judge", "Release"):
            assert f">{group}</p>" in text


class TestMessages:
    @pytest.mark.parametrize(
        ("tab", "old", "new", "field"),
        [
            ("cases", 'name = "one-block"', 'name = "One Block"', "id_cases-1-name"),
            ("cases", 'group = "small"', 'group = "tiny"', "id_cases-1-group"),
            ("signature", 'shape = ["n"]', 'shape = ["m"]', "id_arguments-0-extent"),
            ("signature", 'dtype = "float32"', 'dtype = "float31"', "id_arguments-0-dtype"),
            ("solutions", 'verdict = "accepted"', 'verdict = "great"', "id_solutions-0-verdict"),
            ("checking", "relative = ", "relative = -", "id_output-2-relative"),
            ("limits", 'difficulty = "', 'languages = ["rust"]\ndifficulty = "', "id_languages"),
            ("limits", "[formulas]", "[fix]\nchanges = 99\n\n[formulas]", "id_fix-changes"),
            ("limits", "[formulas]", "[test]\nleast_killed = 99\n\n[formulas]", "id_test-least_killed"),
            (
                "limits",
                "[formulas]",
                '[[requirements]]\ncounter = "speed"\nat_most = 1\nexplanation = "Be quick."\n\n[formulas]',
                "id_requirements-lines",
            ),
            ("formulas", 'bytes = "', 'bytes = "2 * zz + ', "id_bytes_moved"),
            ("formulas", 'difficulty = "', 'tiers = [2, 1]\ndifficulty = "', "id_tiers"),
            ("statement", 'difficulty = "', 'difficulty = "un', "id_difficulty"),
        ],
    )
    def test_they_are_at_the_field_that_caused_them(self, workspace, ask, tab, old, new, field):
        write(workspace, "problem.toml", old, new)
        text = ask(tab).content.decode()
        _, found, after = text.partition(f'id="{field}_error" data-follows>')
        assert found, field
        assert after.startswith('<p class="errors"'), after[:200]

    def test_prove_waits_until_the_description_can_be_read(self, workspace, ask):
        assert "prove-broken" not in ask("proof").content.decode()
        files.write(workspace, workspace.owner, workspace.revision, {"problem.toml": b"title = \n"})
        text = ask("proof").content.decode()
        assert 'disabled aria-describedby="prove-broken"' in text
        assert "is invalid, line 1" in text


class TestSources:
    def sent(self, workspace: Workspace, **more: object) -> dict[str, object]:
        paths = [path for path in queries.sizes(workspace) if path.startswith("solutions/")]
        texts = {f"{path.partition('/')[2]}-text": queries.read_text(workspace, path) for path in paths}
        return {"expected": workspace.revision, **texts, **more}

    def test_all_are_saved_together(self, workspace, ask):
        sent = self.sent(workspace) | {"plain.cu-text": "// one\r\n", "plain.py-text": "# two"}
        ask("solutions/sources", sent)
        assert queries.read_text(workspace, "solutions/plain.cu") == "// one\n"
        assert queries.read_text(workspace, "solutions/plain.py") == "# two"
        assert queries.present_revision(Workspace.objects.get()).changed.keys() == {
            "solutions/plain.cu",
            "solutions/plain.py",
        }

    def test_the_signature_is_inserted_and_not_saved(self, workspace, ask):
        assert "other signature" not in ask("solutions/sources").content.decode()
        write(workspace, "problem.toml", 'name = "a"', 'name = "left"')
        text = ask("solutions/sources").content.decode()
        assert "void solve(const float* left, const float* b, float* c, int n)" in text
        before = workspace.revision
        text = ask("solutions/sources", self.sent(workspace, insert="plain.cu")).content.decode()
        assert text.count("void solve(const float* left, const float* b, float* c, int n) {") == 1
        text = ask("solutions/sources", self.sent(workspace, insert="*")).content.decode()
        assert "other signature" not in text
        workspace.refresh_from_db()
        assert workspace.revision == before

    def test_a_broken_signature_offers_none(self, workspace, ask):
        write(workspace, "problem.toml", 'dtype = "float32"', 'dtype = "float31"')
        answer = ask("solutions/sources")
        assert answer.status_code == 200
        assert "other signature" not in answer.content.decode()


CUDA = "void solve(const float* a, int n)"
MODEL = "class ModelNew(torch.nn.Module)"
PYTHON = "def solve(a: torch.Tensor, n: int) -> None"


@pytest.mark.parametrize(
    ("source", "declaration", "language", "found"),
    [
        ('extern "C" void solve(int m,\n int n) {}', CUDA, Language.CUDA, "void solve(int m,\n int n)"),
        ("// void solve(int n) {\nint x;", CUDA, Language.CUDA, None),
        ("void solve(int n);\nvoid  solve(int m) { }", CUDA, Language.CUDA, "void  solve(int m)"),
        ("def solve(b, n=(1, 2)) -> int:\n  pass", PYTHON, Language.TRITON, "def solve(b, n=(1, 2)) -> int"),
        ("def other(b): pass", PYTHON, Language.TRITON, None),
        ("class ModelNew( nn.Module ):", MODEL, Language.PYTHON, "class ModelNew( nn.Module )"),
        ("void solve(" * 2000, CUDA, Language.CUDA, None),
    ],
)
def test_declarations_are_found(source, declaration, language, found):
    assert declaration_in(source, declaration, language) == found
    changed = with_declaration(source, declaration, language)
    assert changed == (source if found is None else source.replace(found, declaration))


def test_blanks_and_const_make_no_difference():
    assert not differs("void solve(float *a, int n) {", CUDA, Language.CUDA)
    assert differs("void solve(float* b, int n) {", CUDA, Language.CUDA)
    assert differs("int x;", CUDA, Language.CUDA)


def test_the_files_are_downloaded(workspace, ask):
    answer = ask("export.zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="my-sum.zip"'
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert any(name.endswith("problem.toml") for name in names)


def test_trials_are_forgotten_when_there_are_many(workspace, instructor, monkeypatch):
    monkeypatch.setattr(runs, "KEPT_TRIALS", 2)
    for _ in range(4):
        runs.cancel(runs.try_solutions(workspace, instructor, file="plain.cu"))
    assert workspace.runs.filter(kind=RunKind.TRIAL).count() == 2
