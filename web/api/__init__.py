"""The REST API, version 1. Programs can do with it what users do on the pages.

Published problems and leaderboards need no sign-in. All other operations need a token in the header
`Authorization: Bearer …`, or a session with its CSRF token. A token has a scope: `read`, `submit`, which also
submits programs, or `author`, which also writes problems. If the scope is too narrow for an operation, the
answer is 403. Errors have one form, `ErrorOut`. Any operation may answer 500 if the site fails, and 503 with
`Retry-After` if its database is not available.

Lists come in pages: `next` is the value of the query's cursor that gives the next page, null on the last.

Every answer contains `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds). If no requests
are left, the answer is 429 with `Retry-After`. `Idempotency-Key` makes a repeated submit harmless.
"""

from web.api import (
    authoring,
    errors,
    fleet,
    leaderboards,
    personal_nodes,
    problems,
    profile,
    quizzes,
    submissions,
    tokens,
    tracks,
)
from web.api.document import ApiWithCachedDocument
from web.api.limits import PerMinute

api = ApiWithCachedDocument(
    title="Warpcourt",
    version="1",
    description=__doc__,
    urls_namespace="api",
    throttle=[PerMinute()],
    openapi_extra={
        "info": {"license": {"name": "Apache-2.0"}},
        "tags": [{"name": "author", "description": authoring.__doc__}],
    },
)
api.add_router("/problems", problems.router, tags=["problems"])
api.add_router("/tracks", tracks.router, tags=["tracks"])
api.add_router("/quizzes", quizzes.router, tags=["quizzes"])
api.add_router("/submissions", submissions.router, tags=["submissions"])
api.add_router("/tokens", tokens.router, tags=["tokens"])
api.add_router("/leaderboards", leaderboards.router, tags=["leaderboards"])
api.add_router("/profile", profile.router, tags=["users"])
api.add_router("/users", profile.people, tags=["users"])
api.add_router("/fleet", fleet.router, tags=["fleet"])
api.add_router("/personal", personal_nodes.router, tags=["fleet"])
api.add_router("/author", authoring.router, tags=["author"])
errors.install(api)
