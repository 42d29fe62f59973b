"""Converts the settings of the site for the judge, which does not know them."""

from collections.abc import Mapping

from django.utils.crypto import salted_hmac

from judge.gpu.pool.client import SecretPoolSettings
from judge.gpu.settings import NodeSettings
from judge.target import Target
from judge.wiring import open_backend, open_target
from sandbox.backend import Backend
from web.config import Config

NOTHING_WARM: Mapping[str, int] = {}


def open_configured(
    config: Config, *, warm: Mapping[str, int], target: str | None = None, backend: str | None = None
) -> Target:
    """Open the target of the settings, or another `target` or isolation `backend`.

    Raises the exceptions of `judge.target.open_target`.
    """
    return open_target(
        target or config.target,
        backend=backend or config.isolation,
        cache=config.data_dir / "cache",
        warm=warm,
        node=node_settings(config),
    )


def open_configured_backend(config: Config) -> Backend:
    """Return the isolation of the settings, for callers that need no target."""
    return open_backend(config.isolation, node=node_settings(config))


def warm_settings(config: Config) -> Mapping[str, int]:
    """Return how many sandboxes a worker keeps started, by the kind of program."""
    return {
        "oracle": config.warm_oracles,
        "cuda": config.warm_cudas,
        "triton": config.warm_tritons,
        "compile": config.warm_compilers,
    }


def board_key(config: Config) -> bytes:
    """Return the site's secret key for the contents of problems that rank by their checker's score.

    All workers of a site have the same key. It reveals nothing about the site's secret key, from which it is
    derived.
    """
    if config.board_key:
        return bytes.fromhex(config.board_key)
    return salted_hmac("warpcourt.boards", "contents", algorithm="sha256").digest()


def node_settings(config: Config) -> NodeSettings:
    """Return the setup of this node."""
    return NodeSettings(
        runtime_dir=config.runtime_dir,
        images=config.images,
        container_runtime=config.container_runtime,
        gpus=config.gpus,
        mps=config.mps,
        check_slots=config.check_slots,
        client_memory_mib=config.gpu_memory_mib,
        secret_pool=SecretPoolSettings(budget_mib=config.secret_pool_mib),
        doctor=config.doctor,
    )
