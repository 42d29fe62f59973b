"""The REST API, version 1: what the pages can do, for programs.

Everybody may read published problems and leaderboards. All else takes a token in the header
`Authorization: Bearer …`, or a session with its CSRF token. Errors have one form, `ErrorOut`.
"""

from ninja import NinjaAPI

from web.api import errors, leaderboards, problems, submissions, tokens

api = NinjaAPI(
    title="Warpcourt",
    version="1",
    description=__doc__,
    urls_namespace="api",
    openapi_extra={"info": {"license": {"name": "Apache-2.0"}}},
)
api.add_router("/problems", problems.router, tags=["problems"])
api.add_router("/submissions", submissions.router, tags=["submissions"])
api.add_router("/tokens", tokens.router, tags=["tokens"])
api.add_router("/leaderboards", leaderboards.router, tags=["leaderboards"])
errors.install(api)
