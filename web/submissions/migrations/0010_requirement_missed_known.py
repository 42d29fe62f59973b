from django.db import migrations, models

import problems.vocabulary
from web.site.live_operations import AddCheckLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0009_requirement_missed"),
    ]

    operations = [
        AddCheckLive(
            model_name="caseresult",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "verdict__in",
                        [
                            problems.vocabulary.Verdict["ACCEPTED"],
                            problems.vocabulary.Verdict["WRONG_ANSWER"],
                            problems.vocabulary.Verdict["COMPILE_ERROR"],
                            problems.vocabulary.Verdict["RUNTIME_ERROR"],
                            problems.vocabulary.Verdict["ILLEGAL_ACCESS"],
                            problems.vocabulary.Verdict["TIME_LIMIT"],
                            problems.vocabulary.Verdict["MEMORY_LIMIT"],
                            problems.vocabulary.Verdict["OUTPUT_LIMIT"],
                            problems.vocabulary.Verdict["REQUIREMENT_MISSED"],
                            problems.vocabulary.Verdict["REJECTED"],
                            problems.vocabulary.Verdict["INTERNAL_ERROR"],
                            problems.vocabulary.Verdict["CANCELLED"],
                        ],
                    )
                ),
                name="case_result_verdict_known",
            ),
        ),
        AddCheckLive(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "verdict__in",
                        [
                            problems.vocabulary.Verdict["ACCEPTED"],
                            problems.vocabulary.Verdict["WRONG_ANSWER"],
                            problems.vocabulary.Verdict["COMPILE_ERROR"],
                            problems.vocabulary.Verdict["RUNTIME_ERROR"],
                            problems.vocabulary.Verdict["ILLEGAL_ACCESS"],
                            problems.vocabulary.Verdict["TIME_LIMIT"],
                            problems.vocabulary.Verdict["MEMORY_LIMIT"],
                            problems.vocabulary.Verdict["OUTPUT_LIMIT"],
                            problems.vocabulary.Verdict["REQUIREMENT_MISSED"],
                            problems.vocabulary.Verdict["REJECTED"],
                            problems.vocabulary.Verdict["INTERNAL_ERROR"],
                            problems.vocabulary.Verdict["CANCELLED"],
                        ],
                    )
                ),
                name="report_verdict_known",
            ),
        ),
    ]
