"""Tests the page of a problem: pickers, command lines, figures and size."""

import re
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.test import Client

from judge.report import Report
from problems.loader import load_problem, problems_root
from problems.vocabulary import Language, Mode, Verdict
from tests.conftest import new_problem
from tests.unit.problems.test_figures import PNG, SVG
from tests.unit.web.figures import record
from web.catalog.arguments import argument_row, case_size
from web.drafts.services import save_draft
from web.fleet.models import Gpu, Node
from web.hints import services as hints
from web.site.assets import FONTS, WORKBENCH_FONTS, find_assets
from web.submissions.models import Submission
from web.submissions.services import submit

pytestmark = pytest.mark.django_db

MOST_BYTES = 60 * 1024
URL = "/problems/vector-add"


@pytest.fixture
def packages(settings, tmp_path):
    """A package with two figures, one of which is bad."""
    figures = tmp_path / "vector-add" / "figures"
    figures.mkdir(parents=True)
    (figures / "tree.svg").write_text(SVG.format(""))
    (figures / "dots.png").write_bytes(PNG)
    (figures / "bad.svg").write_text(SVG.format("<script/>"))
    settings.WARPCOURT = replace(settings.WARPCOURT, problems_dir=tmp_path)
    return tmp_path


def test_it_is_small(problem, client: Client):
    assert len(client.get(URL).content) < MOST_BYTES


def test_a_gpu_can_be_asked_for_where_there_are_some(problem, client: Client):
    assert 'name="gpu_model"' not in client.get(URL).content.decode()
    node = Node.objects.create(name="node-1")
    for minor, model in enumerate(["NVIDIA H200", "NVIDIA B200", "NVIDIA H200"]):
        Gpu.objects.create(
            node=node,
            uuid=f"GPU-{minor}",
            minor=minor,
            model=model,
            memory_mib=1,
            driver="1",
            cuda="13",
            capability="9.0",
        )
    assert 'name="gpu_model"' not in client.get(URL).content.decode()  # which it learns within seconds
    cache.clear()
    page = client.get(URL).content.decode()
    assert page.count("<option>NVIDIA H200</option>") == 1
    assert "<option>NVIDIA B200</option>" in page


def test_the_command_lines_name_problem_and_language(problem, client: Client):
    page = client.get(f"{URL}?language=triton").content.decode()
    assert "warpcourt pull vector-add --language triton</code>" in page
    assert "warpcourt submit vector-add.py --watch</code>" in page
    assert 'data-command-cuda="warpcourt submit vector-add.cu --watch"' in page


def test_the_line_for_operators_is_for_staff(problem, staff, client: Client):
    assert "manage.py judge" not in client.get(URL).content.decode()
    client.force_login(staff)
    assert "manage.py judge vector-add" in client.get(URL).content.decode()


def test_sizes_and_seed_have_limits(problem, client: Client):
    page = client.get(URL).content.decode()
    assert 'type="number" name="size_n" value="4" min="1" max="2147483647"' in page
    assert 'name="seed" pattern="[0-9]{1,19}"' in page
    problem.limits |= {"sizes": {"n": 4096}}
    problem.save()
    assert 'name="size_n" value="4" min="1" max="4096"' in client.get(URL).content.decode()


def test_a_size_that_solve_does_not_get_says_what_it_decides():
    def uses(slug: str) -> dict[str, str]:
        problem = load_problem(problems_root() / slug)
        sizes = problem.cases[0].sizes
        return {
            name: case_size(name, value, problem.arguments, most=value).use for name, value in sizes.items()
        }

    assert uses("child-kernels") == {"rows": "", "nnz": "", "heavy": "decides how the data is drawn"}
    assert uses("block-skip-int4")["bands"] == "n = 2 * bands * half"
    assert uses("int4-linear")["groups"].startswith("k = ")


TREE = "![A tree](figures/tree.svg)"


