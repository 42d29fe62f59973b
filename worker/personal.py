"""`python -m worker.personal`: judges the runs of this host's owner, until SIGTERM or Ctrl-C.

Theory of operation. A personal node has no database and no broker. It polls the site's API with its key
(`web.api.personal_nodes`). A run comes with the public part of its problem, which is in a temporary folder
during the judgement. The judge and the heartbeat are those of all workers (`worker.judges`,
`worker.heartbeat`). Here the heartbeat extends the lease by requests. The site decides what it stores of the
report. If the site does not answer, the node continues to judge for as long as the lease lasts, and then
polls again.
"""

import json
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import django
import httpx
import structlog
from django.conf import settings

from judge.errors import JudgementCancelled
from judge.evidence.diagnostics import clean
from judge.report import Report
from judge.report_json import to_json
from problems.contents import Contents, ContentsInvalid, as_folder
from problems.vocabulary import Mode, Verdict
from web.config import Config, use_settings
from web.fleet.handshake import is_loopback, is_safe
from web.setting import ConfigError

log = structlog.get_logger(__name__)

API = "/api/v1/personal"
POLL_S = 2.0
AWAY_S = 10.0
_PATIENCE_S = 20.0
_MOST_BYTES = 32 * 2**20
_MOST_REPORT_BYTES = 2**20 - 2**10  # the site accepts a mebibyte
_MESSAGE_CHARACTERS = 500
_RUN = {
    "id": str,
    "attempt": int,
    "lease_s": int,
    "language": str,
    "source": str,
    "problem": str,
    "files": dict,
}
_NOT_ENCRYPTED = (
    "{site} is not encrypted: others in the network could read the key and send this host programs to run. "
    "Serve the site over HTTPS, and invite this node again."
)
_REFUSED = {httpx.codes.REQUEST_ENTITY_TOO_LARGE, httpx.codes.UNPROCESSABLE_ENTITY}
_NOT_JOINED = (
    "This host is not a personal node. Invite it on your account page of the site. Then run "
    "`deploy/warpcourt-admin node join -`, and start this program with the settings that it writes."
)
_PREPARING = "Preparing the judge. The first start on a machine takes some minutes.\n"
_KEY_REFUSED = (
    "The site refuses the key of this node: you removed the node, or your account is disabled. If you "
    "removed it, invite it again and join with --overwrite."
)


class KeyRefused(Exception):
    """Raised when the site does not accept the key: the owner has removed this node, or may not sign in."""


class SiteAway(Exception):
    """Raised when the site does not answer, or not as expected."""


class VersionRefused(Exception):
    """Raised when the site has another version than this node. The message is the site's."""


class RequestRefused(SiteAway):
    """Raised when the site refuses the content of a request."""


class RunLost(SiteAway):
    """Raised when this node does not hold a run any longer."""


