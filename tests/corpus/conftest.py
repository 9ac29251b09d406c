"""Property tests are about results, never about time: a loaded machine must not fail them."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.corpus.trees import LAW, write

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path / "tree", 1, LAW)
    write(tmp_path / "tree", 2, LAW, day=date(2024, 1, 2), section="VES")
    return tmp_path / "tree"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
