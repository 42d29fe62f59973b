"""Views that redirect to GitHub or to the OpenID Connect provider, and receive the answer.

allauth answers the form that starts the sign-in with a redirect to the other site. Chromium checks such a
redirect against the policy's `form-action`, which allows this site alone. So these views answer with a page
that continues automatically. The addresses of providers that are not configured answer 404.
"""

from collections.abc import Callable
from functools import wraps

from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from requests import RequestException

View = Callable[..., HttpResponse]
_REDIRECT = 302


def _guarded(view: View) -> View:
    @wraps(view)
    def call(request: HttpRequest, **arguments: str) -> HttpResponse:
        try:
            return view(request, **arguments)
        except SocialApp.DoesNotExist as error:
            raise Http404("This sign-in provider is not configured.") from error
        except RequestException:
            return render(request, "socialaccount/authentication_error.html", status=502)

    return call


def _leaving(view: View) -> View:
    @wraps(view)
    def call(request: HttpRequest, **arguments: str) -> HttpResponse:
        answer = view(request, **arguments)
        target = answer.get("Location", "")
        if answer.status_code != _REDIRECT or target.startswith("/"):
            return answer
        page = {"redirect_to": target, "provider": target.split("/")[2]}
        return render(request, "socialaccount/login_redirect.html", page)

    return call


github_login = _guarded(_leaving(github.oauth2_login))
github_callback = _guarded(github.oauth2_callback)
oidc_login = _guarded(_leaving(openid_connect.login))
oidc_callback = _guarded(openid_connect.callback)
