"""Configuration of a GPU node, for `judge.wiring.open_target`."""

from dataclasses import dataclass, field
from pathlib import Path

from judge.gpu.memory_shares import Shares, memory_shares
from judge.gpu.pool.client import SecretPoolSettings

HOST_IMAGES = "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """Settings of one node.

    Attributes:
        runtime_dir: the folder of leases, marks, MPS and secret pools, shared by all processes of a node. It
            must be on a local disk, belong to this user alone and have a short path. None: next to the cache.
        images: `PREFIX:TAG` of the images that `deploy/build-images` made, or `host`: containers use this
            host's own files, read-only.
        container_runtime: the name of an OCI runtime of the container engine, empty for its default.
        gpus: the uuids of the GPUs to judge on, empty for all.
        mps: whether a GPU is shared through MPS; it is time-sliced otherwise.
        check_slots: how many checks may share a GPU at a time.
        client_memory_mib: the most that one program may allocate on a GPU, 0 for no limit. None: its part of
            the memory that is not reserved for the judge; see `judge.gpu.memory_shares`.
        draws_in_mps: whether the oracle and the secret pool are MPS clients too, so that faults of other
            clients affect them. GPUs in the exclusive-process compute mode need it, because they allow no
            process outside MPS.
        secret_pool: settings of the secret pool.
        doctor: whether functional mode explains failures of CUDA programs.
    """

    runtime_dir: Path | None = None
    images: str = HOST_IMAGES
    container_runtime: str = ""
    gpus: tuple[str, ...] = ()
    mps: bool = True
    check_slots: int = 4
    client_memory_mib: int | None = None
    draws_in_mps: bool = False
    secret_pool: SecretPoolSettings = field(default_factory=SecretPoolSettings)
    doctor: bool = True

    @property
    def host_images(self) -> bool:
        """Whether containers use this host's own files."""
        return self.images == HOST_IMAGES

    def shares(self, total_mib: int) -> Shares:
        """Return the memory limits on a GPU that has `total_mib`."""
        return memory_shares(
            total_mib,
            slots=self.check_slots,
            secret_pool_mib=self.secret_pool.budget_mib,
            program_mib=self.client_memory_mib,
        )

    def runtime_of(self, cache: Path) -> Path:
        """Return the runtime directory. Creates it if it is missing."""
        directory = self.runtime_dir or cache / "run"
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        return directory
