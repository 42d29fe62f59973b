"""The queues that this host can serve, for the worker's main process.

Read once, when the worker starts: restart a host after a change of its GPUs. Claims also depend on the
current health of its GPUs, which is checked before each claim.
"""

from collections.abc import Callable

from sandbox.gpu.nvml import Nvml, NvmlUnavailable, open_nvml
from web.config import Config
from worker import scripted


class NoHardware(Exception):
    """Raised when the GPUs of this host cannot be found. The message has the fix."""


def gpu_models(config: Config, nvml: Callable[[], Nvml] = open_nvml) -> tuple[str, ...]:
    """Return the models of the GPUs that this host judges on; none if it judges on CPUs.

    Raises:
        NoHardware: it is configured for GPUs, and there are none, or their driver does not answer.
    """
    if config.target == "scripted":
        return scripted.GPU_MODELS
    if config.target != "gpu":
        return ()
    try:
        cards = nvml().gpus()
    except NvmlUnavailable as error:
        raise NoHardware(f"WARPCOURT_TARGET is gpu, but {error}") from error
    models = {card.model for card in cards if not config.gpus or card.uuid in config.gpus}
    if not models:
        raise NoHardware("This host has none of the GPUs in WARPCOURT_GPUS; nvidia-smi -L lists its GPUs.")
    return tuple(sorted(models))
