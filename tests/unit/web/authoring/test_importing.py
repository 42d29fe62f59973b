"""Tests imports: a package immediately, sets by a worker."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from problems.archive import pack
from problems.contents import Contents
from problems.importing.report import Imported, ImportedProblem, ImportOutcome
from sandbox.backend import IsolationUnavailable
from web.accounts.models import User
from web.authoring import queries
from web.authoring.models import Workspace
from web.authoring.services import workspaces
from web.fleet.models import Duty, Node, Worker
from web.fleet.presence import WorkerReport, record_worker
from web.fleet.queries import hosts_of
from web.importing import services
from web.importing.models import ImportRun
from web.importing.persistence import MAX_TEXT_CHARACTERS, MAX_WARNINGS, persist
from web.importing.queue import queue as imports
from web.jobs.models import JobState
from web.jobs.queue import LeaseLost
from worker import scripted_proving
from worker.judge_handle import JudgeHandle
from worker.judging import judge_next

pytestmark = pytest.mark.django_db


@pytest.fixture
def author(client, instructor):
    client.force_login(instructor)
    return client


class WorkerDied(BaseException):
    """Raised in place of the end of a worker's process: no code of the worker handles it."""


def uploaded(content: bytes, name: str = "set.zip") -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


def a_set(**problems: dict[str, bytes]) -> bytes:
    """A ZIP file with a folder for each problem."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for slug, files in problems.items():
            for path, content in files.items():
                archive.writestr(f"set/{slug}/{path}", content)
    return stream.getvalue()


def test_a_report_quotes_only_a_bounded_part_of_a_set(instructor):
    """The report of a set is written again after each of its problems."""
    long = ImportedProblem("a", "a", "A", ImportOutcome.WARNED, ("x" * 60_000,) * 5_000, reason="y" * 60_000)
    told = persist(instructor, Imported(long)).as_json()
    assert len(told["reason"]) == MAX_TEXT_CHARACTERS
    assert max(map(len, told["warnings"])) == MAX_TEXT_CHARACTERS
    assert told["warnings"][MAX_WARNINGS:] == ["4980 more warnings are not shown"]


def test_names_of_files_that_are_not_utf8_are_stored_escaped(instructor, vector_add):
    """On a worker's disk, a folder of a set may have any name."""
    services.start_folder(instructor, "leetgpu", "sets")
    run = imports.claim("w")
    odd = ImportedProblem("p\udcff", "a-sum", "A", ImportOutcome.WARNED, ("omitted \udcff\0",))
    imports.show_progress(run, "1 of 1: p\udcff")
    imports.record_problem(run, instructor, Imported(odd, vector_add))
    run.refresh_from_db()
    (told,) = run.report["problems"]
    assert (run.progress, told["place"]) == ("1 of 1: p\\udcff", "p\\udcff")
    assert told["warnings"] == ["omitted \\udcff"]
    assert Workspace.objects.get().revisions.get().note == "Imported from p\\udcff"


def test_a_folder_with_a_line_break_in_its_name_is_one_line_for_a_terminal(tmp_path, monkeypatch, capsys):
    entry = ImportedProblem.refused("a\nb: imported as b", "a", "why")

    def import_set(*_, on_problem, **__):
        on_problem(1, 1, entry.place)
        yield Imported(entry)

    command = "web.importing.management.commands.importproblems"
    monkeypatch.setattr(f"{command}.open_configured_backend", lambda _: None)
    monkeypatch.setattr(f"{command}.open_workshop", lambda *_, **__: nullcontext())
    monkeypatch.setattr(f"{command}.import_set", import_set)
    with pytest.raises(SystemExit):
        call_command("importproblems", "gpu_mode", str(tmp_path), "--into", str(tmp_path / "out"))
    told = capsys.readouterr()
    assert [line for line in (told.out + told.err).splitlines() if line.startswith("b:")] == []


