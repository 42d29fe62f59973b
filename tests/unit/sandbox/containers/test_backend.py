"""Tests the errors of the backend about unsuitable engines, without an engine."""

from pathlib import Path

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers import backend as module
from sandbox.containers.backend import Containers
from sandbox.containers.engine import Engine, Facts
from sandbox.containers.images import Images
from sandbox.spec import Command, Image, Limits
from tests.unit.sandbox.containers.test_attachment import FACTS, facts

COMMAND = Command(("/bin/true",), Limits(wall_s=1, cpu_s=1, memory_mib=64))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An engine with good facts and the images that are in the list."""
    images: list[str] = []
    monkeypatch.setattr(Engine, "facts", lambda _: FACTS)
    monkeypatch.setattr(Engine, "has_image", lambda _, reference: reference in images)
    return images


def offers(monkeypatch: pytest.MonkeyPatch, found: Facts) -> None:
    monkeypatch.setattr(Engine, "facts", lambda _: found)


def test_no_engine_names_its_fix(tmp_path: Path) -> None:
    backend = Containers(Images.host(), directory=tmp_path, engine=f"unix://{tmp_path}/no.sock")
    for act in (backend.verify, lambda: backend.start(COMMAND)):
        with pytest.raises(IsolationUnavailable, match=r"did not answer[\s\S]*systemctl start docker"):
            act()


@pytest.mark.usefixtures("engine")
def test_missing_images_name_their_fix(tmp_path: Path) -> None:
    backend = Containers(Images.tagged("here", "5"), directory=tmp_path)
    with pytest.raises(IsolationUnavailable, match=r"here/oracle:5.*run: deploy/build-images"):
        backend.start(COMMAND)


def test_an_unknown_runtime_names_its_fix(engine: list[str], tmp_path: Path) -> None:
    engine += [f"warpcourt/{image}:latest" for image in Image]
    backend = Containers(Images.tagged(), "runsc", directory=tmp_path)
    with pytest.raises(IsolationUnavailable, match=r"no runtime 'runsc', only runc; .*daemon\.json"):
        backend.start(COMMAND)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("fence", ["filters_calls", "limits_memory", "limits_tasks"])
def test_an_engine_without_a_fence_is_refused(
    fence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offers(monkeypatch, facts(**{fence: False}))
    with pytest.raises(IsolationUnavailable, match="the container engine"):
        Containers(Images.host(), directory=tmp_path).start(COMMAND)


def test_swap_is_a_weakness(engine: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.append("warpcourt/host:1")
    offers(monkeypatch, facts(limits_swap=False))
    (weakness,) = Containers(Images.host(), directory=tmp_path).weaknesses
    assert "swapaccount=1" in weakness


def test_the_folder_is_ours_alone(engine: list[str], tmp_path: Path) -> None:
    engine.append("warpcourt/host:1")
    folder = tmp_path / "own"
    folder.mkdir(mode=0o755)
    assert Containers(Images.host(), directory=folder).weaknesses == ()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "passwd").read_text() == "nobody:x:64123:64123:nobody:/tmp:/usr/sbin/nologin\n"


def test_several_identities_have_names(tmp_path: Path) -> None:
    assert module._passwd(range(7, 9)).splitlines() == [
        "nobody:x:7:7:nobody:/tmp:/usr/sbin/nologin",
        "nobody8:x:8:8:nobody:/tmp:/usr/sbin/nologin",
    ]
    assert module._group(range(7, 9)) == "nobody:x:7:\nnobody8:x:8:\n"
