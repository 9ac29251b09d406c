from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from runs.work import lifeline


class RunsConfig(AppConfig):
    name = "runs"
    label = "runs"
    verbose_name = _("Investigaciones")

    def ready(self) -> None:
        from django_q.signals import post_spawn

        lifeline.watch()
        # A fork has none of its parent's threads: the cluster's workers watch for themselves.
        post_spawn.connect(_watch_in_worker, dispatch_uid="runs.work.lifeline")


def _watch_in_worker(**_: object) -> None:
    lifeline.watch()
