"""Settings, and the one place that reads the environment.

Without any variable this runs from a fresh clone: SQLite, a file-system broker and a demo team, all kept in
the git-ignored folder ``var/``. ``SEXTANT_ENV=production`` demands what a real installation needs.
Every variable is listed in docs/configuration.md; a value that makes no sense stops the start with one sentence.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import env, logs
from jobs.lanes import BEFORE_LANES, Lane

BASE_DIR = Path(__file__).resolve().parent.parent
_LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]

# --- What kind of installation is this? ---------------------------------------------------------------------

PRODUCTION = env.choice("SEXTANT_ENV", "development", options=("development", "production")) == "production"
DEBUG = env.boolean("DEBUG", False)
VAR_DIR = Path(env.text("SEXTANT_VAR", str(BASE_DIR / "var"))).expanduser().resolve()
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
if VAR_DIR == BASE_DIR / "var" and VAR_DIR.stat().st_uid == os.getuid():
    VAR_DIR.chmod(0o700)  # also one from before: plans and keys are for their owner alone

ALLOWED_HOSTS = env.words("ALLOWED_HOSTS") or list(_LOOPBACK)
BIND = env.text("BIND", "127.0.0.1")
PORT = env.integer("PORT", 8000, low=1, high=65535)

_postgres = env.postgres("DATABASE_URL")
_redis = env.redis_url("REDIS_URL")

# The embedded default is a machine of one's own: nothing configured, reachable from this machine only.
EMBEDDED = not (
    PRODUCTION or _postgres or _redis or BIND not in ("127.0.0.1", "localhost") or set(ALLOWED_HOSTS) - set(_LOOPBACK)
)
DEMO_MODE = env.boolean("DEMO_MODE", EMBEDDED)

if DEMO_MODE and not EMBEDDED:
    raise ImproperlyConfigured(
        "DEMO_MODE lets anyone in without a password, so it works only on the embedded default; unset DEMO_MODE, or "
        "unset SEXTANT_ENV, DATABASE_URL, REDIS_URL, BIND and ALLOWED_HOSTS."
    )
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("DEBUG shows secrets to visitors; unset DEBUG when SEXTANT_ENV is production.")


def _secret_key() -> str:
    """SECRET_KEY, or for an installation of one's own a key made once and kept in ``var/secret_key``."""
    given = env.secret("SECRET_KEY")
    if PRODUCTION and (len(given) < 50 or len(set(given)) < 5):
        raise ImproperlyConfigured(
            "SECRET_KEY must hold at least 50 random characters in production; set SECRET_KEY or SECRET_KEY_FILE."
        )
    if given:
        return given
    path = VAR_DIR / "secret_key"
    if not path.exists():
        draft = VAR_DIR / f"secret_key.{secrets.token_hex(8)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64), encoding="ascii")
        try:
            path.hardlink_to(draft)  # fails when another process was first: then its key holds
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()


SECRET_KEY = _secret_key()
# API tokens are stored as an HMAC under this pepper. A pepper of its own lets SECRET_KEY rotate without voiding them.
TOKEN_PEPPER = env.secret("TOKEN_PEPPER") or SECRET_KEY
# Secrets that must be readable again are sealed under the first of these; the others still open what they sealed.
SECRETS_KEYS = [key.strip() for key in env.secret("SECRETS_KEY").split(",") if key.strip()] or [SECRET_KEY]
if PRODUCTION and any(len(key) < 32 for key in SECRETS_KEYS):
    raise ImproperlyConfigured("Each key in SECRETS_KEY must hold at least 32 random characters in production.")

if PRODUCTION:
    _missing = [
        name
        for name, value in (
            ("ALLOWED_HOSTS", env.words("ALLOWED_HOSTS")),
            ("DATABASE_URL", _postgres),
            ("REDIS_URL", _redis),
            ("TOKEN_PEPPER", env.secret("TOKEN_PEPPER")),
        )
        if not value
    ]
    if _missing:
        raise ImproperlyConfigured(f"SEXTANT_ENV is production, which also needs {', '.join(_missing)}; set them.")

