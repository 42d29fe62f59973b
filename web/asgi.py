"""The site as an ASGI application, for uvicorn."""

from multiprocessing import parent_process

from django.conf import settings
from django.core.asgi import get_asgi_application

from web.config import use_settings
from web.observability import prometheus_multiproc
from web.site import tracing
from web.site.bodies import BoundedBodies

use_settings()
# With several processes, uvicorn starts each of them by multiprocessing, and they share their counts.
_server = parent_process()
if _server is not None:
    prometheus_multiproc.join(f"web-{_server.pid}")
application = BoundedBodies(get_asgi_application())
tracing.start("warpcourt-web", settings.WARPCOURT.otlp_url)
