"""Whether a case is right if it is the first that a program runs, although it was wrong after other cases.

A program may build a table for the sizes or the inputs of its first call and use it in all others. Then the
first case is right in all orders, and a later one is wrong in the first order already.
"""

from collections.abc import Sequence
from contextlib import closing

from judge.cases import ORDERS
from judge.drawn import CaseData
from judge.errors import JudgeError, JudgementCancelled
from judge.target import JudgingSession
from problems.vocabulary import Verdict


def right_as_first_call(session: JudgingSession, contents: Sequence[bytes], drawn: CaseData) -> bool:
    """Whether a new runner of the program `contents` gets `drawn` right. False if there is no runner.

    Raises:
        JudgementCancelled: the judgement was cancelled meanwhile.
    """
    try:
        with closing(session.start_referee(alone=False)) as referee:
            referee.ready()
            if referee.load(*contents) is not None:
                return False
            return referee.check(drawn, ORDERS[0]).verdict is Verdict.ACCEPTED
    except JudgementCancelled:
        raise
    except JudgeError:
        return False
