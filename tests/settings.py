"""The settings under test, made in an environment of their own.

No test touches the data or the provider of whoever runs it. ``DATABASE_URL`` and ``REDIS_URL`` stay: they
choose the database that the tests use.
"""

import os
import tempfile

for name in [name for name in os.environ if name.startswith("DOFPILOT_")]:
    del os.environ[name]
os.environ["DOFPILOT_DATA_DIR"] = tempfile.mkdtemp(prefix="dofpilot-tests-")
os.environ["DOFPILOT_DEBUG"] = "1"
os.environ["DOFPILOT_PACE"] = "0"

from dofpilot.settings import *  # noqa: E402, F403

STATIC_ROOT.mkdir(exist_ok=True)

# One hash of a password costs as much as ten tests, and none of them is about hashing.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
