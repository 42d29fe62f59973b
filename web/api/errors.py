"""The form in which the API reports errors, and the error for each exception."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, Throttled
from ninja.errors import ValidationError as RequestInvalid

from problems.contents import ContentsInvalid
from problems.faults import PackageInvalid
from web.accounts.attempts import TooManyFailedKeys
from web.accounts.services import TooManyTokens
from web.authoring.services import comments, files, members, publishing, runs, workspaces
from web.hints.services import HelpRefused
from web.importing import services as imports
from web.quizzes import services as quizzes
from web.site.databases import DATABASE_AWAY
from web.site.error_views import AGAIN_S
from web.submissions import services

log = structlog.get_logger(__name__)

_CODES = {
    400: "malformed",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "limit_reached",
    503: "unavailable",
}


class ErrorBody(Schema):
    """An error. `code` is for programs, `message` is for users, and `fields` names the invalid fields."""

    code: str
    message: str
    fields: dict[str, list[str]] = {}


class ErrorOut(Schema):
    """The body of an error response."""

    error: ErrorBody


type_of_refusal: Mapping[type[services.SubmissionRefused], int] = {
    services.KeyReused: 409,
    services.LimitReached: 429,
}

# Errors of workspaces and of help. The first match counts; the message is for the caller.
_REFUSED: Mapping[type[Exception], int] = {
    files.FilesRefused: 422,
    workspaces.SlugTaken: 409,
    workspaces.StillPublished: 409,
    workspaces.StillPreviewed: 409,
    workspaces.WorkspaceRefused: 422,
    members.MemberRefused: 422,
    comments.CommentRefused: 422,
    runs.AlreadyRunning: 409,
    runs.TooManyRuns: 429,
    runs.RunRefused: 422,
    publishing.PublishingRefused: 409,
    imports.TooManyImports: 429,
    imports.ImportRefused: 422,
    HelpRefused: 409,
    quizzes.TooManyAttempts: 429,
    quizzes.AttemptRefused: 409,
    ContentsInvalid: 422,
    PackageInvalid: 422,
}


def documented(*statuses: int) -> dict[Any, Any]:
    """Return the error statuses of an operation, for its `response` argument. Any may answer 429."""
    return dict.fromkeys((*statuses, 429), ErrorOut)


def answer(status: int, message: str, fields: Mapping[str, list[str]] | None = None) -> JsonResponse:
    """Return an error answer."""
    body = {"code": _CODES.get(status, "error"), "message": message, "fields": dict(fields or {})}
    response = JsonResponse({"error": body}, status=status)
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="warpcourt"'
    return response


def not_found(request: HttpRequest, rest: str) -> HttpResponse:  # noqa: ARG001 - a view takes them
    """Return the answer for unknown addresses below /api/v1/."""
    return answer(404, "Unknown URL. See /api/v1/openapi.json.")


def install(api: NinjaAPI) -> None:
    """Register handlers that answer every exception in the form `ErrorOut`."""
    api.exception_handler(Http404)(_not_found)
    api.exception_handler(HttpError)(_http_error)
    api.exception_handler(RequestInvalid)(_request_invalid)
    api.exception_handler(PermissionDenied)(_denied)
    api.exception_handler(RequestDataTooBig)(_too_big)
    api.exception_handler(ValidationError)(_value_invalid)
    api.exception_handler(services.SubmissionRefused)(_refused)
    api.exception_handler(TooManyTokens)(_too_many_tokens)
    api.exception_handler(TooManyFailedKeys)(_too_many_failed_keys)
    api.exception_handler(files.Conflict)(_conflict)
    api.exception_handler(quizzes.AnswersInvalid)(_answers_invalid)
    for refusal, status in _REFUSED.items():
        api.exception_handler(refusal)(partial(_answer_refusal, status))
    for away in DATABASE_AWAY:
        api.exception_handler(away)(_database_away)
    api.exception_handler(Exception)(_ours)


def _not_found(_request: HttpRequest, _error: Http404) -> HttpResponse:
    # Never the exception's text: it would show whether a hidden object exists.
    return answer(404, "The object doesn't exist, or you don't have access to it.")


def _http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error, Throttled):
        return answer(429, "Too many requests. Wait for the time in the Retry-After header.")
    if error.status_code == 401:
        return answer(401, "Send a token in the header 'Authorization: Bearer …', or sign in.")
    return answer(error.status_code, error.message)


def _request_invalid(_request: HttpRequest, error: RequestInvalid) -> HttpResponse:
    fields: dict[str, list[str]] = {}
    for entry in error.errors:
        # For a value in the body, the second part of the location is the name of our function's argument.
        parts = entry["loc"][2:] if entry["loc"][0] == "body" else entry["loc"][1:]
        place = ".".join(str(part) for part in parts) or "body"
        fields.setdefault(place, []).append(str(entry["msg"]))
    return answer(422, "The request is invalid. See fields.", fields)


def _value_invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    fields = error.message_dict if hasattr(error, "error_dict") else {"body": error.messages}
    return answer(422, "The request is invalid. See fields.", fields)


def _denied(_request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return answer(403, str(error) or "You don't have permission to do this.")


def _too_big(_request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    return answer(413, "The request is too large.")


def _refused(_request: HttpRequest, error: services.SubmissionRefused) -> HttpResponse:
    return answer(type_of_refusal.get(type(error), 422), str(error))


def _answer_refusal(status: int, _request: HttpRequest, error: Exception) -> HttpResponse:
    return answer(status, str(error))


def _conflict(_request: HttpRequest, error: files.Conflict) -> HttpResponse:
    fields = {path: ["changed" if data is not None else "removed"] for path, data in error.theirs.items()}
    return answer(409, str(error), fields)


def _answers_invalid(_request: HttpRequest, error: quizzes.AnswersInvalid) -> HttpResponse:
    return answer(422, str(error), {f"answers.{index}": [fault] for index, fault in error.faults.items()})


def _too_many_tokens(_request: HttpRequest, error: TooManyTokens) -> HttpResponse:
    return answer(409, str(error))


def _too_many_failed_keys(_request: HttpRequest, error: TooManyFailedKeys) -> HttpResponse:
    response = answer(429, str(error))
    response["Retry-After"] = str(error.wait_s)
    return response


def _database_away(_request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("database_away", error=str(error))
    response = answer(503, "The database isn't responding. Send the request again in a moment.")
    response["Retry-After"] = str(AGAIN_S)
    return response


def _ours(_request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("api_failed", exc_info=error)
    return answer(500, "Internal error. Your request may be fine. Try again later.")
