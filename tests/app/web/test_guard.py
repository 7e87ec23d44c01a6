"""Every route, of HTTP and WebSocket, under every wrong kind of request."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Mount
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from hloscope.app.base.settings import Settings
from hloscope.app.web.guard import MOST_GUESSES, Guard
from hloscope.app.web.main import create_app, token_of
from tests.app.serving import ORIGIN, PORT, TOKEN, serving


def _routes(app: Any) -> Iterator[str]:
    for route in app.routes:
        if isinstance(route, Mount):
            yield f"GET {route.path}"
        else:
            yield from (f"{method} {route.path}" for method in getattr(route, "methods", None) or ["WS"])


ROUTES = frozenset(_routes(create_app(Settings(token=TOKEN), port=PORT).app))
"""Every route of the server."""

OPEN = {"/-/health", "/-/ready", "/join", "/j/{code}", "/api/rooms/join"}
"""Where nobody needs the token; a room's id, which these requests have not, opens its routes as well."""

GOOD = {"Host": f"127.0.0.1:{PORT}", "Origin": ORIGIN, "Cookie": f"hloscope-{PORT}={TOKEN}"}
WITHOUT = {name: {k: v for k, v in GOOD.items() if k != name} for name in GOOD}

# What is wrong with a request, for each kind of it that is refused.
ALWAYS = {
    "evil Host": GOOD | {"Host": "evil.example"},
    "Host with another port": GOOD | {"Host": "127.0.0.1:1"},
    "Host that only begins well": GOOD | {"Host": f"127.0.0.1:{PORT}.evil.example"},
    "no Host": GOOD | {"Host": ""},
    "no token": WITHOUT["Cookie"],
    "wrong token": GOOD | {"Cookie": f"hloscope-{PORT}=wrong"},
    "token of another port": GOOD | {"Cookie": f"hloscope-1={TOKEN}"},
    "embedded by another site": GOOD | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
}
WHERE_IT_CHANGES_SOMETHING = {
    "evil Origin": GOOD | {"Origin": "https://evil.example"},
    "Origin of another scheme": GOOD | {"Origin": ORIGIN.replace("http", "https")},
    "Origin of another port": GOOD | {"Origin": "http://127.0.0.1:1"},
    "Origin null": GOOD | {"Origin": "null"},
    "neither Origin nor Sec-Fetch-Site": WITHOUT["Origin"],
    "same-site": WITHOUT["Origin"] | {"Sec-Fetch-Site": "same-site"},
    "cross-site": WITHOUT["Origin"] | {"Sec-Fetch-Site": "cross-site"},
    "same-site with our Origin": GOOD | {"Sec-Fetch-Site": "same-site"},
    "same-origin with an evil Origin": GOOD
    | {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
}


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Guard:
    folder = tmp_path_factory.mktemp("guard")
    return create_app(Settings(data_dir=str(folder), token=TOKEN, max_body_bytes=1000), port=PORT)


@pytest.fixture
def client(guard: Guard) -> TestClient:
    # Not entered: without its lifespan the application has no store, and nothing refused may get that far.
    return TestClient(guard, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_wrong_requests_are_refused(client: TestClient, route: str) -> None:
    method, path = route.split()
    changes = method not in ("GET", "HEAD")
    for name, headers in (ALWAYS | (WHERE_IT_CHANGES_SOMETHING if changes else {})).items():
        if path in OPEN and "token" in name:
            continue
        address = re.sub(r"\{\w+\}", "1", path)
        if method == "WS":
            _refused_line(client, address, headers)
        else:
            answer = client.request(method, address, headers=headers)
            assert answer.status_code in (401, 403), name
            assert answer.json()["error"]["kind"] in ("host", "origin", "token"), name


def _refused_line(client: TestClient, path: str, headers: dict[str, str]) -> None:
    """A page of ours that is not signed in can tell by the code; nobody else is let in at all."""
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client.websocket_connect(path, headers=headers) as line,
    ):
        line.receive_json()
    if isinstance(refused.value, WebSocketDenialResponse):
        assert refused.value.status_code == 403
        assert refused.value.json()["error"]["kind"] in ("host", "origin")
        assert refused.value.headers["x-content-type-options"] == "nosniff"
    else:
        assert refused.value.code == 4401
        assert (headers.get("Origin"), headers["Host"]) == (ORIGIN, GOOD["Host"])


def test_an_unknown_route_is_guarded_too(client: TestClient) -> None:
    assert client.get("/not/there").status_code == 401


def test_who_belongs_here_comes_in(client: TestClient) -> None:
    for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"):
        assert client.get("/api/examples", headers=GOOD | {"Host": host}).status_code == 200
    # A link on another page may be followed; only then, the cookie does not come along.
    navigation = GOOD | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/help", headers=navigation).status_code == 200
    assert client.get("/-/health").status_code == 200


def test_hosts_of_the_setting_come_in_at_every_port(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), token=TOKEN, allowed_hosts="box.example, other:90")
    client = TestClient(create_app(settings, port=PORT))
    answers = [
        client.get("/-/health", headers={"Host": host}).status_code
        for host in ("box.example", "BOX.example:77", "other:90", "other:91", "evil.box.example")
    ]
    assert answers == [200, 200, 200, 403, 403]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a server that has names."""
    hosts = "plain.example, https://behind.example"
    with serving(tmp_path_factory.mktemp("named"), signed_in=False, allowed_hosts=hosts) as client:
        yield client


@pytest.mark.parametrize(
    ("host", "scheme", "origin", "status"),
    [
        ("plain.example", "http", "http://plain.example", 200),
        ("plain.example", "http", "https://plain.example", 403),
        ("plain.example", "https", "https://plain.example", 200),
        ("plain.example", "https", "http://plain.example", 403),
        ("behind.example", "http", "https://behind.example", 200),
        ("behind.example:77", "http", "https://behind.example:77", 200),
        ("behind.example", "http", "http://behind.example", 403),
    ],
)
def test_the_origin_has_the_scheme_of_the_page(
    named: TestClient, host: str, scheme: str, origin: str, status: int
) -> None:
    headers = {"Host": host, "Origin": origin, "Cookie": f"hloscope-{PORT}={TOKEN}"}
    path = f"{scheme}://{host}/api/check"
    assert named.post(path, json={"text": ""}, headers=headers).status_code == status


def test_the_token_signs_in_once_and_leaves_the_address(client: TestClient) -> None:
    answer = client.get(f"/s/1?step=3&token={TOKEN}", headers=WITHOUT["Cookie"])
    assert (answer.status_code, answer.headers["location"]) == (303, "/s/1?step=3")
    cookie = answer.headers["set-cookie"]
    assert TOKEN not in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get(
        "/api/examples", headers=WITHOUT["Cookie"] | {"Cookie": cookie.partition(";")[0]}
    ).is_success


@pytest.mark.parametrize(("scheme", "host"), [("https", "plain.example"), ("http", "behind.example")])
def test_https_is_kept(named: TestClient, scheme: str, host: str) -> None:
    answer = named.get(f"{scheme}://{host}/?token={TOKEN}", headers={"Host": host}, follow_redirects=False)
    assert answer.headers["set-cookie"].endswith("; Secure")
    assert answer.headers["strict-transport-security"].startswith("max-age=")
    plain = named.get(f"http://plain.example/?token={TOKEN}", follow_redirects=False)
    assert "Secure" not in plain.headers["set-cookie"]
    assert "strict-transport-security" not in plain.headers


@pytest.mark.parametrize("path", ["//evil.example/", "/%5Cevil.example/", "/%0d%0aSet-Cookie:%20a=b"])
def test_signing_in_leads_to_no_other_site(client: TestClient, path: str) -> None:
    answer = client.get(f"{ORIGIN}{path}?token={TOKEN}", headers=WITHOUT["Cookie"])
    assert re.match(r"/[^/\\]", answer.headers["location"])
    assert "\n" not in answer.headers["location"]


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {}])
def test_a_token_signs_in_only_where_it_is_right(client: TestClient, headers: dict[str, str]) -> None:
    token = TOKEN if headers else "wrong"
    assert client.get(f"/?token={token}", headers=headers).status_code in (401, 403)


def test_guesses_of_the_token_are_limited_and_the_right_one_comes_in(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=str(tmp_path), token=TOKEN), port=PORT)

    def client(address: str) -> TestClient:
        return TestClient(app, base_url=ORIGIN, follow_redirects=False, client=(address, 1))

    guesser, other = client("10.0.0.1"), client("10.0.0.2")
    stale = {"Cookie": f"hloscope-{PORT}=of-an-older-server"}
    for number in range(MOST_GUESSES // 3):
        assert guesser.get(f"/?token=guess-{number}").status_code == 401
        assert guesser.get("/", headers={"Authorization": f"Bearer guess-a{number}"}).status_code == 401
        assert guesser.get("/", headers={"Cookie": f"hloscope-{PORT}=guess-b{number}"}).status_code == 401
        assert other.get("/", headers=stale).status_code == 401
    for _ in range(MOST_GUESSES):  # no guess, because it comes again
        assert other.get("/", headers=stale).status_code == 401
    for address in ("/?token=one-more", "/-/health?token=one-more"):
        refused = guesser.get(address)
        assert (refused.status_code, refused.json()["error"]["kind"]) == (429, "guesses")
        assert int(refused.headers["retry-after"]) > 0
    assert guesser.get("/").status_code == 401
    assert guesser.get("/-/health").status_code == 200
    assert guesser.get(f"/?token={TOKEN}").status_code == 303
    assert guesser.get("/api/examples", headers=GOOD).status_code == 200


def test_every_answer_has_the_headers(client: TestClient) -> None:
    for path, status in (("/", 401), ("/-/health", 200), ("/nowhere", 401)):
        answer = client.get(path)
        assert answer.status_code == status
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert re.search(r"script-src 'self'( 'sha256-[\w+/=]+')+;", policy)
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_browser_is_refused_with_a_page(client: TestClient) -> None:
    answer = client.get("/", headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert answer.text.startswith("<!doctype html>")


def test_large_bodies_are_refused_whatever_they_say(client: TestClient) -> None:
    path, headers = "/-/settings", GOOD
    assert client.post(path, content=b"x" * 2000, headers=headers).status_code == 413
    lying = headers | {"Content-Length": "-5"}
    assert client.post(path, content=b"x", headers=lying).status_code == 413


def test_a_body_without_a_length_is_counted(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=str(tmp_path), token=TOKEN, max_program_bytes=10, max_sources_bytes=0, max_body_bytes=100
    )
    client = TestClient(create_app(settings, port=PORT), base_url=ORIGIN)

    def pieces() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(100):
            yield b"x" * 100

    answer = client.post("/api/check", content=pieces(), headers=GOOD | {"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["error"]["limit"] == "max_program_bytes"


def test_mistakes_of_ours_become_typed_errors(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    # The application was not started, so its state lacks what routes need: a mistake, for a test.
    answer = client.get("/api/sessions/1", headers=GOOD)
    assert answer.status_code == 500
    error = answer.json()["error"]
    assert error["kind"] == "internal"
    assert "Traceback" not in answer.text
    assert error["request"] in caplog.text


def test_the_token_is_made_once_and_kept(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    token = token_of(settings)
    assert len(token) >= 32
    assert token_of(settings) == token
    assert (tmp_path / "token").stat().st_mode & 0o077 == 0
