"""What pages are made of: the bundle as users have it, the sources as they are written, and when which."""

import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hloscope.app.base.assets import folder, import_map, script_hash
from hloscope.app.web.page_files import PageFiles
from tests.app.serving import WRONG, new_session, serving
from tests.server_process import make_bundle

MODULE, STYLE = "static/js/pages/home.js", "static/css/pages/home.css"
PAGES = ("/", "/ops", "/ops/stablehlo.add", "/help", "/-/settings", "/settings", "/playground", "/s/none")
ADDRESSES = re.compile(r'(?:href|src)="(/static/[^"]+\.(?:js|css))"')
PRELOADS = re.compile(r'<link rel="preload" as="fetch" href="([^"]+)" crossorigin>')


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one page, and the bundle of it."""
    for name in (MODULE, STYLE):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("what it was made of")
    (tmp_path / "pyproject.toml").touch()
    digest = hashlib.sha256(b"what it was made of").hexdigest()
    manifest = {"files": {"js/pages/home.js": "home-A.js"}, "sources": dict.fromkeys((MODULE, STYLE), digest)}
    (tmp_path / "static" / "built").mkdir()
    (tmp_path / "static" / "built" / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path


def test_a_page_is_made_of_the_bundle(checkout: Path) -> None:
    assert PageFiles(dev=False, root=checkout).bundled_files() == {"js/pages/home.js": "home-A.js"}


def test_the_setting_dev_asks_for_the_sources(checkout: Path) -> None:
    assert PageFiles(dev=True, root=checkout).bundled_files() is None


def test_without_a_bundle_pages_are_made_of_the_sources(checkout: Path) -> None:
    (checkout / "static" / "built" / "manifest.json").unlink()
    assert PageFiles(dev=False, root=checkout).bundled_files() is None


@pytest.mark.parametrize("name", [MODULE, STYLE])
def test_a_source_that_changes_is_seen_at_once(checkout: Path, name: str) -> None:
    files = PageFiles(dev=False, root=checkout)
    assert files.bundled_files()
    (checkout / name).write_text("what it is made of")
    assert files.bundled_files() is None
    (checkout / name).write_text("what it was made of")
    assert files.bundled_files()


def test_a_source_that_is_gone_and_a_page_that_is_new_are_seen(checkout: Path) -> None:
    files = PageFiles(dev=False, root=checkout)
    aside = (checkout / MODULE).rename(checkout / "aside.js")
    assert files.bundled_files() is None
    aside.rename(checkout / MODULE)
    assert files.bundled_files()
    (checkout / STYLE).with_name("new.css").touch()
    assert files.bundled_files() is None


def test_a_source_that_was_only_touched_is_still_the_same(checkout: Path) -> None:
    files = PageFiles(dev=False, root=checkout)
    os.utime(checkout / MODULE, (1, 1))
    assert files.bundled_files()


def test_what_is_installed_has_nothing_to_compare_with(checkout: Path) -> None:
    (checkout / "pyproject.toml").unlink()
    (checkout / MODULE).unlink()
    assert PageFiles(dev=False, root=checkout).bundled_files()


def test_the_log_says_which_at_the_start_and_when_it_changes(
    checkout: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    files = PageFiles(dev=False, root=checkout)
    (checkout / MODULE).write_text("")
    files.bundled_files()
    files.bundled_files()
    PageFiles(dev=True, root=checkout)
    bundle, stale, dev = (record.message for record in caplog.records)
    assert "bundle in static/built" in bundle
    assert "have changed" in stale
    assert "setting dev" in dev


@pytest.fixture(scope="module", params=[0, 1], ids=["bundle", "sources"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    make_bundle()
    with serving(tmp_path_factory.mktemp("pages"), dev=request.param) as client:
        yield client


@pytest.fixture(scope="module")
def bundled(client: TestClient) -> bool:
    return "/static/built/" in client.get("/").text


@pytest.mark.parametrize("path", PAGES)
def test_all_that_a_page_names_is_there(client: TestClient, bundled: bool, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html"})
    named = ADDRESSES.findall(answer.text)
    # Styles, theme, module; from the opening page one goes on to the debugger, so it names styles and module of that too.
    assert len(named) == (5 if path == "/" else 3)
    assert all(address.startswith("/static/built/") == bundled for address in named)
    for address in named:
        assert client.get(address).status_code == 200, address


def test_a_session_has_its_page(client: TestClient, bundled: bool) -> None:
    page = client.get(f"/s/{new_session(client)}").text
    assert re.search(r'src="/static/(built/session-\w+|js/pages/session)\.js"', page)


def test_the_page_of_a_program_with_errors_asks_for_no_recording_first(client: TestClient) -> None:
    session = new_session(client, WRONG)
    page = unescape(client.get(f"/s/{session}").text)
    assert PRELOADS.findall(page) == [f"/api/sessions/{session}?wait=false&once=true&apart=true"]


def test_only_the_sources_need_an_import_map(client: TestClient, bundled: bool) -> None:
    answer = client.get("/")
    assert ("importmap" in answer.text) != bundled
    assert import_map() in answer.text or bundled
    assert script_hash(import_map()) in answer.headers["content-security-policy"]


def test_a_bundled_file_is_kept_for_ever_and_others_are_asked_for_again(client: TestClient) -> None:
    for address in ADDRESSES.findall(client.get("/").text):
        immutable = address.startswith("/static/built/")
        kept = client.get(address).headers["cache-control"]
        assert kept == ("public, max-age=31536000, immutable" if immutable else "no-cache")
    assert client.get("/static/built/none-ABC.js").headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def module(client: TestClient) -> str:
    """The address of a bundled module, wherever pages are made of it or not."""
    manifest = json.loads((folder("static") / "built" / "manifest.json").read_text("utf-8"))
    return f"/static/built/{manifest['files']['js/pages/session.js']}"


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [("gzip, deflate, br", True), ("br, gzip;q=0.5", True), ("", False), ("br", False), ("gzip; q=0", False)],
)
def test_a_bundled_file_is_sent_compressed_to_who_takes_it_so(
    client: TestClient, module: str, accepted: str, compressed: bool
) -> None:
    answer = client.get(module, headers={"Accept-Encoding": accepted})
    assert ("content-encoding" in answer.headers) == compressed
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    path = folder("static") / module.removeprefix("/static/")
    assert answer.content == path.read_bytes()
    assert (int(answer.headers["content-length"]) < path.stat().st_size / 2) == compressed


def test_a_bundled_module_has_a_source_map_with_sources_that_are_served(
    client: TestClient, module: str
) -> None:
    last = client.get(module).text.rstrip().splitlines()[-1]
    assert last == f"//# sourceMappingURL={module.rpartition('/')[2]}.map"
    sources = client.get(f"{module}.map").json()["sources"]
    assert "../js/pages/session.js" in sources
    assert client.get("/static/js/pages/session.js").status_code == 200
