"""The web process: Django alone, under daphne. Event streams are plain async views."""

import os
from contextlib import suppress

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dofpilot.settings")
application = get_asgi_application()

from dofpilot.corpus.errors import CorpusUnavailable  # noqa: E402
from runs import provenance  # noqa: E402

# Opening the corpus and asking git take longer than a submit may, and the revision to tell is that of
# the code that was loaded: both are done before the first request.
with suppress(CorpusUnavailable):
    provenance.capture()
