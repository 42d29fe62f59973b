"""Tests whether a case that was wrong after other cases is right as the first case of a new runner.

A program may build a table for the sizes or inputs of its first call, and use it in all later calls. Then the
first case is right in all orders, and a later case is wrong even in the first order.
"""

from collections.abc import Sequence
from contextlib import closing

from judge.cases import ORDERS
from judge.drawn import CaseData
from judge.errors import JudgeError, JudgementCancelled
from judge.target import JudgingSession
from problems.vocabulary import Verdict
from sandbox.wire import RunFlag


def right_as_first_call(
    session: JudgingSession, contents: Sequence[bytes], drawn: CaseData, flags: RunFlag = ORDERS[0]
) -> bool:
    """Return whether the program `contents` gets `drawn` right as the first call in a new runner.

    `flags` selects the order of the call. Returns False if no runner starts.

    Raises:
        JudgementCancelled: the judgement was cancelled.
    """
    try:
        with closing(session.start_referee(alone=False)) as referee:
            referee.ready()
            if referee.load(*contents) is not None:
                return False
            return referee.check(drawn, flags).verdict is Verdict.ACCEPTED
    except JudgementCancelled:
        raise
    except JudgeError:
        return False
