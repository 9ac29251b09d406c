from django.urls import path

from runs import views
from runs.live.views import events

urlpatterns = [
    path("", views.home, name="home"),
    path("runs/<uuid:run_id>", views.run, name="run"),
    path("runs/<uuid:run_id>.json", views.run_json, name="run-json"),
    path("runs/<uuid:run_id>/status", views.run_status, name="run-status"),
    path("runs/<uuid:run_id>/events", events, name="run-events"),
    path("runs/<uuid:run_id>/cancel", views.run_cancel, name="run-cancel"),
]
