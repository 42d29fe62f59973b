"""Readings: one for a day of the curriculum, each with a figure, and linked from its problem or quiz."""

import re

import pytest
from django.contrib.auth.models import AnonymousUser

from problems.curriculum import load_curriculum
from problems.loader import problems_root
from tests.conftest import new_problem
from web.catalog.markdown import render
from web.catalog.terms import terms
from web.learn.figures import READING_FIGURES
from web.learn.pages import reading_page, reading_text
from web.site.readings import READINGS, Reading

CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
DAYS = {planned.slug: planned.day for planned in load_curriculum(problems_root() / "tracks").days}

each_reading = pytest.mark.parametrize("reading", READINGS.values(), ids=lambda reading: reading.slug)


def test_readings_are_in_the_order_of_their_days():
    days = [reading.day for reading in READINGS.values()]
    assert days == sorted(days)
    assert READING_FIGURES.keys() == READINGS.keys()


@each_reading
def test_a_reading_belongs_to_its_day_and_takes_a_few_minutes(reading: Reading):
    assert DAYS[reading.slug] == reading.day
    text = reading_text(reading)
    words = len(CODE.sub("", text).split())
    assert 300 <= words <= 600, words
    assert ":::spoiler Answer\n" in text.partition("\n## Check yourself\n")[2]
    assert 'class="math"' not in render(text)  # every formula is known


@each_reading
@pytest.mark.django_db
def test_a_page_has_the_figure_and_links_that_lead_somewhere(reading: Reading, client):
    page = client.get(reading.url).content.decode()
    assert READING_FIGURES[reading.slug].caption in page.replace("&#x27;", "'").replace("&lt;", "<")
    assert "still to come" in page
    for address in re.findall(r"\]\((/[^)]*)\)", reading_text(reading)):
        path, _, fragment = address.partition("#")
        answer = client.get(path)
        assert answer.status_code == 200, address
        assert not fragment or f'id="{fragment}"' in answer.content.decode(), address


@each_reading
@pytest.mark.django_db
def test_terms_in_another_sense_are_not_linked(reading: Reading):
    assert set(reading.unlinked) <= {term.name for term in terms()}
    slugs = [term.slug for term in terms() if term.name in reading.unlinked]
    linked = render(reading_text(reading), terms=True)
    assert all(f"/learn/terms#{slug}" in linked for slug in slugs), "an unlinked term does not occur"
    page = reading_page(AnonymousUser(), reading).text
    assert not any(f'href="/learn/terms#{slug}"' in page for slug in slugs)


@pytest.mark.django_db
def test_a_problem_leads_to_its_reading_and_back(client):
    new_problem("vector-add")
    reading = READINGS["vector-add"]
    assert f'Read first: <a href="{reading.url}">' in client.get("/problems/vector-add").content.decode()
    assert 'href="/problems/vector-add"' in client.get(reading.url).content.decode()


def test_other_days_have_none(client):
    assert client.get("/learn/days/no-such-problem").status_code == 404