def test_a_figure_is_shown_and_served_so_that_it_can_do_nothing(packages, client: Client):
    figures = ("tree.svg", "bad.svg", "dots.png")
    new_problem("vector-add", statement=" ".join(f"![A tree](figures/{name})" for name in figures))
    page = client.get(URL).content.decode()
    assert f'<img src="{URL}/figures/tree.svg" alt="A tree" width="400" height="240"' in page
    assert "bad.svg" not in page
    answer = client.get(f"{URL}/figures/tree.svg")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert answer["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert client.get(f"{URL}/figures/dots.png")["Content-Type"] == "image/png"


@pytest.mark.parametrize("name", ["bad.svg", "missing.svg", "problem.toml", "..%2fproblem.toml", "TREE.svg"])
def test_other_files_of_a_package_are_not_served(packages, client: Client, name):
    new_problem("vector-add", statement=f"![A tree](figures/{name})")
    assert client.get(f"{URL}/figures/{name}").status_code == 404


def test_figures_of_hidden_problems_are_hidden(packages, staff, client: Client):
    new_problem("vector-add", published=False, statement=TREE)
    assert client.get(f"{URL}/figures/tree.svg").status_code == 404
    client.force_login(staff)
    assert client.get(f"{URL}/figures/tree.svg").status_code == 200


def test_the_fonts_of_the_first_paint_are_asked_for_early(problem, client: Client):
    found = find_assets(*FONTS, *WORKBENCH_FONTS)
    assert len(found) == len(FONTS) + len(WORKBENCH_FONTS)
    page = client.get(URL).content.decode()
    for name in found:
        assert f'<link rel="preload" href="/static/dist/{name}" as="font"' in page


def test_assets_are_sent_compressed(problem, client: Client):
    for encoding in ("br", "gzip"):
        answer = client.get("/static/dist/styles.css", headers={"Accept-Encoding": encoding})
        assert answer["Content-Encoding"] == encoding


def program(**changed):
    return {"language": "cuda", "mode": "submit", "source": "mine", "key": "a" * 24, **changed}


def test_the_same_program_from_the_same_page_is_one_submission(problem, owner, client: Client):
    client.force_login(owner)
    answers = {client.post(f"{URL}/submissions", program()).headers["Location"] for _ in range(8)}
    assert len(answers) == Submission.objects.count() == 1
    for other in ({"source": "changed"}, {"mode": "run"}, {"key": "b" * 24}, {"language": "triton"}):
        client.post(f"{URL}/submissions", program(**other))
    assert Submission.objects.count() == 5


def test_every_page_has_a_key_of_its_own(problem, client: Client):
    keys = {re.search('name="key" value="([^"]{24})"', client.get(URL).content.decode())[1] for _ in range(3)}
    assert len(keys) == 3


def test_a_bad_key_is_refused(problem, owner, client: Client):
    client.force_login(owner)
    assert client.post(f"{URL}/submissions", program(key="<b>")).status_code == 422


def test_the_latest_result_is_there_again(problem, owner, teammate, handed_in, client: Client):
    client.force_login(owner)
    assert "Your latest" not in client.get(URL).content.decode()
    submission = handed_in(owner, source="mine")
    page = client.get(f"{URL}?language=cuda").content.decode()
    assert f"{submission.public_id}/events?after=" in page, "it is followed"
    record(submission, Report(Verdict.WRONG_ANSWER, message="half of c is wrong"))
    page = client.get(f"{URL}?language=cuda").content.decode()
    assert "half of c is wrong" in page
    assert "data-outdated" in page, "the page shows the starter"
    assert "half of c is wrong" not in client.get(f"{URL}?language=triton").content.decode()
    client.force_login(teammate)
    assert "half of c is wrong" not in client.get(URL).content.decode()


def test_a_failed_result_leads_to_the_instructors(problem, owner, handed_in, client: Client):
    client.force_login(owner)
    failed = record(handed_in(owner), Report(Verdict.WRONG_ANSWER))
    ask = f'href="/s/{failed.public_id}/questions">Ask the instructors'
    assert ask in client.get(f"{URL}?language=cuda").content.decode()
    solved = record(handed_in(owner, source="right"), Report(Verdict.ACCEPTED))
    page = client.get(f"{URL}?language=cuda").content.decode()
    assert solved.public_id in page
    assert "Ask the instructors" not in page


def test_a_run_of_the_starter_is_there_again(problem, owner, client: Client):
    client.force_login(owner)
    starter = problem.starters["cuda"]
    record(
        submit(owner, problem, language=Language.CUDA, source=starter, mode=Mode.RUN),
        Report(Verdict.WRONG_ANSWER),
    )
    page = client.get(f"{URL}?language=cuda").content.decode()
    assert "Your latest run" in page
    assert "data-outdated" not in page


def test_a_result_of_the_shown_program_is_not_outdated(problem, owner, handed_in, client: Client):
    client.force_login(owner)
    record(handed_in(owner, source="mine"), Report(Verdict.WRONG_ANSWER))
    save_draft(owner, problem, Language.CUDA, source="mine", expected=0)
    page = client.get(f"{URL}?language=cuda").content.decode()
    assert "Your latest" in page
    assert "data-outdated" not in page


def test_arrays_in_host_memory_are_shown_and_nothing_is_ranked(problem, client: Client):
    page = client.get(URL).content.decode()
    assert '<th scope="col">Memory</th>' not in page
    assert client.get("/api/v1/problems/vector-add").json()["signature"][0]["memory"] == "device"
    problem.signature[0]["memory"] = "host"
    problem.save()
    page = client.get(URL).content.decode()
    assert '<th scope="col">Memory</th>' in page
    assert "<td>host, pageable</td>" in page
    assert "They are not timed or ranked" in page
    assert client.get("/api/v1/problems/vector-add").json()["signature"][0]["memory"] == "host"


def test_arrays_on_several_gpus_are_shown_and_nothing_is_ranked(problem, client: Client):
    problem.limits = {**problem.limits, "gpu_count": 2}
    problem.signature[0]["device"] = 1
    problem.save()
    page = client.get(URL).content.decode()
    assert "<td>GPU 1</td>" in page
    assert "A program uses 2 GPUs in one process. It is not timed or ranked." in page
    assert "Programs copy data between host and device themselves" not in page
    assert client.get("/api/v1/problems/vector-add").json()["signature"][0]["device"] == 1


def test_ranks_are_explained(problem, client: Client):
    problem.limits = {**problem.limits, "gpu_count": 2, "ranks": 2}
    problem.save()
    page = client.get(URL).content.decode()
    assert "A program runs in 2 processes, the ranks" in page
    assert "A program uses 2 GPUs in one process" not in page
    assert "<td>GPU 0</td>" not in page
    assert client.get("/api/v1/problems/vector-add").json()["limits"]["ranks"] == 2


def test_requirements_are_listed_in_words(problem, client: Client):
    assert "<h3>Requirements</h3>" not in client.get(URL).content.decode()
    row = {"counter": "launches", "relation": "at_most", "bound": 2.0, "explanation": "Few."}
    problem.requirements = [row]
    problem.save()
    page = client.get(URL).content.decode()
    assert "must also meet this bound:" in page
    assert "<strong>Kernel launches: at most 2 (CUDA C++).</strong> Few." in page
    assert client.get("/api/v1/problems/vector-add").json()["requirements"] == [row]


def test_figures_of_hints_and_editorials_are_for_their_readers(packages, owner, instructor, client: Client):
    problem = new_problem("vector-add", hints=["No figure.", TREE], editorial="![](figures/dots.png)")

    def status(name: str) -> int:
        return client.get(f"{URL}/figures/{name}").status_code

    assert (status("tree.svg"), status("dots.png")) == (404, 404)
    client.force_login(instructor)
    assert (status("tree.svg"), status("dots.png")) == (200, 200)
    client.force_login(owner)
    hints.open_next(owner, problem)
    assert (status("tree.svg"), status("dots.png")) == (404, 404)
    hints.open_next(owner, problem)
    hints.give_up(owner, problem)
    assert (status("tree.svg"), status("dots.png")) == (200, 200)


def test_the_table_says_how_arguments_follow_from_sizes():
    arguments = load_problem(problems_root() / "paged-attention").arguments
    rows = {argument.name: argument_row(argument, gpus=1) for argument in arguments}
    assert rows["row"].value == "(2 * n + page - 2) // page"
    assert rows["page"].value == ""
    times = "\N{MULTIPLICATION SIGN}"
    assert rows["k_pages"].shape == f"(b * n // page + b) {times} page {times} h {times} d"


def test_triton_has_twice_the_time_without_a_gpu(problem, client: Client, settings):
    text = "s per case (twice as long for Triton in functional mode)"
    for target, shown in (("cpu", True), ("gpu", False)):
        settings.WARPCOURT = replace(settings.WARPCOURT, target=target)
        assert (text in client.get(URL).content.decode()) == shown
