"""The browser of the tests itself."""

import os
import shutil
import subprocess
import threading

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import Site

BRIDGE = "wc-test-net"


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None, reason="Needs root and ip to create network interfaces."
)
def test_it_loads_pages_while_interfaces_come_and_go(site: Site, page: Page) -> None:
    stop = threading.Event()
    changes = threading.Thread(target=_change_the_network, args=[stop])
    changes.start()
    try:
        for _ in range(20):
            page.goto(f"{site.url}/accounts/login/")
    finally:
        stop.set()
        changes.join()


def _change_the_network(stop: threading.Event) -> None:
    while not stop.is_set():
        for step in (
            f"link add {BRIDGE} type bridge",
            f"addr add 198.51.100.1/24 dev {BRIDGE}",
            f"link set {BRIDGE} up",
            f"link del {BRIDGE}",
        ):
            subprocess.run(["ip", *step.split()], check=True, capture_output=True)
        stop.wait(0.05)
