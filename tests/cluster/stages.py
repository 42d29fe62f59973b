"""The stages of a submission's way to a verdict in which faults strike."""

from enum import StrEnum


class Stage(StrEnum):
    """Where a submission is. All but the first and the last are stages that the scripted judge can hold."""

    QUEUED = "queued"
    COMPILING = "compiling"
    CHECKING = "checking"
    RANKING = "ranking"
    RECORDING = "recording"


STAGES = tuple(Stage)

# The event by which a stage is known to have begun.
BEGINS_WITH = {
    Stage.QUEUED: "queued",
    Stage.COMPILING: "compiling",
    Stage.CHECKING: "case",
    Stage.RANKING: "timing",
}
