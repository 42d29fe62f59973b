"""A running site, and a browser that detects errors on pages.

`site` is a complete site under its supervisor, with the scripted judge, for tests of pages. One site serves
many test files, and each file finds it in its initial state. `court` is the same with the real judge, for
tests of what a learner does.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from testing.services import need
from tests.e2e import chromium
from tests.e2e.commands import Commands
from tests.e2e.rows import keep_rows, put_rows_back
from tests.migrated import NAME, put_migrated_database
from web.config import ROOT

PASSWORD = "correct horse battery"
START_S = 240  # on a new machine, the site first builds the runtime
_SWITCHES = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync "
    "--js-flags=--no-turbofan"  # no page is open for long enough to benefit from the optimising compiler
)

expect.set_options(timeout=10_000)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks, also where this folder alone is tested
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file on one worker, so that one site serves them.

    Also keep all tests with the real judge on one worker.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            real = "court" in getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group("court" if real else f"e2e-{item.path.stem}"))


@dataclass(frozen=True, slots=True)
class Site:
    """A running site."""

    url: str
    data_dir: Path
    commands: Commands

    def manage(self, *arguments: str) -> None:
        """Run a management command against its database."""
        self.commands.run(*arguments)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Return the arguments for Debian's headless Chromium."""
    need(chromium.CHROMIUM.exists(), "Chromium", "apt-get install chromium-headless-shell")
    return {"executable_path": chromium.__file__, "args": _SWITCHES.split(), "headless": True}


# It ends before tests without a browser, and restarts for later browser tests.
@pytest.fixture(scope="package")
def scripted_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with the scripted judge and two problems, one of them hostile."""
    problems = tmp_path_factory.mktemp("problems")
    copy_problems(problems)
    with serving(tmp_path_factory.mktemp("site"), target="scripted", problems_dir=str(problems)) as running:
        keep_rows(running.data_dir / NAME, running.data_dir / "kept.sqlite3")
        yield running


@pytest.fixture(scope="module")
def site(scripted_site: Site) -> Site:
    """The scripted site without the rows of earlier test files."""
    put_rows_back(scripted_site.data_dir / NAME, scripted_site.data_dir / "kept.sqlite3")
    return scripted_site


@pytest.fixture(scope="package")
def court(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site as `make serve` runs it, with the real judge in its sandboxes."""
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    data_dir = tmp_path_factory.mktemp("court")
    # The runtime is cached between runs, as for the integration tests.
    cache = ROOT / ".cache" / "tests"
    cache.mkdir(parents=True, exist_ok=True)
    (data_dir / "cache").symlink_to(cache)
    with serving(data_dir, target="cpu") as running:
        yield running


@pytest.fixture(scope="session")
def violations() -> Iterator[list[str]]:
    """The violations of the content security policy on all pages, since the list was emptied."""
    refused: list[str] = []
    open_context = Browser.new_context

    def new_context(browser: Browser, **options: Any) -> BrowserContext:
        context = open_context(browser, **options)
        context.on("console", hear)
        return context

    def hear(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            refused.append(message.text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Browser, "new_context", new_context)
        yield refused


@pytest.fixture(autouse=True)
def _policy_refuses_nothing(violations: list[str]) -> Iterator[None]:
    """Fail a test if the policy refused something on any of its pages."""
    yield
    found = [*violations]
    violations.clear()
    assert found == []


@pytest.fixture
def context(new_context: Any) -> BrowserContext:
    """A new visitor with a desktop screen. Tests that expect dialogs answer them."""
    opened: BrowserContext = new_context(viewport={"width": 1360, "height": 850})
    return opened


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that fails its test if the console reports an error or the policy refuses something."""
    opened = context.new_page()
    problems = watch(opened)
    yield opened
    assert not problems


@pytest.fixture(params=["light", "dark phone"])
def visitor(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A visitor in each colour scheme, one with a desktop screen and the other with a phone."""
    scheme, _, width = request.param.partition(" ")
    with set_theme(browser, scheme, phone=width == "phone") as context:
        yield context.new_page()


def watch(page: Page) -> list[str]:
    """Collect errors on `page` from now on."""
    problems: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        # A refused form or a missing page is a normal answer, not an error of the page.
        answered = "the server responded with a status of 4" in message.text
        if message.type in {"error", "warning"} and not answered:
            problems.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: problems.append(str(error)))
    return problems


def sign_up(page: Page, site: Site, username: str) -> None:
    """Sign up a new user by requests. `page` stays at its address."""
    _post(page, f"{site.url}/accounts/signup/", username=username, password1=PASSWORD)


def sign_in(page: Page, site: Site, username: str, password: str = PASSWORD) -> None:
    """Sign in a known user by requests. `page` stays at its address."""
    _post(page, f"{site.url}/accounts/login/", login=username, password=password)


