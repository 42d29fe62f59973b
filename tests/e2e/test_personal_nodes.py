"""Tests a personal node that joins the site, judges the user's runs, stops, is lost and is removed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from testing.services import need, wait_until
from tests.e2e.conftest import (
    Site,
    copy_problems,
    open_problem,
    press,
    serving,
    sign_up,
    wait_for_verdict,
    write,
)
from tests.e2e.own_node import OwnNode
from tests.e2e.soundness import check, check_here
from tests.e2e.test_accounts import confirm_if_asked
from web.config import ROOT

SOLUTIONS = ROOT / "problems" / "vector-add" / "solutions"
LEASE_S = 4
ALLOW = "from web.catalog.models import Problem; Problem.objects.update(on_personal_nodes=True)"
EXPIRE = (
    "from django.utils import timezone; from web.fleet.models import NodeInvitation; "
    "NodeInvitation.objects.update(expires=timezone.now())"
)
FORGET = (
    "from datetime import timedelta; from django.utils import timezone; "
    "from web.fleet.models import PersonalNode; "
    "PersonalNode.objects.update(heartbeat=timezone.now() - timedelta(minutes=1))"
)
WITHIN_S = 300  # the first judgement on a machine takes a while on two cores

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site that soon notices that a worker is lost, and whose problems allow personal nodes."""
    problems = tmp_path_factory.mktemp("problems")
    copy_problems(problems)
    settings = {"target": "scripted", "problems_dir": str(problems), "lease_s": str(LEASE_S)}
    with serving(tmp_path_factory.mktemp("site"), **settings, sweep_s="1") as running:
        running.manage("shell", "-c", ALLOW)
        yield running


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[OwnNode]:
    """The user's machine. Its cache is kept between runs, as that of the site is."""
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    cache = ROOT / ".cache" / "tests"
    cache.mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache").symlink_to(cache)
    node = OwnNode(tmp_path)
    yield node
    node.kill()


def invite(page: Page, site: Site, name: str = "desk") -> str:
    """Invite a node on the account page, and return its token."""
    page.goto(f"{site.url}/account/nodes")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create token").click()
    confirm_if_asked(page, page.get_by_role("heading", name=f"Token for “{name}”"))
    return page.locator("#secret").inner_text()


def join(page: Page, site: Site, machine: OwnNode, name: str = "desk") -> None:
    done = machine.join(invite(page, site, name), "--cpu")
    assert done.returncode == 0, done.stdout + done.stderr


def row(page: Page, name: str = "desk") -> Locator:
    """The row of a node on the account page."""
    return page.get_by_role("region", name="Nodes").get_by_role("row", name=name)


def wait_for_state(page: Page, site: Site, word: str, name: str = "desk") -> None:
    """Load the account page until it says that the node is in this state."""

    def found() -> bool:
        page.goto(f"{site.url}/account/nodes")
        return word in row(page, name).inner_text()

    wait_until(found, f"The state {word} of {name}")


def run_on_own_node(page: Page, site: Site, source: str) -> None:
    """Run a program from the editor on the user's node."""
    open_problem(page, site, "vector-add")
    page.get_by_role("combobox", name="GPU").select_option(label="My node (runs only)")
    write(page, source)
    press(page, "Run")


def hold(machine: OwnNode) -> Path:
    """Let programs that ask for it wait on the machine while this file exists."""
    gate = machine.folder / "run" / "hold-checking"
    gate.parent.mkdir(exist_ok=True)
    gate.touch()
    return gate


def stage(page: Page) -> Locator:
    return page.locator("[data-stage]")


