"""Tests backups in S3: copied to and restored from a moto server on the loopback address."""

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.upkeep.site import NewSite
from tests.unit.web.upkeep.made_up import made_up
from web.upkeep import object_store
from web.upkeep.manifest import ArchiveWrong, ToolFailed
from web.upkeep.object_store import Location, LocationWrong, downloaded, upload

boto3 = pytest.importorskip("boto3")
moto_server = pytest.importorskip("moto.server")
pytestmark = pytest.mark.integration

FUTURE = "warpcourt-99991231T235959Z.zip"  # planted by an attacker, say
FOLDER = Location("backups", "court/")


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The variables with which boto3 finds a server that has an empty bucket `backups`."""
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    variables = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": f"http://{host}:{port}",
        "AWS_MAX_ATTEMPTS": "1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    boto3.session.Session().client("s3").create_bucket(Bucket="backups")
    try:
        yield variables
    finally:
        server.stop()


@pytest.mark.parametrize(
    "text",
    [
        "s3://",
        "s3:///key",
        "s3://Upper/key",
        "s3://b/key",
        "https://host/key",
        "backups/key",
        "s3://bucket//x",
    ],
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(LocationWrong, match="is not an address of S3"):
        Location.parse(text)


def test_an_address_names_a_folder_or_a_file() -> None:
    assert Location.parse("s3://backups").is_folder
    assert Location.parse("s3://backups/court/").is_folder
    assert not Location.parse("s3://backups/court/site.zip").is_folder


@pytest.mark.usefixtures("s3")
def test_a_copy_comes_back_as_it_was_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "warpcourt-20261121T120000Z.zip"
    path.write_bytes(bytes(range(256)) * (40 << 10))  # 10 MiB: more than one part
    place = upload(path, FOLDER)
    assert str(place) == f"s3://backups/court/{path.name}"
    here = tmp_path / "here"
    with downloaded(place, here) as copy:
        assert copy.read_bytes() == path.read_bytes()
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    assert not [*here.iterdir()]


@pytest.mark.usefixtures("s3")
def test_a_folder_means_its_latest_regular_backup(tmp_path: Path) -> None:
    for name in ("warpcourt-20261121T120000Z.zip", "warpcourt-20261122T120000Z.zip", "zzz.zip", FUTURE):
        upload(made_up(tmp_path / name), FOLDER)
    upload(made_up(tmp_path / "warpcourt-20261123T120000Z.zip"), Location("backups", "court/other/"))
    with downloaded(FOLDER, tmp_path) as copy:
        assert copy.name == "warpcourt-20261122T120000Z.zip"
    with (
        pytest.raises(ArchiveWrong, match="contains no backup"),
        downloaded(Location("backups", "x/"), tmp_path),
    ):
        pass


@pytest.mark.usefixtures("s3")
def test_faults_of_the_service_say_what_to_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made_up(tmp_path / "site.zip")
    with pytest.raises(ToolFailed, match=r"NoSuchBucket.*name of the bucket"):
        upload(path, Location("other-bucket", ""))
    with pytest.raises(ToolFailed, match="404"), downloaded(Location("backups", "none.zip"), tmp_path):
        pass
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    with pytest.raises(ToolFailed, match="AWS_ENDPOINT_URL_S3"):
        upload(path, FOLDER)


def test_an_error_while_the_copy_is_used_is_not_blamed_on_s3(s3: dict[str, str], tmp_path: Path) -> None:
    place = upload(made_up(tmp_path / "site.zip"), FOLDER)
    with pytest.raises(OSError, match="of the caller"), downloaded(place, tmp_path):
        raise OSError("of the caller")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["site.zip"]


def test_without_boto3_the_message_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ToolFailed, match=r"requirements/s3\.txt"):
        upload(tmp_path / "site.zip", FOLDER)
    assert object_store.SCHEME == "s3://"


def test_a_site_is_backed_up_to_s3_and_restored_from_it(new_site: NewSite, s3: dict[str, str]) -> None:
    site, other = new_site(migrated=True), new_site()
    site.managed(
        "shell", "-c", "from web.accounts.services import create_user; create_user('ada', 'a long one')"
    )
    said = site.managed("backup", "--to", "s3://backups/court/", environment=s3)
    assert "Copied to s3://backups/court/warpcourt-" in said
    assert "Valid: " in other.managed("restore", "--check", "s3://backups/court/", environment=s3)
    other.managed("restore", "--without-problems", "s3://backups/court/", environment=s3)
    names = other.python(
        "import json\nfrom web.accounts.models import User\n"
        "print(json.dumps([user.username for user in User.objects.all()]))"
    )
    assert names == ["ada"]
    refused = site.manage("backup", "--to", "s3://other-bucket/", environment=s3)
    assert refused.returncode != 0
    assert "is complete, but has no copy in S3" in refused.stderr
    assert len([*(site.folder / "backups").glob("*.zip")]) == 2