def _post(page: Page, url: str, **fields: str) -> None:
    """Send the form at `url` with the cookies of `page`. Fails if the site shows the form again."""
    requests = page.context.request
    token = re.search('name="csrfmiddlewaretoken" value="([^"]+)"', requests.get(url).text())
    assert token, f"{url} has no form"
    form: dict[str, str | float | bool] = {**fields, "csrfmiddlewaretoken": token[1]}
    answer = requests.post(url, form=form, headers={"Referer": url}, max_redirects=0)
    assert answer.status == 302, f"{url} answered {answer.status}"


def sign_up_on_page(page: Page, site: Site, username: str) -> None:
    """Sign up a new user on the page, and arrive at the list of problems."""
    page.goto(f"{site.url}/accounts/signup/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page.locator(".masthead").get_by_text(username)).to_be_visible()


def sign_in_on_page(page: Page, site: Site, username: str) -> None:
    """Sign in a known user on the page, and arrive at the list of problems."""
    page.goto(f"{site.url}/accounts/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator(".masthead").get_by_text(username)).to_be_visible()


def open_problem(page: Page, site: Site, slug: str, language: str = "cuda") -> None:
    """Open a problem and wait for its editor."""
    page.goto(f"{site.url}/problems/{slug}?language={language}")
    expect(page.locator(".workbench[data-ready]")).to_be_visible()


def write(page: Page, source: str) -> None:
    """Replace the program in the editor."""
    page.get_by_role("textbox", name="Source").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def press(page: Page, name: str) -> None:
    """Press Run or Submit, and wait until an earlier report has disappeared from the console.

    Otherwise `wait_for_verdict` could mistake the earlier verdict for the new one.
    """
    earlier = page.locator("#console .banner")
    for banner in earlier.all():
        banner.evaluate("banner => banner.dataset.earlier = ''")
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator("#console .banner[data-earlier]")).to_have_count(0)


def wait_for_verdict(page: Page, word: str, *, within_s: float = 60) -> None:
    """Wait until the report in the console says `word`. The page is not reloaded."""
    verdict = page.locator("#console .banner .verdict")
    expect(verdict).to_have_text(word, timeout=within_s * 1000)


def set_theme(browser: Browser, scheme: str, *, phone: bool) -> BrowserContext:
    """Return a visitor with the system's colour scheme `scheme`, with a desktop screen or a phone."""
    viewport = {"width": 390, "height": 844} if phone else {"width": 1360, "height": 850}
    options: dict[str, Any] = {"viewport": viewport, "color_scheme": scheme, "has_touch": phone}
    return browser.new_context(**options)


@contextmanager
def serving(data_dir: Path, **environ: str) -> Iterator[Site]:
    port = _free_port()
    log = data_dir / "site.log"
    commands = Commands(_environ(data_dir))
    put_migrated_database(data_dir / NAME)
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker.supervise"],
            cwd=ROOT,
            env=_environ(data_dir, port=str(port), **environ),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/readyz", process, log)
            yield Site(f"http://127.0.0.1:{port}", data_dir, commands)
        finally:
            commands.end()
            _kill(process)


def _kill(supervisor: subprocess.Popen[bytes]) -> None:
    """Kill the site. Its worker would take six seconds to stop, which tests/integration/web tests."""
    if supervisor.poll() is not None:
        return  # it has already stopped its parts
    parts = Path(f"/proc/{supervisor.pid}/task/{supervisor.pid}/children").read_text().split()
    supervisor.kill()  # first, because it would restart the parts
    supervisor.wait()
    for part in parts:  # each is the leader of a process group
        with suppress(ProcessLookupError):
            os.killpg(int(part), signal.SIGKILL)


def _environ(data_dir: Path, **settings: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("WARPCOURT_")}
    own.pop("DJANGO_SETTINGS_MODULE", None)
    settings = {
        "submits_per_minute": "1000",
        "api_per_minute": "100000",
        "data_dir": str(data_dir),
        "runtime_dir": str(data_dir / "run"),
        **settings,
    }
    return own | {f"WARPCOURT_{name.upper()}": value for name, value in settings.items()}


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(url, timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"Warpcourt did not come up. It says:\n{log.read_text()[-4000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def copy_problems(target: Path) -> None:
    """Copy the quizzes, vector-add, and a copy of it in which every text tries to run a script."""
    attack = "<script>document.title='owned'</script><img src=x onerror=owned()>"
    shutil.copytree(ROOT / "problems" / "vector-add", target / "vector-add")
    shutil.copytree(ROOT / "problems" / "quizzes", target / "quizzes")
    hostile = target / "hostile"
    shutil.copytree(ROOT / "problems" / "vector-add", hostile)
    manifest = (hostile / "problem.toml").read_text()
    manifest = manifest.replace('title = "Vector addition"', f'title = "{attack}"')
    manifest = manifest.replace('summary = "Add two vectors element by element."', f'summary = "{attack}"')
    (hostile / "problem.toml").write_text(re.sub("track_day = [0-9]+", "track_day = 100", manifest))
    statement = (hostile / "statement.md").read_text()
    links = "[click](javascript:document.title='owned') $\\href{javascript:alert(1)}{x}$"
    (hostile / "statement.md").write_text(f"{attack}\n\n{links} `{attack}`\n\n{statement}\n{attack}\n")
