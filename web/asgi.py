"""The site as an ASGI application, for uvicorn."""

from django.core.asgi import get_asgi_application

from web.config import use_settings

use_settings()
application = get_asgi_application()
