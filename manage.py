#!/usr/bin/env python
"""Django's command line for dofpilot."""

import os
import sys

INTERRUPTED = 130


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dofpilot.settings")
    try:
        _run()
    except KeyboardInterrupt:
        # The imports take long enough to be interrupted; what a command does about Ctrl-C comes after them.
        sys.stderr.write("\n")
        sys.exit(INTERRUPTED)


def _run() -> None:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # Whoever set a wrong value wants its name, not the way through the code to where it was read.
        sys.exit(f"dofpilot: {error}")


if __name__ == "__main__":
    main()