def test_from_the_invitation_to_a_verdict(court: Site, page: Page, machine: OwnNode) -> None:
    court.manage("shell", "-c", ALLOW)
    sign_up(page, court, "self-hoster")
    token = invite(page, court)
    expect(row(page)).to_contain_text("Invited")
    check_here(page, "the page with a token")

    done = machine.join(token, "--cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert machine.settings.stat().st_mode & 0o777 == 0o600
    command = f"set -a; . {machine.settings}; .venv/bin/python -m worker.personal"
    assert command in done.stdout
    assert machine.key not in done.stdout + done.stderr
    wait_for_state(page, court, "Joined")
    key = machine.key
    again = machine.join(token, "--cpu", "--overwrite")
    assert (again.returncode, "was used" in again.stderr) == (1, True)
    assert machine.key == key

    machine.start()
    wait_for_state(page, court, "Running")
    expect(row(page)).to_contain_text("CPU")

    run_on_own_node(page, court, (SOLUTIONS / "off-by-one.cu").read_text())
    wait_for_verdict(page, "Wrong answer", within_s=WITHIN_S)
    expect(page.locator("#console .mismatch-got").first).to_be_visible()
    write(page, (SOLUTIONS / "plain.cu").read_text())
    press(page, "Run")
    wait_for_verdict(page, "Accepted", within_s=WITHIN_S)
    expect(page.locator("#console .banner-time")).to_contain_text("run on own node")
    page.get_by_role("link", name="Permalink").click()
    expect(page.get_by_text("your own node. This run does not count.")).to_be_visible()
    expect(page.get_by_text("version 1 of the problem")).to_be_visible()

    assert machine.stop() == 0
    assert machine.log.count("verdict_recorded") == 2
    assert "Traceback" not in machine.log
    assert machine.key not in machine.log + (court.data_dir / "site.log").read_text()


def test_a_node_that_stops_returns_its_run(site: Site, page: Page, machine: OwnNode) -> None:
    sign_up(page, site, "stopper")
    join(page, site, machine)
    machine.start(WARPCOURT_TARGET="scripted", WARPCOURT_STOP_GRACE_S="1")
    wait_for_state(page, site, "Running")
    gate = hold(machine)
    run_on_own_node(page, site, "// hold=checking wrong_answer")
    expect(stage(page)).to_have_text("Picked up by your node")
    judged = page.url
    watcher = page.context.new_page()
    wait_for_state(watcher, site, "Judging")
    check_here(watcher, "the page of a node that judges")

    assert machine.stop() == 0
    expect(stage(page)).to_have_text("Waiting")
    expect(page.locator("[data-detail]")).to_contain_text("If the node is not running, start it")
    assert "run_returned" in machine.log

    gate.unlink()
    machine.start(WARPCOURT_TARGET="scripted")
    assert page.url == judged
    wait_for_verdict(page, "Wrong answer")


def test_a_node_that_is_lost_loses_its_run_and_gets_it_again(
    site: Site, page: Page, machine: OwnNode
) -> None:
    sign_up(page, site, "loser")
    join(page, site, machine)
    machine.start(WARPCOURT_TARGET="scripted")
    wait_for_state(page, site, "Running")
    gate = hold(machine)
    run_on_own_node(page, site, "// hold=checking accepted")
    expect(stage(page)).to_have_text("Picked up by your node")

    machine.kill()
    expect(stage(page)).to_have_text("Waiting", timeout=10_000 + 1000 * LEASE_S)
    expect(page.locator("[data-detail]")).to_contain_text("If the node is not running, start it")
    site.manage("shell", "-c", FORGET)  # instead of half a minute
    watcher = page.context.new_page()
    check(watcher, f"{site.url}/account/nodes")
    expect(row(watcher)).to_contain_text("Not running")
    expect(row(watcher)).to_contain_text("Last contact")
    open_problem(watcher, site, "vector-add")
    expect(watcher.get_by_text("My node (runs only)")).to_have_count(0)

    gate.unlink()
    machine.start(WARPCOURT_TARGET="scripted")
    wait_for_verdict(page, "Accepted")


def test_a_run_that_is_cancelled_stops_on_the_node(site: Site, page: Page, machine: OwnNode) -> None:
    sign_up(page, site, "canceller")
    join(page, site, machine)
    machine.start(WARPCOURT_TARGET="scripted")
    wait_for_state(page, site, "Running")
    hold(machine)
    run_on_own_node(page, site, "// hold=checking accepted")
    expect(stage(page)).to_have_text("Picked up by your node")
    page.get_by_role("button", name="Cancel").click()
    wait_for_verdict(page, "Cancelled")
    expect(page.locator("#console .banner")).to_contain_text("Cancelled by its author")
    wait_until(lambda: "run_returned" in machine.log, "The end of the run on the node")
    assert "site_unreachable" not in machine.log


def test_a_node_that_is_removed_ends_and_its_run_is_cancelled(
    site: Site, page: Page, machine: OwnNode
) -> None:
    sign_up(page, site, "remover")
    join(page, site, machine)
    machine.start(WARPCOURT_TARGET="scripted")
    wait_for_state(page, site, "Running")
    hold(machine)
    run_on_own_node(page, site, "// hold=checking accepted")
    expect(stage(page)).to_have_text("Picked up by your node")
    watcher = page.context.new_page()
    watcher.goto(f"{site.url}/account/nodes")
    watcher.get_by_role("link", name="Remove desk").click()
    watcher.get_by_role("button", name="Remove node").click()
    expect(watcher.get_by_text("desk is removed. Its key no longer works.")).to_be_visible()
    expect(watcher.get_by_role("region", name="Nodes")).to_have_count(0)
    wait_for_verdict(page, "Cancelled")
    expect(page.locator("#console .banner")).to_contain_text("you removed your last node")

    assert machine.wait() == 1
    assert "The site refuses the key of this node: you removed the node" in machine.log
    assert "Traceback" not in machine.log
    machine.spawn(WARPCOURT_TARGET="scripted")
    assert machine.wait() == 1
    again = machine.join(invite(page, site), "--cpu")
    assert again.returncode == 1
    assert "Replace it with --overwrite" in again.stderr


def test_a_node_of_another_version_says_what_to_do(site: Site, page: Page, machine: OwnNode) -> None:
    sign_up(page, site, "laggard")
    join(page, site, machine)
    old = {"version": "0.0.9", "hardware": "CPU"}
    answer = httpx.post(
        f"{site.url}/api/v1/personal/claim", json=old, headers={"Authorization": f"Bearer {machine.key}"}
    )
    assert answer.status_code == 409
    assert "This node has Warpcourt 0.0.9" in answer.json()["error"]["message"]
    check(page, f"{site.url}/account/nodes")
    expect(row(page)).to_contain_text("Other version")
    expect(row(page)).to_contain_text("version 0.0.9")
    machine.start(WARPCOURT_TARGET="scripted")
    wait_for_state(page, site, "Running")


def test_a_token_that_does_not_work_says_what_to_do(site: Site, page: Page, machine: OwnNode) -> None:
    sign_up(page, site, "mistyper")
    token = invite(page, site)
    done = machine.join(token[:50], "--cpu")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "This is not a token that joins a node. Copy all of it." in done.stderr
    mark = token[30]
    changed = f"{token[:30]}{'A' if mark != 'A' else 'B'}{token[31:]}"  # in the secret
    done = machine.join(changed, "--cpu")
    assert "refuses the token" in done.stderr
    assert "Your nodes" in done.stderr
    assert not machine.settings.exists()

    site.manage("shell", "-c", EXPIRE)
    check(page, f"{site.url}/account/nodes")
    expect(row(page)).to_contain_text("Token expired")
    done = machine.join(token, "--cpu")
    assert (done.returncode, "it has expired" in done.stderr) == (1, True)