class TestPackage:
    def sent(self, contents: Contents, slug: str = "") -> dict[str, object]:
        return {"what": "package", "package-archive": uploaded(pack(contents)), "package-slug": slug}

    def test_becomes_a_workspace(self, author, instructor, vector_add):
        answer = author.post("/author/import", self.sent(Contents("their-sum", vector_add)))
        made = Workspace.objects.get()
        assert answer.url == "/author/their-sum/statement"
        assert (made.slug, made.owner, queries.read(made)) == ("their-sum", instructor, vector_add)

    def test_again_becomes_a_revision(self, author, workspace, vector_add):
        changed = {**vector_add, "reference.py": b"# new\n"}
        del changed["editorial.md"]
        author.post("/author/import", self.sent(Contents("x", changed), slug="my-sum"))
        found = Workspace.objects.get()
        assert found.revision > workspace.revision
        assert queries.read(found) == changed

    def test_of_somebody_else_is_refused(self, client, staff, owner, workspace, vector_add):
        owner.is_instructor = True
        owner.save()
        client.force_login(owner)
        answer = client.post("/author/import", self.sent(Contents("my-sum", vector_add)))
        assert answer.status_code == 422
        assert "Choose another name" in answer.content.decode()

    def test_a_message_that_begins_with_a_file_name_keeps_it(self, author):
        archive = a_set(readme={"readme.txt": b"x"})
        sent = {"what": "package", "package-archive": uploaded(archive)}
        assert "problem.toml is missing" in author.post("/author/import", sent).content.decode()

    def test_what_is_no_archive_is_told(self, author):
        sent = {"what": "package", "package-archive": uploaded(b"nothing"), "package-slug": ""}
        answer = author.post("/author/import", sent)
        assert "not a readable ZIP file" in answer.content.decode()


