"""All settings of Warpcourt, read once from the environment. Nothing else touches `os.environ`.

Every field of `Config` is one variable: its name in capitals behind `WARPCOURT_`. A secret may be
given as a file instead, by the same name with `_FILE` appended. `docs/operations/install.md` lists them all,
and a test keeps it in step with this file.
"""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Self

from web import parsing
from web.setting import Setting, about, read_settings, settings_of

ROOT = parsing.ROOT
_SECRET_KEY_CHARACTERS = 64


def use_settings() -> None:
    """Let Django find `web.settings`, unless the caller chose other settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")


def use_metrics_folder(folder: Path) -> None:
    """Have this process and its children count in files below `folder`.

    Call it before anything imports `web.site.metrics`: prometheus_client looks at its variable once.
    """
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings, parsed. `Config.settings()` is the same list for documentation."""

    data_dir: Path = field(
        metadata=about(
            "var", "Directory of everything that must survive: database, keys, caches.", parsing.path
        )
    )
    problems_dir: Path = field(metadata=about("problems", "Directory of the problem packages.", parsing.path))
    imports_dir: Path = field(
        metadata=about(
            "var/imports",
            "Directory on the hosts of workers with sets of problems that staff may import.",
            parsing.path,
        )
    )
    secret_key: str = field(
        metadata=about(
            "",
            "Key that signs sessions and links. Empty: made once and kept in the data directory.",
            secret=True,
        )
    )
    debug: bool = field(
        metadata=about("no", "Show tracebacks in the browser. For development only.", parsing.boolean)
    )
    host: str = field(metadata=about("127.0.0.1", "Address that the web server listens on.", parsing.address))
    port: int = field(metadata=about("8000", "Port that the web server listens on.", parsing.port))
    public_url: str = field(
        metadata=about(
            "",
            "Address at which people reach the site. With https:// cookies are secure and HSTS is sent.",
            parsing.scheme("http", "https"),
        )
    )
    allowed_hosts: tuple[str, ...] = field(
        metadata=about(
            "localhost,127.0.0.1,[::1]",
            "Host names that the site answers to, besides that of the public URL; with commas between.",
            parsing.names,
        )
    )
    trusted_proxies: int = field(
        metadata=about(
            "0", "Reverse proxies in front of the site whose X-Forwarded-For is believed.", parsing.count
        )
    )
    database_url: str = field(
        metadata=about(
            "",
            "PostgreSQL, as postgres://user:password@host/name. Empty: SQLite in the data directory.",
            parsing.scheme("postgres", "postgresql", "sqlite"),
            secret=True,
        )
    )
    broker_url: str = field(
        metadata=about(
            "",
            "Redis for messages and rate limits, as redis://host:6379/0. Empty: files in the data directory.",
            parsing.scheme("redis", "rediss"),
            secret=True,
        )
    )
    email_url: str = field(
        metadata=about(
            "",
            "Mail server, as smtp://user:password@host:587. Empty: mail is written to the log.",
            parsing.scheme("smtp", "smtps"),
            secret=True,
        )
    )
    email_from: str = field(metadata=about("warpcourt@localhost", "Sender of the site's mail."))
    sign_up: bool = field(metadata=about("yes", "Whether visitors may create accounts.", parsing.boolean))
    github_client_id: str = field(
        metadata=about(
            "", "Client id of a GitHub OAuth app: people may sign in with GitHub. Empty: they may not."
        )
    )
    github_client_secret: str = field(
        metadata=about("", "Client secret of the GitHub OAuth app.", secret=True)
    )
    oidc_name: str = field(
        metadata=about("Single sign-on", "What the sign-in page calls the OpenID Connect provider.")
    )
    oidc_issuer: str = field(
        metadata=about(
            "",
            "Issuer URL of an OpenID Connect provider: its people may sign in. Empty: there is none.",
            parsing.scheme("https", "http"),
        )
    )
    oidc_client_id: str = field(metadata=about("", "Client id of this site at the OpenID Connect provider."))
    oidc_client_secret: str = field(
        metadata=about("", "Client secret of this site at the OpenID Connect provider.", secret=True)
    )
    oidc_sign_up: bool = field(
        metadata=about(
            "no",
            "Whether people of that provider may create accounts while WARPCOURT_SIGN_UP is no.",
            parsing.boolean,
        )
    )
    max_in_flight: int = field(
        metadata=about(
            "5", "Submissions that one user may have waiting or being judged at a time.", parsing.positive
        )
    )
    submits_per_minute: int = field(
        metadata=about("30", "Submissions that one user may make in a minute.", parsing.positive)
    )
    submits_per_day: int = field(
        metadata=about("500", "Submissions that one user may make within 24 hours.", parsing.positive)
    )
    web_processes: int = field(
        metadata=about("1", "Processes that serve pages; one per core is plenty.", parsing.positive)
    )
    drain_s: int = field(
        metadata=about(
            "0",
            "Seconds that a web server goes on after SIGTERM with /readyz at 503, so that proxies turn away.",
            parsing.count,
        )
    )
    api_per_minute: int = field(
        metadata=about("300", "Requests that one caller of the API may make in a minute.", parsing.positive)
    )
    worker_concurrency: int = field(
        metadata=about("2", "Submissions that one worker judges at a time.", parsing.positive)
    )
    node_name: str = field(
        metadata=about(
            "",
            "What this host is called in the fleet; the same for all of its processes. Empty: its host name.",
            parsing.name,
        )
    )
    isolation: str = field(
        metadata=about(
            "bubblewrap",
            "How programs are isolated: bubblewrap, or docker, which GPUs need.",
            parsing.one_of("bubblewrap", "docker"),
        )
    )
    target: str = field(
        metadata=about(
            "cpu",
            "What programs are judged on: cpu, gpu, or scripted, which runs nothing, for tests of the site.",
            parsing.one_of("cpu", "gpu", "scripted"),
        )
    )
    runtime_dir: Path = field(
        metadata=about(
            "var/run",
            "Directory where the processes of a host meet: leases, MPS, vaults. Local, with a short path.",
            parsing.path,
        )
    )
    images: str = field(
        metadata=about(
            "host",
            "Images of the containers, as PREFIX:TAG of what deploy/build-images made. "
            "host: they show this host's own files, read-only.",
            parsing.images,
        )
    )
    container_runtime: str = field(
        metadata=about("", "OCI runtime of the containers, such as runsc. Empty: the engine's default.")
    )
    gpus: tuple[str, ...] = field(
        metadata=about(
            "", "UUIDs of the GPUs to judge on, with commas between. Empty: all of this host.", parsing.names
        )
    )
    mps: bool = field(
        metadata=about("yes", "Whether a GPU is shared through MPS; no: it is time-sliced.", parsing.boolean)
    )
    check_slots: int = field(
        metadata=about("8", "Submissions that may be checked on one GPU at a time.", parsing.positive)
    )
    gpu_memory_mib: int | None = field(
        metadata=about(
            "auto",
            "GPU memory that one program may use, in MiB. auto: its part of what is not set aside "
            "for the judge. 0: no limit of its own.",
            parsing.count_or_auto,
        )
    )
    vault_mib: int = field(
        metadata=about(
            "16384",
            "GPU memory for inputs and expected outputs that were drawn ahead, in MiB.",
            parsing.positive,
        )
    )
    doctor: bool = field(
        metadata=about(
            "yes",
            "Whether a CUDA program that fails on a GPU is run again on the CPU to explain why.",
            parsing.boolean,
        )
    )
    warm_oracles: int = field(
        metadata=about(
            "1", "Sandboxes for reference programs kept started ahead, per process and GPU.", parsing.count
        )
    )
    warm_cudas: int = field(
        metadata=about(
            "1", "Sandboxes for CUDA programs kept started ahead, per process and GPU.", parsing.count
        )
    )
    warm_tritons: int = field(
        metadata=about(
            "1", "Sandboxes for Triton programs kept started ahead, per process and GPU.", parsing.count
        )
    )
    warm_compilers: int = field(
        metadata=about(
            "1",
            "Sandboxes for the GPU compilers kept started ahead, per process of a GPU host.",
            parsing.count,
        )
    )
    lease_s: int = field(
        metadata=about(
            "20", "Seconds without a heartbeat after which another worker may take a job.", parsing.positive
        )
    )
    job_limit_s: int = field(
        metadata=about("600", "Seconds that judging one submission may take in all.", parsing.positive)
    )
    proof_limit_s: int = field(
        metadata=about("3600", "Seconds that proving one problem may take in all.", parsing.positive)
    )
    sweep_s: int = field(
        metadata=about(
            "5", "Seconds between looks for jobs that a lost worker or message left behind.", parsing.positive
        )
    )
    stop_grace_s: int = field(
        metadata=about(
            "8",
            "Seconds that a worker goes on with what it judges after SIGTERM, before it hands it back.",
            parsing.count,
        )
    )
    min_free_mib: int = field(
        metadata=about(
            "256", "Room on each disk of its own, in MiB, below which a worker takes no jobs.", parsing.count
        )
    )
    max_tries: int = field(
        metadata=about(
            "3",
            "Times that a job is tried before its verdict is internal_error, not charged to the user.",
            parsing.positive,
        )
    )
    stream_limit_s: int = field(
        metadata=about(
            "300",
            "Seconds after which an event stream is closed; the browser resumes it where it was.",
            parsing.positive,
        )
    )
    events_kept_days: int = field(
        metadata=about(
            "90", "Days that the steps of judged submissions are kept by `prune`. 0: for ever.", parsing.count
        )
    )
    backup_dir: Path = field(
        metadata=about("var/backups", "Directory of the regular backups; best on another disk.", parsing.path)
    )
    backups_kept: int = field(
        metadata=about("14", "Regular backups that are kept; older ones are deleted.", parsing.positive)
    )
    backup_max_age_h: int = field(
        metadata=about(
            "48", "Hours after which the doctor misses a new backup. 0: it never does.", parsing.count
        )
    )
    log_format: str = field(
        metadata=about(
            "console", "Form of the log: console, or json for machines.", parsing.one_of("console", "json")
        )
    )
    log_level: str = field(
        metadata=about("INFO", "Least severity logged.", parsing.one_of("DEBUG", "INFO", "WARNING", "ERROR"))
    )

    metrics_host: str = field(
        metadata=about(
            "127.0.0.1", "Address at which workers and the node service show metrics.", parsing.address
        )
    )
    metrics_port: int = field(
        metadata=about(
            "0", "Port at which a worker shows metrics and its health. 0: none.", parsing.port_or_none
        )
    )
    node_metrics_port: int = field(
        metadata=about(
            "0", "Port at which the node service shows metrics and its health. 0: none.", parsing.port_or_none
        )
    )
    metrics_token: str = field(
        metadata=about(
            "",
            "What Prometheus sends as Bearer token. Empty: metrics are shown on the loopback address alone.",
            secret=True,
        )
    )
    otlp_url: str = field(
        metadata=about(
            "",
            "OpenTelemetry collector, as http://host:4318, that is sent traces. Empty: none are made.",
            parsing.scheme("http", "https"),
        )
    )

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
        return cls(**read_settings(cls.settings(), os.environ if environ is None else environ))

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
