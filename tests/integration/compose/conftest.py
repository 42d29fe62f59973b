"""One site for all tests of this folder: building and starting it takes a minute or two."""

import os
import shutil
from collections.abc import Iterator

import pytest

from testing.services import need
from tests.integration.compose.site import ComposeSite


@pytest.fixture(scope="package")  # an idle site would take processor time from later tests
def site(docker_engine: str | None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComposeSite]:
    """The site, running and healthy."""
    need(os.geteuid() == 0, "root, for debootstrap", "run the tests as root")
    for program, package in {
        "docker": "docker.io",
        "docker-compose": "docker-compose",
        "debootstrap": "debootstrap",
    }.items():
        need(shutil.which(program) is not None, program, f"apt-get install {package}")
    made = ComposeSite(tmp_path_factory.mktemp("compose"), docker_engine)
    try:
        made.build()
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="package")
def token(site: ComposeSite) -> str:
    """The token of a user who may submit programs."""
    return site.sign_in()