@pytest.mark.django_db(transaction=True)  # the heartbeat has a connection of its own
class TestSet:
    def sent(self, archive: bytes) -> dict[str, object]:
        return {"what": "set", "set-set_format": "leetgpu", "set-archive": uploaded(archive)}

    def test_is_taken_by_a_worker_and_reported(self, author, vector_add):
        archive = a_set(**{"a-sum": vector_add, "b-sum": {**vector_add, "refuse": b"x"}})
        answer = author.post("/author/import", self.sent(archive))
        run = ImportRun.objects.get()
        assert answer.url == f"/author/import/{run.pk}"
        assert "every 2s" in author.get(answer.url).content.decode()
        judge_next(JudgeHandle())
        run.refresh_from_db()
        assert (run.state, run.archive) == (JobState.DONE, None)
        assert [problem["outcome"] for problem in run.report["problems"]] == ["imported", "refused"]
        assert Workspace.objects.get().slug == "a-sum"
        page = author.get(answer.url).content.decode()
        assert "/author/a-sum" in page
        assert "the folder asked for it" in page

    def test_again_it_updates(self, author, instructor, vector_add):
        for content in (b"# one\n", b"# two\n"):
            services.start_archive(
                instructor, "leetgpu", a_set(**{"a-sum": {**vector_add, "reference.py": content}})
            )
            judge_next(JudgeHandle())
        made = Workspace.objects.get()
        assert (made.revision, queries.read_file(made, "reference.py")) == (2, b"# two\n")
        assert ImportRun.objects.first().report["problems"][0]["again"] is True

    def test_after_a_lost_worker_the_next_one_continues(self, author, monkeypatch, vector_add):
        refused = {**vector_add, "refuse": b"x"}
        archive = a_set(**{"a-sum": vector_add, "b-sum": refused, "c-sum": vector_add, "d-sum": vector_add})
        answer = author.post("/author/import", self.sent(archive))
        judged = []

        def dies_once(*given: object, **named: object) -> Iterator[Imported]:
            for found in import_set(*given, **named):
                if found.entry.slug == "c-sum" and not died:
                    died.append(True)
                    raise WorkerDied
                judged.append(found.entry.slug)
                yield found

        died: list[bool] = []
        import_set = scripted_proving.import_set
        monkeypatch.setattr("worker.scripted_proving.import_set", dies_once)
        with pytest.raises(WorkerDied):
            judge_next(JudgeHandle())
        # Only now: the heartbeat of the worker would extend the lease.
        ImportRun.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
        page = author.get(answer.url).content.decode()
        assert "/author/a-sum" in page, "the page shows problems as they are done"
        assert "every 2s" in page
        judge_next(JudgeHandle())
        run = ImportRun.objects.get()
        assert (run.state, run.attempt) == (JobState.DONE, 2)
        assert judged == ["a-sum", "b-sum", "c-sum", "d-sum"]
        assert [problem["slug"] for problem in run.report["problems"]] == judged
        assert {made.revision for made in Workspace.objects.all()} == {1}

    def test_problems_that_were_done_before_it_was_cancelled_stay(
        self, author, instructor, monkeypatch, vector_add
    ):
        archive = a_set(**{"a-sum": vector_add, "b-sum": vector_add})
        run = services.start_archive(instructor, "leetgpu", archive)

        def cancelled_later(*given: object, **named: object) -> Iterator[Imported]:
            first, second = import_set(*given, **named)
            yield first
            services.cancel(run)
            yield second

        import_set = scripted_proving.import_set
        monkeypatch.setattr("worker.scripted_proving.import_set", cancelled_later)
        judge_next(JudgeHandle())
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert Workspace.objects.get().slug == "a-sum"
        page = author.get(f"/author/import/{run.pk}").content.decode()
        assert "after the problems below" in page

    @pytest.mark.parametrize("lost", [{"is_instructor": False}, {"is_active": False}])
    def test_it_ends_when_its_owner_may_no_longer_write_problems(
        self, instructor, monkeypatch, vector_add, lost
    ):
        archive = a_set(**{"a-sum": vector_add, "b-sum": vector_add})
        run = services.start_archive(instructor, "leetgpu", archive)

        def demoted_later(*given: object, **named: object) -> Iterator[Imported]:
            first, second = import_set(*given, **named)
            yield first
            User.objects.filter(pk=instructor.pk).update(**lost)
            yield second

        import_set = scripted_proving.import_set
        monkeypatch.setattr("worker.scripted_proving.import_set", demoted_later)
        judge_next(JudgeHandle())
        run.refresh_from_db()
        assert run.state == JobState.DONE
        assert "Only instructors" in run.failure
        assert [made.slug for made in Workspace.objects.all()] == ["a-sum"]

    def test_small_timed_cases_grow_on_request(self, author, vector_add):
        archive = a_set(**{"a-sum": vector_add})
        answer = author.post("/author/import", {**self.sent(archive), "set-scale": "on"})
        judge_next(JudgeHandle())
        page = author.get(answer.url).content.decode()
        assert "below 1 MiB enlarged" in page
        assert "no case was enlarged" in page  # by the scripted judge, which was asked to

    def test_an_archive_that_could_harm_is_refused_at_once(self, author):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("../up.py", "")
        answer = author.post("/author/import", self.sent(stream.getvalue()))
        assert "not a safe path" in answer.content.decode()
        assert not ImportRun.objects.exists()

    def test_one_may_have_a_few_unfinished(self, instructor, vector_add):
        archive = a_set(**{"a-sum": vector_add})
        for _ in range(services.MAX_OPEN_OF_PERSON):
            services.start_archive(instructor, "leetgpu", archive)
        with pytest.raises(services.TooManyImports):
            services.start_archive(instructor, "leetgpu", archive)

    def test_it_can_be_cancelled(self, author, instructor, vector_add):
        run = services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        author.post(f"/author/import/{run.pk}/cancel")
        judge_next(JudgeHandle())
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert not Workspace.objects.exists()

    def test_it_is_its_owners(self, client, owner, instructor, vector_add):
        run = services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        client.force_login(owner)
        assert client.get(f"/author/import/{run.pk}").status_code == 404
        assert client.get("/author/import").status_code == 403