# --- Applications and middleware ----------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "csp",
    "rest",
    "accounts",
    "jobs",
    "webhooks",
    "catalog",
    "planner",
    "exports",
    "operations",
    "lab",
]

MIDDLEWARE = [
    "config.middleware.RequestId",
    "accounts.origin.Origin",
    "rest.compression.Compressed",
    "config.compression.CompressedPages",
    "rest.middleware.Manners",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.BoundedForms",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "accounts.middleware.SignedIn",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context.current_team",
            ]
        },
    }
]

# --- Data ---------------------------------------------------------------------------------------------------

_sqlite = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": VAR_DIR / "sextant.sqlite3",
    # Immediate transactions and a long wait: web, worker and supervisor write at the same time.
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    },
    # A file also in tests, because the races under test need several connections; one per run, so that two may go on.
    "TEST": {"NAME": VAR_DIR / f"test-{os.getpid()}.sqlite3"},
}
DATABASES: dict[str, dict[str, Any]] = {"default": _postgres or _sqlite}
if _postgres:
    _postgres["CONN_HEALTH_CHECKS"] = True
    _pool = env.integer("DATABASE_POOL", 0, low=0, high=100)
    # Without a pool each thread keeps its connection for a minute; with one, threads of a process share so many.
    _postgres["CONN_MAX_AGE"] = 0 if _pool else 60
    # A server that cannot be reached is said within two seconds; one whose machine or cable falls silent as well, since somebody
    # waits for the answer. A worker waits longer: what it loses with its connection is done once more (jobs/alive.py).
    WORKER_DATABASE_OPTIONS = {"tcp_user_timeout": "15000", **_postgres["OPTIONS"]}
    _postgres["OPTIONS"] = {
        "connect_timeout": "2",
        "keepalives_idle": "10",
        "keepalives_interval": "5",
        "keepalives_count": "2",
        "tcp_user_timeout": "2000",
        **_postgres["OPTIONS"],
        **({"pool": {"min_size": 0, "max_size": _pool, "timeout": 2, "max_idle": 60}} if _pool else {}),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": _redis,
        "KEY_PREFIX": "sextant",
        # It only counts requests: one that hangs must hold up nobody (rest/limits.py spares it for a while then).
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
    if _redis
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# Documents lie in VAR_DIR, or in a bucket that speaks S3 (needs the extra `s3`); credentials as boto3 finds them.
DOCUMENTS_S3 = env.bucket("DOCUMENTS_S3")
DOCUMENTS_S3_ENDPOINT = env.text("DOCUMENTS_S3_ENDPOINT")

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = VAR_DIR / "files"  # read by the application only; never served as it is
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "catalog.uploads.BoundedUpload",  # a price list is the only file that anybody uploads
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FORM_MAX_BYTES = 768 * 1024  # of a form's text: the longest config.json, each character escaped
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500

# --- Who ----------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "accounts:login"
SESSION_ENGINE = "accounts.sessions"
PASSWORD_RESET_TIMEOUT = 60 * 60  # seconds
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
# Whether somebody whom the author of a plan invited may approve it: shown beside the name, or refused.
INVITED_APPROVERS = env.choice("INVITED_APPROVERS", "shown", options=("shown", "refused"))
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Single sign-on by OpenID Connect; needs the extra `sso`. Newcomers must be invited, unless a team is named for them.
OIDC_ISSUER = env.text("OIDC_ISSUER")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env.secret("OIDC_CLIENT_SECRET")
OIDC_NAME = env.text("OIDC_NAME", "single sign-on")
OIDC_DOMAINS = [domain.lower() for domain in env.words("OIDC_DOMAINS")]
OIDC_TEAM = env.text("OIDC_TEAM")
OIDC_ROLE = env.choice("OIDC_ROLE", "viewer", options=("viewer", "planner", "finance", "approver"))
OIDC_SECOND_FACTOR = env.boolean("OIDC_SECOND_FACTOR", False)
if OIDC_ISSUER and not (OIDC_CLIENT_ID and OIDC_CLIENT_SECRET):
    raise ImproperlyConfigured("OIDC_ISSUER also needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET; set all three.")
if OIDC_ISSUER and not OIDC_ISSUER.startswith("https://" if PRODUCTION else ("https://", "http://localhost")):
    raise ImproperlyConfigured("OIDC_ISSUER must begin with https://.")
if OIDC_TEAM and not OIDC_DOMAINS:
    raise ImproperlyConfigured("OIDC_TEAM lets newcomers in, so it also needs OIDC_DOMAINS: whose addresses.")

# --- Transport and headers ----------------------------------------------------------------------------------

# Set only behind a proxy that itself writes X-Forwarded-Proto and -For; otherwise a visitor could forge them.
TRUST_PROXY = env.boolean("TRUST_PROXY", False)
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [
    r"^healthz$",
    r"^readyz$",
    r"^metrics$",
]  # asked by the container's own health check, without TLS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "__Host-session" if PRODUCTION else "session"
CSRF_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = True  # pages send the token from the form or from a meta element
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "__Host-csrf" if PRODUCTION else "csrf"
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
if _bad := [origin for origin in CSRF_TRUSTED_ORIGINS if not origin.startswith(("https://", "http://"))]:
    raise ImproperlyConfigured(f"CSRF_TRUSTED_ORIGINS holds {_bad[0]!r}; begin each origin with https://.")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- API ----------------------------------------------------------------------------------------------------
# What one token may do in a minute.

API_PER_MINUTE = {
    "read": env.integer("API_READS_PER_MINUTE", 600, low=1, high=1_000_000),
    "estimate": env.integer("API_ESTIMATES_PER_MINUTE", 120, low=1, high=1_000_000),
    "export": env.integer("API_EXPORTS_PER_MINUTE", 60, low=1, high=1_000_000),
}

# What one person's pages may ask for while they type: more than hands can, less than a script would.
PAGE_ESTIMATES_PER_MINUTE = env.integer("PAGE_ESTIMATES_PER_MINUTE", 240, low=1, high=1_000_000)

UPLOADS_PER_MINUTE = env.integer("UPLOADS_PER_MINUTE", 20, low=1, high=1_000_000)

# How many of a kind there may be at once: a loop ends somewhere.
CAPS = {
    "tokens_of_person": env.integer("TOKENS_PER_PERSON", 20, low=1, high=100_000),
    "tokens_of_team": env.integer("TOKENS_PER_TEAM", 200, low=1, high=100_000),
    "links_of_version": env.integer("SHARE_LINKS_PER_VERSION", 50, low=1, high=100_000),
    "comments_of_version": env.integer("COMMENTS_PER_VERSION", 1_000, low=1, high=1_000_000),
    "quotations_of_version": env.integer("QUOTATION_REQUESTS_PER_VERSION", 100, low=1, high=100_000),
    "quotes_of_request": env.integer("QUOTES_PER_QUOTATION_REQUEST", 200, low=1, high=100_000),
    "lists_of_team": env.integer("OPEN_PRICE_LISTS_PER_TEAM", 100, low=1, high=100_000),
    "workloads_of_team": env.integer("WORKLOADS_PER_TEAM", 200_000, low=1, high=10_000_000),
    "invitations_of_team": env.integer("OPEN_INVITATIONS_PER_TEAM", 200, low=1, high=100_000),
    "pieces_of_team": env.integer("OPEN_PIECES_PER_TEAM", 2_000, low=1, high=1_000_000),
    "documents_of_team": env.integer("OPEN_DOCUMENTS_PER_TEAM", 1_000, low=1, high=1_000_000),
    "questions_of_team": env.integer("OPEN_QUESTIONS_PER_TEAM", 20, low=1, high=100_000),
}

# --- Queue --------------------------------------------------------------------------------------------------
# The row of a job is the truth; a message carries only its id, so any broker may lose or repeat one.

CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_TIMEOUT = 3  # seconds
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30  # seconds; a little above the longest short task
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # KiB; a process above it is replaced after its task
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TIMEZONE = "UTC"
# A worker that is told of no lane serves them all, in turn, and what versions without lanes have sent.
CELERY_TASK_QUEUES = {str(name): {"routing_key": str(name)} for name in (*Lane, BEFORE_LANES)}
CELERY_TASK_DEFAULT_QUEUE = BEFORE_LANES

# The release of `catalog/data/releases` that is planned on; unless one is named the newest, so that no default grows old.
CATALOG_RELEASE = env.text("CATALOG_RELEASE")
# Price feeds that are fetched once a day, such as azure-retail or aws-bulk:us-east-1; none unless named.
PRICE_FETCH = env.words("PRICE_FETCH")

if _redis:
    CELERY_BROKER_URL = _redis
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "visibility_timeout": 3600,  # above the longest job, or long jobs would start twice
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        # Who publishes gives up soon, also on a broker that hangs: the sweep sends the message later.
        "socket_connect_timeout": 1,
        "socket_timeout": 1,
        "global_keyprefix": "sextant:",
        "max_retries": 1,
        "interval_start": 0,
        "interval_max": 0.1,
    }
    # A worker waits for messages, and longer for an answer (jobs/alive.py).
    CELERY_WORKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 3, "socket_timeout": 30}
