"""The figures of the primer, the concepts and the readings, by name and by slug."""

from collections.abc import Mapping

from web.learn.drawing import Drawing
from web.learn.figures.correctness import FIGURES as _CORRECTNESS
from web.learn.figures.days_from_1 import FIGURES as _DAYS_FROM_1
from web.learn.figures.days_from_9 import FIGURES as _DAYS_FROM_9
from web.learn.figures.days_from_17 import FIGURES as _DAYS_FROM_17
from web.learn.figures.days_from_25 import FIGURES as _DAYS_FROM_25
from web.learn.figures.days_from_33 import FIGURES as _DAYS_FROM_33
from web.learn.figures.days_from_41 import FIGURES as _DAYS_FROM_41
from web.learn.figures.days_from_50 import FIGURES as _DAYS_FROM_50
from web.learn.figures.days_from_61 import FIGURES as _DAYS_FROM_61
from web.learn.figures.days_from_68 import FIGURES as _DAYS_FROM_68
from web.learn.figures.days_from_81 import FIGURES as _DAYS_FROM_81
from web.learn.figures.days_from_87 import FIGURES as _DAYS_FROM_87
from web.learn.figures.days_from_98 import FIGURES as _DAYS_FROM_98
from web.learn.figures.memory import FIGURES as _MEMORY
from web.learn.figures.networks import FIGURES as _NETWORKS
from web.learn.figures.ordering import FIGURES as _ORDERING
from web.learn.figures.patterns import FIGURES as _PATTERNS
from web.learn.figures.primer import FIGURES as PRIMER_FIGURES
from web.learn.figures.speed import FIGURES as _SPEED
from web.learn.figures.together import FIGURES as _TOGETHER

CONCEPT_FIGURES: Mapping[str, Drawing] = {
    **_CORRECTNESS,
    **_PATTERNS,
    **_ORDERING,
    **_MEMORY,
    **_TOGETHER,
    **_SPEED,
    **_NETWORKS,
}
READING_FIGURES: Mapping[str, Drawing] = {
    **_DAYS_FROM_1,
    **_DAYS_FROM_9,
    **_DAYS_FROM_17,
    **_DAYS_FROM_25,
    **_DAYS_FROM_33,
    **_DAYS_FROM_41,
    **_DAYS_FROM_50,
    **_DAYS_FROM_61,
    **_DAYS_FROM_68,
    **_DAYS_FROM_81,
    **_DAYS_FROM_87,
    **_DAYS_FROM_98,
}

__all__ = ["CONCEPT_FIGURES", "PRIMER_FIGURES", "READING_FIGURES"]
