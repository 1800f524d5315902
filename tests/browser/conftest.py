"""A real JupyterLab server and a headless Chromium that shows it."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

SCREENSHOTS = Path(__file__).parent / "screenshots"
CHROMIUM = os.environ.get("LOCALLENS_TEST_CHROMIUM", "/usr/bin/chromium")
START_SECONDS = 120

_LOW_CONTRAST = """root => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const paint = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const found = [];
  const walker = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest('.ll-sr')) continue;
    const behind = [];
    for (let one = element; one; one = one.parentElement) behind.unshift(getComputedStyle(one).backgroundColor);
    const back = light(paint(behind));
    const front = light(paint([...behind, getComputedStyle(element).color]));
    const contrast = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${element.className} ${walker.currentNode.data.slice(0, 20)}`);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def lab_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def server_url(lab_folder: Path, model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Start a Jupyter server over ``lab_folder``; return the address of a path on it."""
    settings = tmp_path_factory.mktemp("settings")
    environment = {
        **os.environ,
        "LOCALLENS_CACHE": str(model_cache),
        "JUPYTER_CONFIG_DIR": str(settings / "config"),
        "JUPYTER_DATA_DIR": str(settings / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings / "lab"),
        "JUPYTERLAB_WORKSPACES_DIR": str(settings / "workspaces"),
    }
    environment.pop("LOCALLENS_HOME", None)
    no_news = settings / "lab" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    no_news.parent.mkdir(parents=True)
    no_news.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    command += [f"--IdentityProvider.token={token}", "--LabApp.news_url=None"]
    command += [f"--{app}.expose_app_in_browser=True" for app in ("LabApp", "JupyterNotebookApp")]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", f"--ServerApp.root_dir={lab_folder}"]
    log = (settings / "log").open("w+", encoding="utf-8")
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        base = _wait_for_address(settings / "log", server)
        yield lambda path: f"{base}/{path}?token={token}"
    finally:
        server.terminate()
        server.wait(30)
        log.close()


@pytest.fixture(scope="module")
def lab_url(server_url: Callable[[str], str]) -> Callable[[str], str]:
    """Return the address of a notebook in JupyterLab."""
    return lambda name: server_url(f"lab/workspaces/{Path(name).stem}/tree/{name}")


def _wait_for_address(log: Path, server: subprocess.Popen[bytes]) -> str:
    waited = 0.0
    while waited < START_SECONDS and server.poll() is None:
        if match := re.search(r"(http://127\.0\.0\.1:\d+)/lab", log.read_text(encoding="utf-8")):
            return match.group(1)
        try:
            server.wait(0.2)
        except subprocess.TimeoutExpired:
            waited += 0.2
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that nothing may ask: its address, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def open_saved(browser: Browser, lab_url: Callable[[str], str]) -> Iterator[Callable[[str], Page]]:
    """Open a notebook that is there, without running anything."""
    pages: list[Page] = []

    def open_it(name: str) -> Page:
        page = browser.new_page(viewport={"width": 1100, "height": 1000})
        pages.append(page)
        page.goto(lab_url(name))
        wait_for_kernel(page)
        return page

    yield open_it
    for page in pages:
        page.close()


@pytest.fixture
def open_notebook(lab_folder: Path, open_saved: Callable[[str], Page]) -> Callable[[str, list[str]], Page]:
    """Write cells to a notebook, open it in JupyterLab and run them all."""

    def open_and_run(name: str, sources: list[str]) -> Page:
        write_notebook(lab_folder / name, sources)
        page = open_saved(name)
        run_all_cells(page)
        return page

    return open_and_run


def write_notebook(file: Path, sources: list[str]) -> None:
    """Write a notebook of code cells whose kernel a front end need not ask for."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(notebook, file)


def wait_for_kernel(page: Page) -> None:
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=START_SECONDS * 1000)
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=START_SECONDS * 1000,
    )


def run_all_cells(page: Page) -> None:
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")


def find_low_contrast(page: Page, root: str) -> list[str]:
    """Return each text in the first element that matches a selector whose contrast to what is behind it is below 4.5."""
    found: list[str] = page.evaluate(_LOW_CONTRAST, root)
    return found


def take_screenshot(page: Page, name: str) -> Path:
    SCREENSHOTS.mkdir(exist_ok=True)
    file = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=file)
    return file
