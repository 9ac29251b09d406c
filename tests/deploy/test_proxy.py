"""The proxy's own configuration, in a real nginx before two real web processes."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.provider import Provider
from tests.faults.reader import Reader
from tests.faults.scene import Scene
from tests.fleet import Fleet
from tests.http import call
from tests.site import ROOT
from tests.waiting import free_port, wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

CLIENT = "127.0.0.1"


class Proxy:
    """nginx with ``deploy/nginx.conf``: only where it listens and what it stands before is of this test."""

    def __init__(self, folder: Path, fleet: Fleet) -> None:
        port = free_port()
        self.address = f"http://{CLIENT}:{port}"
        self.log = folder / "nginx.log"
        written = (
            (ROOT / "deploy" / "nginx.conf").read_text().replace("listen 8080;", f"listen {CLIENT}:{port};")
        )
        for number, web in enumerate(fleet.web, start=1):
            written = written.replace(f"web{number}:8000", f"{CLIENT}:{web.port}")
        written = written.replace("/tmp/nginx.pid", str(folder / "nginx.pid"))
        config = folder / "nginx.conf"
        config.write_text(written)
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        command = [program, "-c", str(config), "-p", str(folder), "-e", "stderr", "-g", "daemon off;"]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(self._serves)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)

    def _serves(self) -> bool:
        assert self._process.poll() is None, self.log.read_text()
        try:
            return call("GET", f"{self.address}/api/v1/health").status == 200
        except OSError:
            return False


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as playing:
        yield playing


@pytest.fixture
def scene(make_fleet, provider) -> Scene:
    # As behind HTTPS, which ends before the proxy.
    chosen = {**provider.environment, "DOFPILOT_PROBE_SECONDS": "0"}
    return Scene(make_fleet(web=2, workers=1, **chosen).start(), provider, 1)


@pytest.fixture
def proxy(tmp_path, scene) -> Iterator[Proxy]:
    started = Proxy(tmp_path, scene.fleet)
    yield started
    started.stop()


def test_events_come_one_by_one_through_the_proxy(scene, provider, proxy):
    provider.hold(3)
    asked = scene.ask()
    path = f"/api/v1/runs/{asked.run_id}/events"
    reader = Reader(lambda: f"{proxy.address}{path}", asked.token)
    scene.wait_for_turn(asked, 3)
    # The run is not over and cannot go on: what has come, came unbuffered.
    stored = scene.steps()[asked.key]
    wait_for(lambda: reader.seen == stored)
    assert not reader.ended
    provider.release()
    reader.wait()
    assert reader.seen == scene.steps()[asked.key]
    assert reader.breaks == 0


def test_a_web_process_that_dies_is_gone_round(scene, proxy):
    scene.fleet.web[0].kill()
    for _ in range(4):
        assert call("GET", f"{proxy.address}/api/v1/health").status == 200
    scene.fleet.web[0].start()


def test_too_much_is_refused_in_words_and_nobody_s_address_is_kept(scene, proxy):
    body = {"question": "x" * 20_000, "client_request_id": "a"}
    refused = call("POST", f"{proxy.address}/api/v1/runs", body, scene.tokens[0])
    assert (refused.status, refused.body["code"]) == (413, "too_large")
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{proxy.address}/nothing-here")
    written = proxy.log.read_text() + "".join(part.output for part in scene.fleet.web)
    assert not re.search(rf"{re.escape(CLIENT)}(?!:\d)", written), written
