from django.urls import path

from dofpilot.access import views

urlpatterns = [
    path("login", views.SignInView.as_view(), name="login"),
    path("logout", views.sign_out, name="logout"),
    path("privacy", views.privacy, name="privacy"),
]
