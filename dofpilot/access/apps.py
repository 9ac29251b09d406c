from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccessConfig(AppConfig):
    name = "dofpilot.access"
    label = "access"
    verbose_name = _("Acceso")