@pytest.mark.django_db(transaction=True)
class TestFolder:
    def test_is_for_staff_below_a_directory(self, client, staff, settings, tmp_path, vector_add):
        settings.WARPCOURT = replace(settings.WARPCOURT, imports_dir=tmp_path)
        for path, content in vector_add.items():
            place = tmp_path / "set" / "a-sum" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        client.force_login(staff)
        sent = {"what": "folder", "folder-set_format": "leetgpu", "folder-folder": "set"}
        client.post("/author/import", sent)
        judge_next(JudgeHandle())
        assert Workspace.objects.get().owner == staff

    @pytest.mark.parametrize("folder", ["../etc", "/etc", "a/../../etc"])
    def test_leads_nowhere_else(self, staff, folder):
        with pytest.raises(services.SetUnacceptable):
            services.start_folder(staff, "leetgpu", folder)

    @pytest.fixture
    def fleet(self, settings, tmp_path, monkeypatch):
        return FleetWithFolders(settings, tmp_path, monkeypatch)

    def test_that_no_host_has_is_told(self, staff, fleet):
        (fleet.imports_dir("one") / "link").symlink_to("/etc")
        for folder in ("nowhere", "link"):
            run = services.start_folder(staff, "leetgpu", folder)
            fleet.judge_on("one")
            assert imports.sweep(hosts=hosts_of).concluded == 1
            run.refresh_from_db()
            assert (run.state, run.tries) == (JobState.DONE, 0)
            assert f"No worker has the folder {folder} below" in run.failure
            assert "Copy the folder" in run.failure

    def test_that_another_host_has_is_imported_there(self, staff, fleet, vector_add, wakeups):
        fleet.imports_dir("one")
        fleet.put("two", vector_add)
        run = services.start_folder(staff, "leetgpu", "set")
        wakeups.clear()
        for _ in range(3):
            fleet.judge_on("one")
        run.refresh_from_db()
        assert (run.state, run.tries, run.attempt) == (JobState.QUEUED, 0, 1), "one does not claim it again"
        assert "the folder set" in run.excluded_hosts["one"]
        assert wakeups == ["cpu"], "another worker is woken at once"
        assert imports.sweep(hosts=hosts_of).concluded == 0, "two has not been asked"
        fleet.judge_on("two")
        run.refresh_from_db()
        assert (run.state, run.failure) == (JobState.DONE, "")
        assert Workspace.objects.get().slug == "a-sum"

    def test_waits_for_a_host_that_restarts_but_not_for_a_drained_one(self, staff, fleet):
        fleet.imports_dir("one")
        fleet.imports_dir("two")
        services.start_folder(staff, "leetgpu", "set")
        fleet.judge_on("one")
        Worker.objects.filter(name="two:1").update(
            state=Duty.STOPPED, heartbeat=timezone.now() - timedelta(minutes=5)
        )
        assert imports.sweep(hosts=hosts_of).concluded == 0
        Node.objects.filter(name="two").update(
            drained=True, drain_reason="repair", drained_since=timezone.now()
        )
        assert imports.sweep(hosts=hosts_of).concluded == 1

    def test_waits_for_a_host_when_there_is_none(self, staff, fleet):
        fleet.imports_dir("one")
        services.start_folder(staff, "leetgpu", "set")
        fleet.judge_on("one")
        Worker.objects.all().delete()
        assert imports.sweep(hosts=hosts_of).concluded == 0

    def test_is_nothing_for_instructors(self, author):
        sent = {"what": "folder", "folder-set_format": "leetgpu", "folder-folder": "set"}
        assert author.post("/author/import", sent).status_code == 200
        assert not ImportRun.objects.exists()


@pytest.mark.django_db(transaction=True)
class TestHostThatCannotJudge:
    """The container engine of the host restarts: a failure of ours, which is never charged."""

    @pytest.fixture(autouse=True)
    def _engine_away(self, monkeypatch):
        def away(*_: object, **__: object) -> None:
            raise IsolationUnavailable("start the container engine")

        monkeypatch.setattr("worker.scripted_proving.import_set", away)

    def test_charges_no_try_and_pauses(self, instructor, vector_add):
        run = services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        for _ in range(3):  # as many as there are tries, each on a sweep and a host that has just come up
            bench = JudgeHandle()
            judge_next(bench)
            assert bench.judge() is None, "the worker did not pause"
            imports.sweep()
        run.refresh_from_db()
        assert (run.state, run.tries, run.attempt) == (JobState.QUEUED, 0, 3)
        assert run.archive is not None