@dataclass(frozen=True, slots=True)
class Site:
    """The API of the site. `said` is this node's description of itself.

    All methods raise the errors above.
    """

    client: httpx.Client
    said: Mapping[str, str]

    def claim(self) -> dict[str, Any] | None:
        """Return the next run, None if none waits."""
        run: dict[str, Any] | None = self._post("claim", self.said).get("run")
        if run is not None and not _is_run(run):
            raise SiteAway("the answer is not a run")
        return run

    def extend(self, run: Mapping[str, Any]) -> str:
        """Extend the lease. Return `held`, `cancelled` or `lost`."""
        return str(self._post(f"{_path(run)}/extend", self.said).get("hold"))

    def give_back(self, run: Mapping[str, Any], *, failed: bool) -> None:
        """Return the run to the queue, if this node still holds it."""
        with suppress(RunLost):
            self._post(f"{_path(run)}/return", {"failed": failed})

    def record(self, run: Mapping[str, Any], report: Report) -> bool:
        """Send the report, or only its verdict if the site refuses the rest. Return False if it was lost."""
        body = to_json(replace(report, listings={}))
        if len(json.dumps(body)) <= _MOST_REPORT_BYTES:
            with suppress(RequestRefused):
                return self._record(run, body)
        return self._record(
            run, to_json(Report(report.verdict, report.message, environment=report.environment))
        )

    def _record(self, run: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
        try:
            return bool(self._post(f"{_path(run)}/report", body).get("recorded"))
        except RunLost:
            return False

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        content = bytearray()
        try:
            with self.client.stream("POST", f"{API}/{path}", json=dict(body)) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > _MOST_BYTES:
                        raise SiteAway("the answer is too long")
            if response.status_code == httpx.codes.UNAUTHORIZED:
                raise KeyRefused
            if response.status_code == httpx.codes.CONFLICT:
                raise VersionRefused(_message(content))
            if response.status_code == httpx.codes.NOT_FOUND:
                raise RunLost("the site does not know this run, or its address is wrong")
            if response.status_code in _REFUSED:
                raise RequestRefused(f"the site refuses the request with status {response.status_code}")
            response.raise_for_status()
            answer = json.loads(content)
        except (httpx.HTTPError, ValueError) as error:
            raise SiteAway(str(error)) from error
        if not isinstance(answer, dict):
            raise SiteAway("the answer is not an object")
        return answer


def open_site(config: Config, hardware: str, transport: httpx.BaseTransport | None = None) -> Site:
    """Return the site that the settings name."""
    from web.site.version import version  # noqa: PLC0415 - needs Django's settings

    # A redirect is not followed, so the key is sent to no other site.
    client = httpx.Client(
        base_url=config.site_url,
        headers={"Authorization": f"Bearer {config.node_key}"},
        timeout=_PATIENCE_S,
        trust_env=not is_loopback(config.site_url),  # or the key might reach a proxy without encryption
        transport=transport,
    )
    return Site(client, {"version": version(), "hardware": hardware})


def judge_next(site: Site, judge_in: Callable[[Path, Mapping[str, Any], Event], Report], stop: Any) -> bool:
    """Judge the next run, if one waits. `judge_in` judges it by the package in a folder."""
    from web.jobs.queue import Hold  # noqa: PLC0415 - needs Django's settings
    from worker.heartbeat import Heartbeat  # noqa: PLC0415 - as above

    found = site.claim()
    if found is None:
        return False
    run = found
    named = log.bind(submission_id=run["id"], attempt=run["attempt"])
    cancelled = Event()
    report: Report | None = None
    failed = True

    def extend() -> Hold:
        try:
            return Hold[site.extend(run).upper()]
        except KeyRefused:  # removed: `serve` reports it
            return Hold.LOST

    with Heartbeat(extend, cancelled, stop, lease_s=run["lease_s"]) as heartbeat:
        try:
            files = {path: text.encode() for path, text in run["files"].items()}
            with as_folder(Contents(run["problem"], files)) as folder:
                report = judge_in(folder, run, cancelled)
        except JudgementCancelled:
            failed = False
        except ContentsInvalid as error:
            named.error("package_refused", reason=str(error))
        except Exception:  # noqa: BLE001 - the boundary of a run: any exception is a failure of the judge
            named.exception("judging_failed")
    if heartbeat.stopped or (report is not None and report.verdict is Verdict.CANCELLED):
        report, failed = None, False
    if report is None:
        site.give_back(run, failed=failed)
        named.info("run_returned", failed=failed)
    elif site.record(run, report):
        named.info("verdict_recorded", verdict=report.verdict.value)
    else:
        named.warning("verdict_discarded", reason="the lease was lost")
    return True


def serve(step: Callable[[], bool], *, stopping: Callable[[], bool], pause: Callable[[float], object]) -> int:
    """Call `step` until `stopping`, and pause while no run waits. Return the exit status."""
    away = False
    while not stopping():
        try:
            judged = step()
        except KeyRefused:
            return _complain(_KEY_REFUSED)
        except VersionRefused as refusal:
            return _complain(str(refusal))
        except SiteAway as error:
            if not away:
                log.warning("site_unreachable", error=str(error))
            away = True
            pause(AWAY_S)
            continue
        if away:
            log.info("site_reached")
            away = False
        if not judged:
            pause(POLL_S)
    return 0


def main() -> int:
    """Judge runs until a signal."""
    use_settings()
    try:
        django.setup()
    except ConfigError as error:
        return _complain(str(error))
    from worker.judges import PackageJudge, ScriptedJudge  # noqa: PLC0415 - needs Django's settings
    from worker.readiness import CANNOT_JUDGE  # noqa: PLC0415 - as above
    from worker.shutdown import GracefulShutdown  # noqa: PLC0415 - as above

    config = settings.WARPCOURT
    if not (config.site_url and config.node_key):
        return _complain(_NOT_JOINED)
    if not is_safe(config.site_url):
        return _complain(_NOT_ENCRYPTED.format(site=config.site_url))
    stop, wake = GracefulShutdown(), Event()

    def ask_to_stop(*_: object) -> None:
        stop.ask(grace_s=config.stop_grace_s)
        wake.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask_to_stop)
    place: dict[str, Path] = {}
    sys.stderr.write(_PREPARING)
    try:
        scripted = config.target == "scripted"
        judge = ScriptedJudge() if scripted else PackageJudge(config, folder_of=lambda _: place["folder"])
    except CANNOT_JUDGE as error:
        return _complain(str(error))
    site = open_site(config, ", ".join(judge.gpu_models) or "CPU")

    def judge_in(folder: Path, run: Mapping[str, Any], cancelled: Event) -> Report:
        place["folder"] = folder
        return judge.evaluate(_submission(run), on_progress=lambda _: None, cancelled=cancelled)

    log.info("personal_node_started", site=config.site_url)
    try:
        return serve(partial(judge_next, site, judge_in, stop), stopping=lambda: stop.asked, pause=wake.wait)
    finally:
        judge.close()


def _submission(run: Mapping[str, Any]) -> Any:
    """Return a run as an unsaved submission, for the judge."""
    from web.submissions.models import Submission  # noqa: PLC0415 - needs Django's settings

    columns = ("language", "source", "sizes", "values", "seed")
    return Submission(mode=Mode.RUN.value, **{name: run[name] for name in columns})


def _is_run(said: object) -> bool:
    """Return whether the site sent a run. Its files and its numbers are checked where they are used."""
    if not isinstance(said, dict):
        return False
    return all(isinstance(said.get(name), kind) for name, kind in _RUN.items()) and said["lease_s"] > 0


def _message(content: bytes | bytearray) -> str:
    """Return the message of an error of the site, for a terminal. Raises ValueError if there is none."""
    try:
        return clean(str(json.loads(content)["error"]["message"]), _MESSAGE_CHARACTERS)
    except (KeyError, TypeError) as error:
        raise ValueError("the answer is not an error of a Warpcourt site") from error


def _path(run: Mapping[str, Any]) -> str:
    return f"runs/{quote(run['id'], safe='')}/{run['attempt']}"


def _complain(text: str) -> int:
    sys.stderr.write(f"{text}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
