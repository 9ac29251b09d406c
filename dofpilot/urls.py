"""Every address of the site (DESIGN §10)."""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import set_language

from dofpilot.api import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("language", set_language, name="set_language"),
    path("", include("dofpilot.access.urls")),
    path("", include("feedback.urls")),
    path("", include("runs.urls")),
]
handler400 = "dofpilot.access.errors.bad_request"
handler403 = "dofpilot.access.errors.forbidden"
handler404 = "dofpilot.access.errors.not_found"
handler500 = "dofpilot.access.errors.server_error"
