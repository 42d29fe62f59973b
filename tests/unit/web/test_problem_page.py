"""The page of a problem: its pickers, its command lines, its figures, and how large it is."""

from dataclasses import replace

import pytest
from django.core.cache import cache
from django.test import Client

from tests.conftest import new_problem
from tests.unit.problems.test_figures import PNG, SVG
from web.fleet.models import Gpu, Node
from web.site.assets import FONTS, WORKBENCH_FONTS, find_assets

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


def test_a_figure_is_shown_and_served_so_that_it_can_do_nothing(packages, client: Client):
    new_problem("vector-add", statement="![A tree](figures/tree.svg) ![Bad](figures/bad.svg)")
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
    new_problem("vector-add")
    assert client.get(f"{URL}/figures/{name}").status_code == 404


def test_figures_of_hidden_problems_are_hidden(packages, staff, client: Client):
    new_problem("vector-add", published=False)
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
