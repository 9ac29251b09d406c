"""The web process: Django alone, under daphne. Event streams are plain async views."""

import os
from contextlib import suppress

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dofpilot.settings")
database = settings.DATABASES["default"]
if database["ENGINE"].endswith("postgresql"):
    # Each request has a thread and so a connection of its own: two hundred pages that come back at once
    # would take all that the server allows. Only here, since workers fork and cannot share a pool.
    database["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": settings.WEB_CONNECTIONS,
        "timeout": 10,
        # One attempt of a request's, not a growing pause: the server is used as soon as it is back.
        "reconnect_timeout": 1,
    }
application = get_asgi_application()

from dofpilot.corpus.errors import CorpusUnavailable  # noqa: E402
from runs import provenance  # noqa: E402

# Opening the corpus and asking git take longer than a submit may, and the revision to tell is that of
# the code that was loaded: both are done before the first request.
with suppress(CorpusUnavailable):
    provenance.capture()