else:
    CELERY_BROKER_URL = "filesystem://localhost/"
    _broker = VAR_DIR / "broker"
    for _folder in ("messages", "control"):
        (_broker / _folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_broker / "messages"),
        "data_folder_out": str(_broker / "messages"),
        "control_folder": str(_broker / "control"),
        "polling_interval": 0.1,  # the default of 1 s allows two jobs a second
    }

JOB_LEASE_S = env.integer("JOB_LEASE_S", 60, low=2, high=3600)
JOB_HEARTBEAT_S = env.integer("JOB_HEARTBEAT_S", 10, low=1, high=600)
JOB_SOFT_LIMIT_S = env.integer("JOB_SOFT_LIMIT_S", 600, low=10, high=3000)
if JOB_HEARTBEAT_S * 2 > JOB_LEASE_S:
    raise ImproperlyConfigured(
        f"JOB_HEARTBEAT_S is {JOB_HEARTBEAT_S} and JOB_LEASE_S is {JOB_LEASE_S}; make the lease at least twice as long."
    )
CELERY_TASK_SOFT_TIME_LIMIT = JOB_SOFT_LIMIT_S
CELERY_TASK_TIME_LIMIT = JOB_SOFT_LIMIT_S + 30

# --- Requests to other servers ------------------------------------------------------------------------------
# Webhooks, price feeds and single sign-on go out through outgoing/client.py: https to public addresses, unless
# named here. No setting opens the addresses at which clouds hand out credentials.

