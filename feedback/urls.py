from django.urls import path

from feedback import views

urlpatterns = [path("runs/<uuid:run_id>/feedback", views.feedback, name="feedback")]
