"""The web process: Django alone, under daphne. Event streams are plain async views."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dofpilot.settings")
application = get_asgi_application()