class FleetWithFolders:
    """Hosts whose workers report, each with its own directory of sets."""

    def __init__(self, settings, tmp_path, monkeypatch) -> None:
        self._settings, self._tmp_path, self._monkeypatch = settings, tmp_path, monkeypatch

    def imports_dir(self, host: str) -> Path:
        """The directory of a new host."""
        made = self._tmp_path / host
        made.mkdir()
        record_worker(
            WorkerReport(
                node=host, name=f"{host}:1", instance=host, queues=("cpu",), concurrency=1, version="0"
            )
        )
        return made

    def put(self, host: str, files: Mapping[str, bytes]) -> None:
        """Put a set with one problem on a new host."""
        place = self.imports_dir(host) / "set" / "a-sum"
        for path, content in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(content)

    def judge_on(self, host: str) -> None:
        """Let a worker of a host take the next job."""
        self._settings.WARPCOURT = replace(self._settings.WARPCOURT, imports_dir=self._tmp_path / host)
        self._monkeypatch.setattr("worker.run.process_name", lambda: f"{host}:7")
        judge_next(JudgeHandle())


class TestDocket:
    def test_a_lost_worker_changes_nothing(self, instructor, vector_add):
        services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        first = imports.claim("one")
        ImportRun.objects.update(lease_until="2000-01-01T00:00:00Z")
        second = imports.claim("two")
        found = Imported(ImportedProblem.imported("set/a-sum", "a-sum", "A sum", ()), vector_add)
        assert second.attempt == first.attempt + 1
        with pytest.raises(LeaseLost):
            imports.record_problem(first, instructor, found)
        assert not imports.record(first)
        assert not Workspace.objects.exists()
        imports.record_problem(second, instructor, found)
        assert imports.record(second)
        assert Workspace.objects.get().slug == "a-sum"

    def test_only_tries_without_a_new_problem_count(self, instructor, vector_add, settings):
        services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        for number in range(settings.WARPCOURT.max_tries + 1):
            claim = imports.claim("dies later")
            entry = ImportedProblem.imported(f"set/sum-{number}", f"sum-{number}", "A sum", ())
            imports.record_problem(claim, instructor, Imported(entry, vector_add))
            imports.return_to_queue(claim, failed=True)
        run = ImportRun.objects.get()
        assert (run.state, run.tries) == (JobState.QUEUED, 1)
        assert len(run.report["problems"]) == settings.WARPCOURT.max_tries + 1

    def test_one_on_which_a_worker_hung_ends_at_once(self, instructor, vector_add):
        services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        claim = imports.claim("hangs")
        assert imports.abandon(claim.pk, claim.attempt)
        assert "could not read this set in time" in ImportRun.objects.get().failure
        assert imports.claim("another") is None

    def test_after_some_tries_it_is_given_up(self, instructor, vector_add, settings):
        services.start_archive(instructor, "leetgpu", a_set(**{"a-sum": vector_add}))
        for _ in range(settings.WARPCOURT.max_tries):
            imports.return_to_queue(imports.claim("one"), failed=True)
        assert "several times" in ImportRun.objects.get().failure


def test_one_that_cannot_be_kept_is_refused_alone(instructor, staff, vector_add):
    workspaces.create(staff, "taken", vector_add)
    found = Imported(ImportedProblem.imported("set/taken", "taken", "Taken", ()), vector_add)
    assert persist(instructor, found).entry.outcome == "refused"
    again = Imported(ImportedProblem.imported("set/free", "free", "Free", ("a warning",)), vector_add)
    assert persist(instructor, again).revision == 1
