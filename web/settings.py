"""Django's settings, derived from `Config`, which has the values that an operator may choose."""

from typing import Any
from urllib.parse import unquote, urlsplit

import django_stubs_ext
from csp.constants import NONCE, NONE, SELF

from web.accounts.names import RESERVED
from web.accounts.providers import providers
from web.config import ROOT, Config
from web.site.bodies import FIELDS_MIB
from web.site.databases import databases
from web.site.headers import worker_policy
from web.site.logs import logging_settings

# Lets annotations such as `ModelAdmin[Problem]` be evaluated at run time.
django_stubs_ext.monkeypatch()

WARPCOURT = Config.from_env()
_SECURE = WARPCOURT.public_url.startswith("https://")

SECRET_KEY = WARPCOURT.load_secret_key()
DEBUG = WARPCOURT.debug
ALLOWED_HOSTS = [*WARPCOURT.allowed_hosts]
CSRF_TRUSTED_ORIGINS: list[str] = []
if WARPCOURT.public_url:
    ALLOWED_HOSTS.append(urlsplit(WARPCOURT.public_url).hostname or "")
    CSRF_TRUSTED_ORIGINS.append(WARPCOURT.public_url)

INSTALLED_APPS = [
    "web.jobs",
    "web.accounts",
    "web.audit",
    "web.notifications",
    "web.catalog",
    "web.packages",
    "web.hints",
    "web.submissions",
    "web.rejudges",
    "web.leaderboards",
    "web.fleet",
    "web.quotas",
    "web.quizzes",
    "web.tracks",
    "web.drafts",
    "web.authoring",
    "web.importing",
    "web.profiles",
    "web.discussion",
    "web.staff",
    "web.upkeep",
    "web",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "rules",
]

MIDDLEWARE = [
    "web.observability.middleware.watch",  # the first, so that it covers all others
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "web.site.headers.permissions_policy",
    "web.api.limits.rate_headers",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "web.site.wrong_method.explain_wrong_method",
    "web.site.threads.in_one_thread",  # the last, so that it applies to all of them
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "web" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]

ROOT_URLCONF = "web.urls"
ASGI_APPLICATION = "web.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
DATA_UPLOAD_MAX_MEMORY_SIZE = FIELDS_MIB * 2**20  # of one form; web.site.bodies limits whole requests

DATABASES: dict[str, Any] = databases(WARPCOURT)

CACHES: dict[str, Any] = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        # Counts of failed sign-ins are here. With few entries, a client could push them out.
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    }
}
if WARPCOURT.broker_url:
    CACHES["default"] = {
        "BACKEND": "web.site.cache.ForgivingRedisCache",
        "LOCATION": WARPCOURT.broker_url,
        "KEY_PREFIX": "warpcourt",
        "VERSION": 2,  # the values of version 1 were pickled
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
    }

STATIC_URL = "/static/"
STATIC_ROOT = WARPCOURT.data_dir / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [path for path in [ROOT / "web" / "static"] if path.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "web.site.static_urls.CachedUrlStorage"},
}
WHITENOISE_USE_FINDERS = True
# The front end's build puts a hash of the content into these names, so browsers may cache them permanently.
WHITENOISE_IMMUTABLE_FILE_TEST = r"/dist/(?:chunks|assets)/[^/]+-[A-Z0-9]{8}\.[a-z0-9]+$"
WHITENOISE_ADD_HEADERS_FUNCTION = worker_policy

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "rules.permissions.ObjectPermissionBackend",  # rights in workspaces
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "web.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
ACCOUNT_USERNAME_VALIDATORS = "web.accounts.names.username_validators"
ACCOUNT_SESSION_REMEMBER = True
# A link verifies an address. Only mail depends on this, so users can sign in before.
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "/accounts/email/"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Warpcourt] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_USERNAME_BLACKLIST = RESERVED
# The users of a class sign in from one address, all in the same minute. So failures are counted by address
# and name (`key`) first, and by address at a limit far above that; see `web.accounts.attempts`.
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "signup": "120/m/ip",
    "login_failed": "5/5m/key,120/m/ip,1000/h/ip",
    "login_failed_name": "200/h/key",  # one name, from all addresses where it is not known
    "passkey_challenge": "300/m/ip,1500/h/ip",  # each visitor without a session gets one, kept for 14 days
    "key_failed": "5/5m/key,120/m/ip,1000/h/ip",  # tokens of the API and of `node join`, keys of nodes
}
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_FORMS = {
    "login": "web.accounts.auth_forms.LoginForm",
    "signup": "web.accounts.auth_forms.SignupForm",
    "add_email": "web.accounts.auth_forms.AddEmailForm",
    "change_password": "web.accounts.auth_forms.ChangePasswordForm",
    "set_password": "web.accounts.auth_forms.SetPasswordForm",
    "reset_password": "web.accounts.auth_forms.ResetPasswordForm",
    "reset_password_from_key": "web.accounts.auth_forms.ResetPasswordKeyForm",
    "reauthenticate": "web.accounts.auth_forms.ReauthenticateForm",
}
MFA_ADAPTER = "web.accounts.adapter.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Warpcourt"
MFA_TOTP_TOLERANCE = 1  # periods: clocks of phones are off by some seconds
# Names identify users, not addresses, so an unverified address takes nothing from its owner.
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_FORMS = {
    "authenticate": "web.accounts.auth_forms.AuthenticateForm",
    "reauthenticate": "web.accounts.auth_forms.ReauthenticateByCodeForm",
    "activate_totp": "web.accounts.auth_forms.ActivateTOTPForm",
    "add_webauthn": "web.accounts.auth_forms.AddWebAuthnForm",
}
SOCIALACCOUNT_FORMS = {"signup": "web.accounts.auth_forms.SocialSignupForm"}
SOCIALACCOUNT_ADAPTER = "web.accounts.adapter.SocialAccountAdapter"
SOCIALACCOUNT_AUTO_SIGNUP = False  # users choose the name that all others see
SOCIALACCOUNT_PROVIDERS = providers(WARPCOURT)
ALLAUTH_TRUSTED_PROXY_COUNT = WARPCOURT.trusted_proxies

CSRF_FAILURE_VIEW = "web.site.error_views.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _SECURE
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _SECURE else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if WARPCOURT.trusted_proxies else None
X_FRAME_OPTIONS = "DENY"

# `NONCE` admits a <style> or <script> element that carries `{{ request.csp_nonce }}`: the editor's
# generated styles need one. Nothing inline runs without it.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

DEFAULT_FROM_EMAIL = SERVER_EMAIL = WARPCOURT.email_from
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
EMAIL_TIMEOUT = 5  # seconds; the sweeps of the workers wait for the mail server
if WARPCOURT.email_url:
    _mail = urlsplit(WARPCOURT.email_url)
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST, EMAIL_PORT = _mail.hostname or "", _mail.port or 587
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
    EMAIL_USE_SSL, EMAIL_USE_TLS = _mail.scheme == "smtps", _mail.scheme == "smtp"

LOGGING = logging_settings(WARPCOURT.log_format, WARPCOURT.log_level)
NINJA_NUM_PROXIES = WARPCOURT.trusted_proxies
