"""Fill the bests from the reports, as `manage.py recount` did at the time of this migration."""

from django.db import migrations

BESTS = """
INSERT INTO leaderboards_best (user_id, problem_id, version, gpu_model, language, submission_id, score_us, score_low_us,
                    score_high_us, roofline_percent, driver, toolkit, handed_in, current, record)
SELECT user_id, problem_id, version, gpu_model, language, submission_id, score_us, score_low_us,
       score_high_us, roofline_percent, driver, toolkit, created, place = 1, FALSE
  FROM (SELECT user_id, problem_id, submissions_report.version, submissions_report.gpu_model, language, submission_id,
               score_us, score_low_us, score_high_us, roofline_percent, driver, toolkit, created,
               MIN(score_us) OVER earlier AS score_before,
               MIN(score_low_us) OVER earlier AS low_before,
               ROW_NUMBER() OVER (
                   PARTITION BY user_id, problem_id, submissions_report.version, submissions_report.gpu_model, language
                   ORDER BY score_us, created, submission_id
               ) AS place
          FROM submissions_report JOIN submissions_submission ON submissions_submission.id = submission_id
         WHERE ranked AND verdict = 'accepted' AND mode = 'submit'
        WINDOW earlier AS (
            PARTITION BY user_id, problem_id, submissions_report.version, submissions_report.gpu_model, language
            ORDER BY created, submission_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )) AS scored
 WHERE score_before IS NULL OR score_us < score_before OR score_low_us < low_before
"""
RECORDS = """
UPDATE leaderboards_best SET record = TRUE
 WHERE id IN (
    SELECT id
      FROM (SELECT leaderboards_best.id, score_high_us, MIN(score_low_us) OVER (
                       PARTITION BY problem_id, version, gpu_model, language
                       ORDER BY handed_in, submission_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ) AS low_before
              FROM leaderboards_best JOIN accounts_user ON accounts_user.id = user_id
             WHERE is_active AND in_rankings) AS earlier
     WHERE low_before IS NULL OR score_high_us < low_before
 )
"""


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0001_bests_and_baselines")]

    operations = [
        migrations.RunSQL(["DELETE FROM leaderboards_best", BESTS, RECORDS], migrations.RunSQL.noop)
    ]