OUTGOING_PORTS = env.ports("OUTGOING_PORTS") or [443]
OUTGOING_NETWORKS = env.networks("OUTGOING_NETWORKS")
OUTGOING_LOOPBACK = env.boolean("OUTGOING_LOOPBACK", False)
if OUTGOING_LOOPBACK and PRODUCTION:
    raise ImproperlyConfigured("OUTGOING_LOOPBACK lets teams reach this machine; unset it in production.")

# --- Mail ---------------------------------------------------------------------------------------------------
# Without a mail server messages are printed by the worker, so that nothing needs one.

SITE_URL = env.text("SITE_URL", f"http://localhost:{PORT}").rstrip("/")
EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_PORT = env.integer("EMAIL_PORT", 587, low=1, high=65535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.secret("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.boolean("EMAIL_USE_TLS", bool(EMAIL_HOST))
EMAIL_TIMEOUT = 10  # seconds
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "Sextant <sextant@localhost>")

# --- Watching -----------------------------------------------------------------------------------------------

METRICS_TOKEN = env.secret("METRICS_TOKEN")  # what Prometheus shows at /metrics; without one there is no such page

# --- Language, time, logs -----------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

# Where traces go, by OpenTelemetry's own variables (rest/traces.py); all others its library reads itself.
TRACES = {
    name: env.text(name)
    for name in (
        "OTEL_TRACES_EXPORTER",
        "OTEL_SDK_DISABLED",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    )
}
LOGGING = logs.configuration(
    level=env.choice("LOG_LEVEL", "INFO", options=("DEBUG", "INFO", "WARNING", "ERROR")), as_json=PRODUCTION
)
