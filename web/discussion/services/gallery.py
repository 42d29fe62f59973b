"""Writes to the gallery: authors share and withdraw solutions, and readers vote."""

from django.db import transaction
from django.db.models import F

from web.accounts.models import User
from web.accounts.services import lock_user
from web.discussion.gallery import note_of, solution_of
from web.discussion.models import Post, PostState, Solution, Thread, ThreadKind, Vote
from web.discussion.services.counting import recount
from web.discussion.services.writing import PostGone, edit, open_thread
from web.submissions import services as submissions
from web.submissions.models import Submission


@transaction.atomic
def show_solution(author: User, submission: Submission, *, note: str, technique: str) -> Solution:
    """Put `submission` into the gallery of its problem, or change its note. This shares the submission.

    The caller has checked that the request is the author's and that the submission is accepted.

    Raises:
        PostRefused: see `web.discussion.services.writing`; also if staff hid the entry.
    """
    lock_user(author)  # two requests must not make two entries
    found = solution_of(submission)
    if found is None:
        thread = open_thread(
            author,
            submission.problem,
            title=f"Solution {submission.public_id}",
            text=note,
            kind=ThreadKind.SOLUTION,
        )
        found = Solution.objects.create(
            thread=thread,
            submission=submission,
            problem=submission.problem,
            language=submission.language,
            technique=technique,
        )
    else:
        _change(found, note=note, technique=technique)
    submissions.share(submission)
    return found


@transaction.atomic
def withdraw_solution(solution: Solution) -> bool:
    """Remove `solution` from the gallery, and stop sharing it. Return False if it was not in the gallery.

    The caller has checked that the request is the author's.
    """
    submissions.withdraw(solution.submission)
    note = Post.objects.filter(thread=solution.pk, opening=True, state=PostState.SHOWN)
    withdrawn = note.update(state=PostState.DELETED)
    if withdrawn:
        recount(solution.pk)
    return withdrawn > 0


@transaction.atomic
def vote(person: User, solution: Solution, *, up: bool) -> bool:
    """Vote for `solution`, or take the vote back. Return False if that changes nothing.

    Users cannot vote for their own solutions.
    """
    # Lock the row of the user before the rows of solutions, as the deletion of an account does.
    if not User.objects.select_for_update(no_key=True).filter(pk=person.pk):
        return False
    Solution.objects.select_for_update().get(pk=solution.pk)
    if solution.thread.author_id == person.pk:
        return False
    if up:
        _, changed = Vote.objects.get_or_create(solution=solution, person=person)
    else:
        changed = Vote.objects.filter(solution=solution, person=person).delete()[0] > 0
    if changed:
        Solution.objects.filter(pk=solution.pk).update(votes=F("votes") + (1 if up else -1))
    return changed


@transaction.atomic
def forget_votes(person: User) -> None:
    """Delete the votes of `person`. Call it before deleting the account."""
    voted = Vote.objects.filter(person=person)
    solutions = Solution.objects.filter(pk__in=voted.values("solution"))
    # Locked in the same order as all deletions.
    list(solutions.order_by("pk").select_for_update().values_list("pk"))
    solutions.update(votes=F("votes") - 1)
    voted.delete()


def _change(solution: Solution, *, note: str, technique: str) -> None:
    post = note_of(solution)
    if post.state == PostState.HIDDEN:
        raise PostGone(f"Staff hid this solution: {post.reason}")
    if post.state == PostState.DELETED:
        Post.objects.filter(pk=post.pk).update(state=PostState.SHOWN)
        Thread.objects.filter(pk=solution.pk).update(shown=True)
    edit(post, text=note)
    Solution.objects.filter(pk=solution.pk).update(technique=technique)
