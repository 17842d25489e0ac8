"""A browser for the pages: Chromium without a network, drawing in software."""

from __future__ import annotations

import os
import shutil

import pytest

import rigidsim

FLAGS = [
    *("--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync", "--disable-component-update"),
    *("--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
]
FEW_FRAMES = "window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 250);"
"""A page draws all the time, in software; tests that look at no motion let it do so four times a second."""
REQUIRED = os.environ.get("RIGIDSIM_REQUIRE_CHROMIUM") == "1"


@pytest.fixture(scope="session")
def browser():
    """Chromium; the test is skipped on a machine without, or fails if the environment requires it."""
    program = shutil.which("chromium")
    if program is None:
        (pytest.fail if REQUIRED else pytest.skip)("there is no Chromium; apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


HEAD = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01}}
BALL = {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}]}


@pytest.fixture(scope="session")
def dropped():
    """A ball that falls on a tilted floor, and rolls: with its contact points and terms."""
    tilt = {"orientation": {"axis": [1, 0, 0], "angle": 0.2}, "shapes": [{"type": "plane"}]}
    scene = {
        **HEAD,
        "world": {"gravity": [0, 0, -9.81]},
        "bodies": {"floor": tilt, "ball": {**BALL, "position": [0, 0, 0.2]}},
    }
    return rigidsim.simulate(rigidsim.Scene.from_dict(scene), contacts=True, terms=True)


class Opened:
    """A page, opened from disk: everything that it said, and everything that it asked for."""

    def __init__(self, browser, path, size=(800, 600), script="", plays=False):
        self._context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True)
        self.page, self.said, self.asked = self._context.new_page(), [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.add_init_script(script if plays else f"{FEW_FRAMES}\n{script}")
        self.page.goto(path.as_uri())

    def ready(self):
        """Wait until it draws."""
        for _ in range(300):
            if self("() => !!window.rigidsim"):
                return self
            self.page.wait_for_timeout(50)
        raise TimeoutError(self.said)

    def __call__(self, script, argument=None):
        """What a function of JavaScript returns."""
        return self.page.evaluate(script, argument)

    def close(self):
        self._context.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page, given as text: `opened(html)`. It must load nothing else and say nothing."""
    pages = []

    def open_page(text, **options):
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(text, encoding="utf-8")
        pages.append(Opened(browser, path, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()
        assert page.said == []
        assert all(url.startswith(("file:", "blob:", "data:")) for url in page.asked), page.asked
