"""The overall ranking: the definition of its points, and how it is computed.

**Points.** On a problem, a user gets 100 points times the record (the best score of all users) over the
user's own best score: twice the record's time gives 50 points. A user who ties with the record, because the
intervals overlap, gets all 100. The points of all problems are summed, and equal sums, to a tenth of a point,
share a rank.

Why so:

- *A ratio and not a place.* A place depends on how many others there are and says nothing about how far apart
  they are. A ratio rewards each gain in speed, has no unit, and does not change when a slower user joins.
- *At most 100 a problem.* No problem weighs more than another, whether its times are microseconds or seconds,
  and no single record outweighs many solved problems.
- *The tie rule of the boards.* Differences that the clock cannot measure must not be worth points. Beyond
  that the medians decide.
- *One GPU model each.* Times of different models are never compared, nor added. Adding points over models
  would reward access to more of them.
- *The best language counts.* Doing the same work twice earns nothing, and a program in Triton is measured
  against the fastest in CUDA C++: the GPU does not know the difference.
- *The current version of published problems*, since boards mix no versions.

A track has a ranking of its own, over its problems alone.

**Theory of operation.** A million submissions are too many to sum up for each request, so the places are
rows. A single statement rebuilds all places from `Best`. The sweepers of the workers run it at most every
five minutes if a score has improved, and once an hour for all other changes. The pages say how old the places
are. The queries omit hidden and banned users at once; the next refresh removes them from the rows.
"""

from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from web.accounts.models import User
from web.catalog.models import Problem
from web.leaderboards.models import Place, Ranking
from web.submissions.models import Best
from web.tracks.models import Entry, Track

SOONEST = timedelta(minutes=5)
LATEST = timedelta(hours=1)
_RANKINGS = """
INSERT INTO {ranking} (gpu_model, track_id, people, newest, refreshed)
SELECT gpu_model, track_id, 0, %(newest)s, %(now)s
  FROM (SELECT DISTINCT gpu_model FROM {best} WHERE current) AS timed
 CROSS JOIN (SELECT NULL AS track_id UNION ALL SELECT id FROM {track} WHERE published) AS known
"""
_PLACES = """
INSERT INTO {place} (ranking_id, user_id, points, problems, "full", rank)
WITH scored AS (
    SELECT user_id, problem_id, gpu_model, MAX(points) AS points
      FROM (SELECT user_id, problem_id, gpu_model,
                   CASE WHEN score_low_us <= FIRST_VALUE(score_high_us) OVER best_first THEN 100.0
                        ELSE 100.0 * FIRST_VALUE(score_us) OVER best_first / score_us END AS points
              FROM {best}
              JOIN {problem} ON {problem}.id = problem_id AND {problem}.version = {best}.version
              JOIN {user} ON {user}.id = user_id
             WHERE current AND published AND is_active AND in_rankings
            WINDOW best_first AS (PARTITION BY problem_id, gpu_model
                                  ORDER BY score_us, handed_in, submission_id)) AS each_language
     GROUP BY user_id, problem_id, gpu_model
), counted AS (
    SELECT user_id, gpu_model, points, NULL AS track_id FROM scored
     UNION ALL
    SELECT user_id, gpu_model, points, {entry}.track_id
      FROM scored JOIN {entry} ON {entry}.problem_id = scored.problem_id
)
SELECT ranking_id, user_id, points, problems, complete,
       RANK() OVER (PARTITION BY ranking_id ORDER BY points DESC)
  FROM (SELECT {ranking}.id AS ranking_id, user_id, ROUND(CAST(SUM(points) AS numeric), 1) AS points,
               COUNT(*) AS problems, SUM(CASE WHEN points >= 100 THEN 1 ELSE 0 END) AS complete
          FROM counted JOIN {ranking} ON {ranking}.gpu_model = counted.gpu_model
           AND COALESCE({ranking}.track_id, 0) = COALESCE(counted.track_id, 0)
         GROUP BY {ranking}.id, user_id) AS summed
"""
_PEOPLE = "UPDATE {ranking} SET people = (SELECT COUNT(*) FROM {place} WHERE ranking_id = {ranking}.id)"


def refresh_if_due(now: datetime | None = None) -> bool:
    """Rebuild the rankings if they are due. Return whether they were. Any number of workers may call this."""
    now = now or timezone.now()
    if not _due(now):
        return False
    refresh(now, unless_made=True)
    return True


@transaction.atomic
def refresh(now: datetime | None = None, *, unless_made: bool = False) -> int:
    """Rebuild all rankings, unless another worker just did. Return the number of places."""
    now = now or timezone.now()
    tables = (Best, Entry, Place, Problem, Ranking, Track, User)
    names = {table.__name__.lower(): connection.ops.quote_name(table._meta.db_table) for table in tables}  # noqa: SLF001 - Django's public name for it
    moment = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # SQLite has one writer, and this transaction is it
            cursor.execute("LOCK TABLE {ranking} IN EXCLUSIVE MODE".format(**names))
        if unless_made and Ranking.objects.filter(refreshed__gt=now - SOONEST).exists():
            return Place.objects.count()
        Place.objects.all().delete()
        Ranking.objects.all().delete()
        cursor.execute(_RANKINGS.format(**names), {"newest": _newest(), "now": moment})
        cursor.execute(_PLACES.format(**names))
        cursor.execute(_PEOPLE.format(**names))
        Ranking.objects.filter(people=0).delete()
    return Place.objects.count()


def _due(now: datetime) -> bool:
    made = Ranking.objects.order_by("-refreshed").values_list("refreshed", "newest").first()
    if made is None:
        # If no user with a timed submission ranks, a refresh makes no rankings either: try it at intervals.
        return Best.objects.exists() and cache.add("ranking-tried", 1, SOONEST.total_seconds())
    refreshed, newest = made
    age = now - refreshed
    return age >= LATEST or (age >= SOONEST and newest != _newest())


def _newest() -> int:
    newest: int | None = Best.objects.aggregate(newest=Max("pk"))["newest"]
    return newest or 0
