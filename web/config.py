"""All settings of Warpcourt, read once from the environment.

Every field of `Config` is one variable: its name in capitals behind `WARPCOURT_`. The text below a field
is its documentation. A secret may be given as a file instead, by the same name with `_FILE` appended.
`docs/operations/install.md` lists them all, and a test compares it with this file.
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
    """Let Django find `web.settings`, unless the caller chose other settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")


def use_metrics_folder(folder: Path) -> None:
    """Have this process and its children count in files below `folder`.

    Call it before anything imports `web.metrics`: prometheus_client looks at its variable once.
    """
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


@dataclass(frozen=True, kw_only=True, config=ConfigDict(use_attribute_docstrings=True, validate_default=True))
class Config:
    """The settings, parsed. `Config.settings()` is the same list for documentation."""

    data_dir: Directory = Path("var")
    """Directory of everything that must survive: database, keys, caches."""
    problems_dir: Directory = Path("problems")
    """Directory of the problem packages."""
    imports_dir: Directory = Path("var/imports")
    """Directory on the hosts of workers with sets of problems that staff may import."""
    secret_key: Secret = ""
    """Key that signs sessions and links. Empty: made once and kept in the data directory."""
    debug: YesOrNo = False
    """Show tracebacks in the browser. For development only."""
    host: Address = "127.0.0.1"
    """Address that the web server listens on."""
    port: Port = 8000
    """Port that the web server listens on."""
    public_url: WebUrl = ""
    """Address at which people reach the site. With https:// cookies are secure and HSTS is sent."""
    allowed_hosts: Names = ("localhost", "127.0.0.1", "[::1]")
    """Host names that the site answers to, besides that of the public URL; with commas between."""
    trusted_proxies: Count = 0
    """Reverse proxies in front of the site whose X-Forwarded-For is believed."""
    database_url: DatabaseUrl = ""
    """PostgreSQL, as postgres://user:password@host/name. Empty: SQLite in the data directory."""
    broker_url: RedisUrl = ""
    """Redis for messages and rate limits, as redis://host:6379/0. Empty: files in the data directory."""
    email_url: MailUrl = ""
    """Mail server, as smtp://user:password@host:587. Empty: mail is written to the log."""
    email_from: Text = "warpcourt@localhost"
    """Sender of the site's mail."""
    sign_up: YesOrNo = True
    """Whether visitors may create accounts."""
    github_client_id: Text = ""
    """Client id of a GitHub OAuth app: people may sign in with GitHub. Empty: they may not."""
    github_client_secret: Secret = ""
    """Client secret of the GitHub OAuth app."""
    oidc_name: Text = "Single sign-on"
    """What the sign-in page calls the OpenID Connect provider."""
    oidc_issuer: WebUrl = ""
    """Issuer URL of an OpenID Connect provider: its people may sign in. Empty: there is none."""
    oidc_client_id: Text = ""
    """Client id of this site at the OpenID Connect provider."""
    oidc_client_secret: Secret = ""
    """Client secret of this site at the OpenID Connect provider."""
    oidc_sign_up: YesOrNo = False
    """Whether people of that provider may create accounts while WARPCOURT_SIGN_UP is no."""
    max_in_flight: Positive = 5
    """Submissions that one user may have waiting or being judged at a time."""
    submits_per_minute: Positive = 30
    """Submissions that one user may make in a minute."""
    submits_per_day: Positive = 500
    """Submissions that one user may make within 24 hours."""
    web_processes: Positive = 1
    """Processes that serve pages; one per core is plenty."""
    drain_s: Count = 0
    """Seconds that a web server goes on after SIGTERM with /readyz at 503, so that proxies turn away."""
    api_per_minute: Positive = 300
    """Requests that one caller of the API may make in a minute."""
    worker_concurrency: Positive = 2
    """Submissions that one worker judges at a time."""
    node_name: Name = ""
    """What this host is called in the fleet; the same for all of its processes. Empty: its host name."""
    isolation: Literal["bubblewrap", "docker"] = "bubblewrap"
    """How programs are isolated: bubblewrap, or docker, which GPUs need."""
    target: Literal["cpu", "gpu", "scripted"] = "cpu"
    """What programs are judged on: cpu, gpu, or scripted, which runs nothing, for tests of the site."""
    runtime_dir: Directory = Path("var/run")
    """Directory where the processes of a host meet: leases, MPS, secret pools. Local, with a short path."""
    images: Images = "host"
    """Images of the containers, as PREFIX:TAG of what deploy/build-images made. host: they show this host's
    own files, read-only."""
    container_runtime: Text = ""
    """OCI runtime of the containers, such as runsc. Empty: the engine's default."""
    gpus: Names = ()
    """UUIDs of the GPUs to judge on, with commas between. Empty: all of this host."""
    mps: YesOrNo = True
    """Whether a GPU is shared through MPS; no: it is time-sliced."""
    check_slots: Positive = 8
    """Submissions that may be checked on one GPU at a time."""
    gpu_memory_mib: CountOrAuto = None
    """GPU memory that one program may use, in MiB. auto: its part of what is not set aside for the judge. 0:
    no limit of its own."""
    secret_pool_mib: Positive = 16384
    """GPU memory for inputs and expected outputs that were drawn ahead, in MiB."""
    doctor: YesOrNo = True
    """Whether a CUDA program that fails on a GPU is run again on the CPU to explain why."""
    warm_oracles: Count = 1
    """Sandboxes for reference programs kept started ahead, per process and GPU."""
    warm_cudas: Count = 1
    """Sandboxes for CUDA programs kept started ahead, per process and GPU."""
    warm_tritons: Count = 1
    """Sandboxes for Triton programs kept started ahead, per process and GPU."""
    warm_compilers: Count = 1
    """Sandboxes for the GPU compilers kept started ahead, per process of a GPU host."""
    lease_s: Positive = 20
    """Seconds without a heartbeat after which another worker may take a job."""
    job_limit_s: Positive = 600
    """Seconds that judging one submission may take in all."""
    proof_limit_s: Positive = 3600
    """Seconds that proving one problem may take in all."""
    sweep_s: Positive = 5
    """Seconds between looks for jobs that a lost worker or message left behind."""
    stop_grace_s: Count = 8
    """Seconds that a worker goes on with what it judges after SIGTERM, before it hands it back."""
    min_free_mib: Count = 256
    """Room on each disk of its own, in MiB, below which a worker takes no jobs."""
    max_tries: Positive = 3
    """Times that a job is tried before its verdict is internal_error, not charged to the user."""
    stream_limit_s: Positive = 300
    """Seconds after which an event stream is closed; the browser resumes it where it was."""
    events_kept_days: Count = 90
    """Days that the steps of judged submissions are kept by `prune`. 0: for ever."""
    backup_dir: Directory = Path("var/backups")
    """Directory of the regular backups; best on another disk."""
    backups_kept: Positive = 14
    """Regular backups that are kept; older ones are deleted."""
    backup_max_age_h: Count = 48
    """Hours after which the doctor misses a new backup. 0: it never does."""
    log_format: Literal["console", "json"] = "console"
    """Form of the log: console, or json for machines."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Least severity logged."""
    metrics_host: Address = "127.0.0.1"
    """Address at which workers and the node service show metrics."""
    metrics_port: PortOrNone = 0
    """Port at which a worker shows metrics and its health. 0: none."""
    node_metrics_port: PortOrNone = 0
    """Port at which the node service shows metrics and its health. 0: none."""
    metrics_token: Secret = ""
    """What Prometheus sends as Bearer token. Empty: metrics are shown on the loopback address alone."""
    otlp_url: WebUrl = ""
    """OpenTelemetry collector, as http://host:4318, that is sent traces. Empty: none are made."""

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """Every setting as a variable of the environment, in the order above."""
        return settings_of(cls)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Parse the environment.

        Raises:
            ConfigError: a variable is unknown or cannot be used; all such are named at once.
        """
        return read_settings(cls, os.environ if environ is None else environ)

    def load_secret_key(self) -> str:
        """The secret key: the one set, else the one kept in the data directory, made when absent."""
        if self.secret_key:
            return self.secret_key
        path = self.data_dir / "secret-key"
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            # Several processes may start at once: whoever links a whole file first has made the key.
            with NamedTemporaryFile("w", dir=self.data_dir, prefix="secret-key.") as made:
                made.write(secrets.token_urlsafe(_SECRET_KEY_CHARACTERS))
                made.flush()
                with suppress(FileExistsError):
                    path.hardlink_to(made.name)
        return path.read_text().strip()
