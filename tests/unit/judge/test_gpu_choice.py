"""Tests which GPU a submission gets that requests a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from judge.errors import GpuUnavailable
from judge.gpu.hardware import Card
from judge.gpu.target import GpuTarget
from tests.unit.judge.packages import DOUBLING


@dataclass
class Sickbay:
    """Implements what a target asks of the quarantine."""

    sick: Mapping[str, str] = field(default_factory=dict)

    def quarantined(self) -> Mapping[str, str]:
        return self.sick


def bare_gpu_runtime(card: Card) -> Any:
    """A GPU runtime that has a card and nothing else."""
    return SimpleNamespace(card=card, revive=lambda _: False)


def target(sick: Mapping[str, str] | None = None) -> GpuTarget:
    """A target with two cards of one model and one of another; the first that may be had is picked."""
    made = GpuTarget.__new__(GpuTarget)
    models = {"a": "NVIDIA H200", "b": "NVIDIA H200", "c": "NVIDIA B200"}
    made._gpu_runtimes = {
        uuid: bare_gpu_runtime(Card(uuid, {"gpu": model})) for uuid, model in models.items()
    }
    made._quarantine = Sickbay(sick or {})  # type: ignore[assignment]
    made._leases = SimpleNamespace(reserve_several=first_of)  # type: ignore[assignment]
    return made


def first_of(groups: Sequence[Sequence[str]], *_: Any, **__: Any) -> tuple[SimpleNamespace, ...]:
    """Reserve the first group."""
    return tuple(SimpleNamespace(uuid=uuid) for uuid in groups[0])


def going_on() -> bool:
    """Nobody cancels."""
    return False


def chosen(target: GpuTarget, model: str) -> str:
    """The UUID of the card that a program for one GPU gets."""
    (reservation,) = target._reserve(DOUBLING, model, going_on)
    return reservation.uuid


def test_without_a_wish_any_card_will_do():
    assert chosen(target(), "") == "a"
    assert chosen(target({"a": "it hangs"}), "") == "b"


def test_a_wish_is_kept():
    assert chosen(target(), "NVIDIA B200") == "c"
    assert chosen(target({"a": "it hangs"}), "NVIDIA H200") == "b"


def test_a_wish_that_cannot_be_kept_says_why():
    with pytest.raises(GpuUnavailable, match="no NVIDIA B200 of this node can judge: c: it hangs"):
        chosen(target({"c": "it hangs"}), "NVIDIA B200")
    with pytest.raises(GpuUnavailable, match="no NVIDIA H300 of this node can judge: there is none"):
        chosen(target(), "NVIDIA H300")


def test_a_card_that_is_well_again_is_used():
    sick = target({"c": "it hangs"})
    sick._gpu_runtimes["c"].revive = lambda _: True
    assert chosen(sick, "NVIDIA B200") == "c"


def test_models_are_offered_while_a_card_is_well():
    assert target().gpu_models == ("NVIDIA B200", "NVIDIA H200")
    assert target({"a": "it hangs"}).gpu_models == ("NVIDIA B200", "NVIDIA H200")
    assert target({"c": "it hangs"}).gpu_models == ("NVIDIA H200",)
