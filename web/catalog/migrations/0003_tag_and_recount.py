"""Fill what lists read now: tags as rows, when problems came, progress and tallies from the reports.

The counts are those of `manage.py recount` at the time of this migration. A database that is upgraded
while verdicts come in should be counted anew afterwards.
"""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations

COUNTS = """
INSERT INTO submissions_progress (user_id, problem_id, runs, judged, accepted, solved, latest)
SELECT user_id, problem_id,
       COUNT(*) FILTER (WHERE mode <> 'submit'),
       COUNT(*) FILTER (WHERE mode = 'submit'),
       COUNT(*) FILTER (WHERE mode = 'submit' AND verdict = 'accepted'),
       MIN(finished) FILTER (WHERE mode = 'submit' AND verdict = 'accepted'),
       MAX(finished)
  FROM submissions_report JOIN submissions_submission ON submissions_submission.id = submission_id
 WHERE verdict NOT IN ('internal_error', 'cancelled')
 GROUP BY user_id, problem_id
"""
SUMS = """
INSERT INTO submissions_tally (problem_id, judged, accepted, solvers)
SELECT catalog_problem.id, COALESCE(SUM(judged), 0), COALESCE(SUM(accepted), 0), COUNT(solved)
  FROM catalog_problem LEFT JOIN submissions_progress ON problem_id = catalog_problem.id
 GROUP BY catalog_problem.id
"""


def fill(apps: Apps, schema_editor: Any) -> None:
    Problem = apps.get_model("catalog", "Problem")
    Tagging = apps.get_model("catalog", "Tagging")
    for problem in Problem.objects.only("tags", "updated"):
        Problem.objects.filter(pk=problem.pk).update(added=problem.updated)
        Tagging.objects.bulk_create(
            Tagging(problem=problem, name=name) for name in dict.fromkeys(problem.tags)
        )
    for statement in ("DELETE FROM submissions_tally", "DELETE FROM submissions_progress", COUNTS, SUMS):
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0002_tagging_and_added"),
        ("submissions", "0003_progress_and_sharing"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
