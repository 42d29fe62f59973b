"""The log: structlog everywhere, for humans on a terminal or as JSON for machines."""

from typing import Any

import structlog

from web.site.origin import add_user_id

_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    add_user_id,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Configure structlog, and return the matching value of Django's `LOGGING`.

    Event names are static and ids are fields. Never log source, hidden cases or seeds.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer(colors=False)
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structlog": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    # This must come before the renderer, which would show the values of variables, including
                    # sources.
                    structlog.processors.format_exc_info,
                    renderer,
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structlog"}},
        "loggers": {
            # A client's mistake is not an event for the log; an error of the site is.
            "django.request": {"level": "ERROR"},
            "django.security": {"level": "ERROR"},
            "httpx": {"level": "WARNING"},
            # uvicorn configures handlers and a format of its own.
            "uvicorn": {"level": "WARNING", "handlers": [], "propagate": True},
            # A wake-up message is not an event for the log either. Each verdict has its own entry.
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.request": {"level": "WARNING"},
        },
        "root": {"handlers": ["stderr"], "level": level},
    }
