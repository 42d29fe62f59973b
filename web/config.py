"""The settings of a Warpcourt site. Its processes read them once from the environment.

Every field of `Config` is one variable: `WARPCOURT_` and the field's name in capitals. The text below a field
is its documentation. A secret can also be in a file: append `_FILE` to the name and give the file's path.
`docs/operations/install.md` lists all settings, and a test compares it with this file.

Other code reads the environment only for variables of other software, such as `PATH`, CUDA's or PostgreSQL's.
The `warpcourt` command is a separate program with variables of its own; see `web.cli.credentials`.
"""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal, Self

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from web.setting import (
    ROOT,
    Address,
    BoardKey,
    ConfigError,
    Count,
    CountOrAuto,
    DatabaseUrl,
    Directory,
    Images,
    MailUrl,
    Name,
    Names,
    Port,
    PortOrNone,
    Positive,
    RedisUrl,
    Secret,
    Setting,
    Text,
    WebUrl,
    YesOrNo,
    read_settings,
    settings_of,
)

__all__ = ["ROOT", "Config", "use_metrics_folder", "use_settings"]
_SECRET_KEY_CHARACTERS = 64


def use_settings() -> None:
    """Make Django use `web.settings`, unless the environment names other settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")


def use_metrics_folder(folder: Path) -> None:
    """Let this process and its children keep their metrics in files below `folder`.

    Call it before any module imports `web.site.metrics`: prometheus_client reads the variable once.
    """
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


@dataclass(frozen=True, kw_only=True, config=ConfigDict(use_attribute_docstrings=True, validate_default=True))
class Config:
    """The settings, parsed. `Config.settings()` is the same list for documentation."""

    data_dir: Directory = Path("var")
    """Directory for persistent data: database, keys, caches."""
    problems_dir: Directory = Path("problems")
    """Directory of the problem packages."""
    imports_dir: Directory = Path("var/imports")
    """Directory on worker hosts with problem sets that staff may import."""
    secret_key: Secret = ""
    """Key that signs sessions and links and encrypts authenticator secrets and recovery codes. A new key
    signs all users out and makes every authenticator app and recovery code unusable. Empty: the site creates
    a key in the data directory."""
    debug: YesOrNo = False
    """Show tracebacks in the browser. For development only."""
    host: Address = "127.0.0.1"
    """Address that the web server listens on."""
    port: Port = 8000
    """Port that the web server listens on."""
    public_url: WebUrl = ""
    """URL at which users reach the site. With https://, the site marks cookies as secure and sends HSTS."""
    allowed_hosts: Names = ("localhost", "127.0.0.1", "[::1]")
    """Host names that the site accepts in addition to the host of the public URL, separated by commas."""
    trusted_proxies: Count = 0
    """Number of reverse proxies in front of the site. The site trusts X-Forwarded-For from them."""
    database_url: DatabaseUrl = ""
    """PostgreSQL, as postgres://user:password@host/name. Empty: SQLite in the data directory."""
    broker_url: RedisUrl = ""
    """Redis for messages and rate limits, as redis://host:6379/0. Empty: files in the data directory."""
    email_url: MailUrl = ""
    """Mail server, as smtp://user:password@host:587. Empty: the site writes mail to the log."""
    email_from: Text = "warpcourt@localhost"
    """Sender address of the site's mail."""
    sign_up: YesOrNo = True
    """Whether visitors may create accounts."""
    github_client_id: Text = ""
    """Client ID of a GitHub OAuth app, with which users sign in. Empty: no sign-in with GitHub."""
    github_client_secret: Secret = ""
    """Client secret of the GitHub OAuth app."""
    oidc_name: Text = "Single sign-on"
    """Name of the OpenID Connect provider on the sign-in page."""
    oidc_issuer: WebUrl = ""
    """Issuer URL of an OpenID Connect provider whose users may sign in. Empty: no provider."""
    oidc_client_id: Text = ""
    """Client ID of this site at the OpenID Connect provider."""
    oidc_client_secret: Secret = ""
    """Client secret of this site at the OpenID Connect provider."""
    oidc_sign_up: YesOrNo = False
    """Whether users of that provider may create accounts while WARPCOURT_SIGN_UP is no."""
    max_in_flight: Positive = 5
    """Maximum number of unfinished submissions of a user."""
    submits_per_minute: Positive = 30
    """Maximum number of submissions of a user per minute."""
    submits_per_day: Positive = 500
    """Maximum number of submissions of a user in 24 hours."""
    profiles_per_hour: Positive = 20
    """Maximum number of runs of a user that are profiled on a GPU, per hour."""
    gpu_seconds_per_day: Count = 0
    """Maximum number of GPU seconds of a learner per day (UTC). Staff set other limits at /staff/quotas. 0:
    no limit."""
    web_processes: Positive = 1
    """Number of web server processes. One per core is enough."""
    drain_s: Count = 0
    """Seconds that a web server continues to serve after SIGTERM. /readyz returns 503, so that proxies stop
    sending requests."""
    api_per_minute: Positive = 300
    """Maximum number of API requests of a caller per minute."""
    worker_concurrency: Positive = 2
    """Maximum number of submissions that a worker judges at a time."""
    node_name: Name = ""
    """Name of this host in the fleet, the same for all its processes. Empty: the host name."""
    site_url: WebUrl = ""
    """On a personal node, the address of the site. `node join` sets it."""
    node_key: Secret = ""
    """On a personal node, its key to the owner's account. `node join` sets it."""
    board_key: BoardKey = ""
    """On a node that joined the site, the key for the hidden cases of problems that rank by a checker's
    score. `node join` sets it. Empty: derived from WARPCOURT_SECRET_KEY."""
    isolation: Literal["bubblewrap", "docker"] = "bubblewrap"
    """Isolation of programs: bubblewrap or docker. With bubblewrap, programs see the host's own files."""
    target: Literal["cpu", "gpu", "scripted"] = "cpu"
    """Target that judges programs: cpu, gpu or scripted. scripted runs no program; it is for tests of the
    site."""
    runtime_dir: Directory = Path("var/run")
    """Directory that the processes of a host share for leases, MPS and secret pools. Must be local and have a
    short path."""
    images: Images = "host"
    """Container images, as the PREFIX:TAG of deploy/build-images. host: containers see this host's own files,
    read-only."""
    container_runtime: Text = ""
    """OCI runtime of the containers, such as runsc. Empty: the default of the container engine."""
    gpus: Names = ()
    """UUIDs of the GPUs to judge on, separated by commas. Empty: all GPUs of this host."""
    mps: YesOrNo = True
    """Whether programs share a GPU through MPS. no: the GPU is time-sliced."""
    check_slots: Positive = 8
    """Maximum number of submissions that are checked on a GPU at a time."""
    gpu_memory_mib: CountOrAuto = None
    """GPU memory that a program may use, in MiB. auto: the memory that is not
    reserved for the judge, divided by WARPCOURT_CHECK_SLOTS. 0: no limit per program."""
    secret_pool_mib: Positive = 16384
    """GPU memory for pre-generated inputs and expected outputs, in MiB."""
    doctor: YesOrNo = True
    """Whether the judge explains the failure of a CUDA program on a GPU by running it again on the CPU."""
    warm_oracles: Count = 1
    """Number of sandboxes for reference programs to keep ready, per process and GPU."""
    warm_cudas: Count = 1
    """Number of sandboxes for CUDA programs to keep ready, per process and GPU."""
    warm_tritons: Count = 1
    """Number of sandboxes for Triton programs to keep ready, per process and GPU."""
    warm_compilers: Count = 1
    """Number of sandboxes for the GPU compilers to keep ready, per process of a GPU host."""
    lease_s: Positive = 20
    """Seconds without a heartbeat after which another worker may claim a job."""
    job_limit_s: Positive = 600
    """Maximum number of seconds to judge a submission."""
    proof_limit_s: Positive = 3600
    """Maximum number of seconds to prove a problem."""
    sweep_s: Positive = 5
    """Seconds between sweeps for jobs that a lost worker or message left behind."""
    stop_grace_s: Count = 8
    """Seconds that a worker continues judging after SIGTERM before it returns its jobs to the queue."""
    pod_account_dir: Text = ""
    """Directory with the files token, ca.crt, namespace and pod. With them, a worker tells Kubernetes whether
    it judges. Empty: it does not. The Helm chart sets it."""
    min_free_mib: Count = 256
    """Minimum free space on each disk that a worker uses, in MiB. With less, the worker claims no jobs."""
    max_custom_values: Count = 1024
    """Maximum number of values that a user may give for one argument in a run. 0: users may give none."""
    max_tries: Positive = 3
    """Number of tries of a job before its verdict is internal_error, which is not charged to the user."""
    stream_limit_s: Positive = 300
    """Seconds after which the site closes an event stream. The browser reconnects and continues."""
    events_kept_days: Count = 90
    """Days after which `prune` deletes the progress events of judged submissions. 0: never."""
    backup_dir: Directory = Path("var/backups")
    """Directory for regular backups, preferably on another disk."""
    backups_kept: Positive = 14
    """Number of regular backups to keep. Older backups are deleted."""
    backup_max_age_h: Count = 48
    """Age of the latest backup, in hours, above which the doctor warns. 0: never."""
    log_format: Literal["console", "json"] = "console"
    """Log format: console for humans, json for machines."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Minimum severity of log entries."""
    metrics_host: Address = "127.0.0.1"
    """Address on which workers and the node service serve metrics."""
    metrics_port: PortOrNone = 0
    """Port on which a worker serves metrics and health checks. 0: none."""
    node_metrics_port: PortOrNone = 0
    """Port on which the node service serves metrics and health checks. 0: none."""
    metrics_token: Secret = ""
    """Bearer token that Prometheus sends. Empty: the site serves metrics only to the loopback address."""
    otlp_url: WebUrl = ""
    """OpenTelemetry collector for traces, as http://host:4318. Empty: no traces."""

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """Return all settings as environment variables, in the order above."""
        return settings_of(cls)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Parse the environment.

        Raises:
            ConfigError: a variable is unknown or invalid. The message names all such variables.
        """
        return read_settings(cls, os.environ if environ is None else environ)

    def load_secret_key(self) -> str:
        """Return the configured secret key, or the key in the data directory, which is created if missing.

        Raises:
            ConfigError: the data directory cannot be created.
        """
        if self.secret_key:
            return self.secret_key
        path = self.data_dir / "secret-key"
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"WARPCOURT_DATA_DIR: cannot create {self.data_dir}: {error.strerror}"
            ) from error
        if not path.exists():
            # Several processes may start at once: the first that links a complete file provides the key.
            with NamedTemporaryFile("w", dir=self.data_dir, prefix="secret-key.") as made:
                made.write(secrets.token_urlsafe(_SECRET_KEY_CHARACTERS))
                made.flush()
                with suppress(FileExistsError):
                    path.hardlink_to(made.name)
        return path.read_text().strip()
