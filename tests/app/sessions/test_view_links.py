"""Read-only links: who has one reads a session without the token, and can change nothing by it."""

from __future__ import annotations

from itertools import count

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hloscope.app.base.settings import Settings, SettingsError
from tests.app.serving import ADD, ORIGIN, PORT, TOKEN

SIGNED_IN = {"Host": f"127.0.0.1:{PORT}", "Origin": ORIGIN, "Cookie": f"hloscope-{PORT}={TOKEN}"}
STRANGER = {"Host": f"127.0.0.1:{PORT}", "Origin": ORIGIN}
SITE = "https://course.example"
SETTINGS = {"signed_in": False, "embed_sites": SITE}


def _link(client: TestClient) -> tuple[str, str]:
    """A session and a link to it."""
    made = client.post("/api/sessions", json={"text": ADD, "name": "a.mlir"}, headers=SIGNED_IN)
    session = made.json()["id"]
    answer = client.post(f"/api/sessions/{session}/links", headers=SIGNED_IN)
    assert answer.status_code == 201
    return session, answer.json()["id"]


def test_a_stranger_reads_by_a_link_what_its_owner_sees(client: TestClient) -> None:
    session, link = _link(client)
    own = client.get(f"/api/sessions/{session}", headers=SIGNED_IN).json()
    read = client.get(f"/api/sessions/{link}", headers=STRANGER).json()
    assert (read["id"], read["read_only"], own["read_only"]) == (link, True, False)
    assert read["run"]["key"] == f"{link}.{own['run']['key']}"
    assert {**read, "id": 0, "run": 0, "read_only": 0} == {**own, "id": 0, "run": 0, "read_only": 0}
    for part in ("program", "values/0.s0.0", "outline?chunk=0"):
        mine = client.get(f"/api/recordings/{own['run']['key']}/{part}", headers=SIGNED_IN)
        theirs = client.get(f"/api/recordings/{read['run']['key']}/{part}", headers=STRANGER)
        assert (mine.status_code, mine.content) == (theirs.status_code, theirs.content)
        assert mine.status_code == 200
    assert client.get(f"/s/{link}", headers=STRANGER).status_code == 200


REFERENCE = ("/api/sessions/{0}/ops", "/api/sessions/{0}/ops/stablehlo.add", "/s/{0}/ops/stablehlo.add", "/s/{0}/help", "/s/{0}/help/rooms")  # fmt: skip


@pytest.mark.parametrize("path", REFERENCE)
def test_a_stranger_reads_of_ops_beside_a_session_and_nowhere_else(client: TestClient, path: str) -> None:
    session, link = _link(client)
    assert client.get(path.format(link), headers=STRANGER).status_code == 200
    assert client.get(path.format(session), headers=STRANGER).status_code == 401
    assert client.get(path.format("view-" + "x" * 43), headers=STRANGER).status_code == 404
    assert client.get(path.format("own-" + "x" * 43), headers=STRANGER).status_code == 404
    assert (
        client.get(path.replace("/s/{0}", "").replace("sessions/{0}/", ""), headers=STRANGER).status_code
        == 401
    )
    client.delete(f"/api/sessions/{session}/links", headers=SIGNED_IN)
    assert client.get(path.format(link), headers=STRANGER).status_code == 404


def test_a_page_by_a_link_knows_who_has_signed_in(client: TestClient) -> None:
    _, link = _link(client)
    for headers, signed_in in ((STRANGER, "false"), (SIGNED_IN, "true")):
        page = client.get(f"/s/{link}", headers=headers).text.replace("&#34;", '"')
        assert f'"signedIn": {signed_in}' in page
    embedded = client.get(f"/embed/{link}", headers=SIGNED_IN).text.replace("&#34;", '"')
    assert '"signedIn": false' in embedded


def test_a_page_of_an_op_by_a_link_runs_nothing(client: TestClient) -> None:
    _, link = _link(client)
    page = client.get(f"/s/{link}/ops/stablehlo.gather", headers=STRANGER).text
    assert "/playground/gather" not in page
    assert '"question"' in page.replace("&#34;", '"')
    assert '"example": ' not in page.replace("&#34;", '"')
    assert "stablehlo.gather" in page
    assert client.get(f"/s/{link}/ops/nothing", headers=STRANGER).status_code == 404


def test_a_reader_does_not_see_what_is_being_written(client: TestClient) -> None:
    session, link = _link(client)
    client.put(f"/api/sessions/{session}/draft", json={"text": "half a pro"}, headers=SIGNED_IN)
    assert client.get(f"/api/sessions/{link}", headers=STRANGER).json()["text"] == ADD


@pytest.mark.parametrize("headers", [STRANGER, SIGNED_IN], ids=["stranger", "signed in"])
def test_nobody_changes_anything_by_a_link(client: TestClient, headers: dict[str, str]) -> None:
    _, link = _link(client)
    for method, part in (
        ("PUT", "/draft"), ("PUT", "/name"), ("PUT", "/position"), ("POST", "/runs"), ("POST", "/files"),
        ("POST", "/links"), ("DELETE", "/links"), ("DELETE", ""),
    ):  # fmt: skip
        answer = client.request(method, f"/api/sessions/{link}{part}", headers=headers)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "read_only")
    assert client.get(f"/api/sessions/{link}/links", headers=headers).status_code == 403


def test_a_link_leads_to_its_own_session_only(client: TestClient) -> None:
    session, link = _link(client)
    other = client.post("/api/sessions", json={"text": ADD.replace("add", "multiply")}, headers=SIGNED_IN)
    key = client.get(f"/api/sessions/{other.json()['id']}", headers=SIGNED_IN).json()["run"]["key"]
    assert client.get(f"/api/recordings/{link}.{key}/program", headers=STRANGER).status_code == 404
    assert client.get(f"/api/recordings/{key}/program", headers=STRANGER).status_code == 401
    assert client.get(f"/api/sessions/{session}", headers=STRANGER).status_code == 401
    wrong = link[:-1] + ("A" if link[-1] != "A" else "B")
    answer = client.get(f"/api/sessions/{wrong}", headers=STRANGER)
    assert answer.status_code == 404
    assert "withdrawn" in answer.json()["error"]["message"]


def test_a_withdrawn_link_leads_nowhere(client: TestClient) -> None:
    session, link = _link(client)
    key = client.get(f"/api/sessions/{link}", headers=STRANGER).json()["run"]["key"]
    assert client.get(f"/api/recordings/{key}/program", headers=STRANGER).status_code == 200
    told = client.get(f"/api/sessions/{session}/links", headers=SIGNED_IN).json()
    assert told == {"links": 1, "embed_sites": [SITE]}
    assert client.delete(f"/api/sessions/{session}/links", headers=SIGNED_IN).status_code == 204
    assert client.get(f"/api/sessions/{link}", headers=STRANGER).status_code == 404
    assert client.get(f"/api/recordings/{key}/program", headers=STRANGER).status_code == 404


def test_links_end_with_their_session(client: TestClient) -> None:
    session, link = _link(client)
    client.delete(f"/api/sessions/{session}", headers=SIGNED_IN)
    assert client.get(f"/api/sessions/{link}", headers=STRANGER).status_code == 404


def test_the_live_line_of_a_reader_tells_and_takes_no_position(client: TestClient) -> None:
    session, link = _link(client)
    with client.websocket_connect(f"/api/sessions/{link}/live", headers=STRANGER) as line:
        assert line.receive_json() == {"type": "welcome"}
        state = line.receive_json()
        assert state["key"].startswith(f"{link}.")
        line.send_json({"type": "position", "run": 1, "step": 1, "path": [], "breakpoints": [2]})
        line.send_json({"type": "record", "run": 9})
        while (answer := line.receive_json())["type"] == "state":
            pass  # the run may still report its progress
        assert answer["type"] == "error"  # so what came before has been read
    found = client.get(f"/api/sessions/{session}", headers=SIGNED_IN).json()
    assert (found["position"]["step"], found["breakpoints"]) == (0, [])
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"/api/sessions/view-{'x' * 43}/live", headers=STRANGER) as line,
    ):
        line.receive_json()


@pytest.mark.parametrize("ended", ["/links", ""], ids=["the link", "the session"])
def test_a_reader_hears_nothing_after_the_end_of(client: TestClient, ended: str) -> None:
    session, link = _link(client)
    with client.websocket_connect(f"/api/sessions/{link}/live", headers=STRANGER) as line:
        line.receive_json()
        client.delete(f"/api/sessions/{session}{ended}", headers=SIGNED_IN)
        with pytest.raises(WebSocketDisconnect) as closed:
            any(line.receive_json() is None for _ in count())
    assert closed.value.code == 4404
    assert "withdrawn" in closed.value.reason


def test_who_is_signed_in_makes_a_copy_of_what_they_read(client: TestClient) -> None:
    session, link = _link(client)
    copied = client.post("/api/sessions", json={"copy_of": link}, headers=SIGNED_IN).json()["id"]
    assert copied not in (session, link)
    own, copy = (client.get(f"/api/sessions/{each}", headers=SIGNED_IN).json() for each in (session, copied))
    assert (copy["text"], copy["name"], copy["run"]["key"]) == (own["text"], own["name"], own["run"]["key"])
    assert client.post("/api/sessions", json={"copy_of": link}, headers=STRANGER).status_code == 401


def test_only_named_sites_embed_and_only_by_a_link(client: TestClient) -> None:
    session, link = _link(client)
    in_frame = STRANGER | {
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe",
    }  # fmt: skip
    embedded = client.get(f"/embed/{link}", headers=in_frame)
    assert embedded.status_code == 200
    assert f"frame-ancestors {SITE};" in embedded.headers["content-security-policy"]
    for path in (f"/s/{link}", "/"):
        policy = client.get(path, headers=SIGNED_IN).headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
    assert client.get(f"/embed/{session}", headers=SIGNED_IN).status_code == 404


@pytest.mark.parametrize("sites", ["course.example", "https://a.example/page", "'self'", "https://a b"])
def test_what_is_no_site_is_refused(sites: str) -> None:
    with pytest.raises(SettingsError, match="embed_sites names"):
        Settings.load([f"embed_sites={sites}"], {})


def test_a_link_from_another_site_is_followed_with_the_cookie(client: TestClient) -> None:
    """A browser keeps the cookie back while it follows such a link; our own page then loads itself again."""
    followed = STRANGER | {
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
        "Accept": "text/html",
    }  # fmt: skip
    first = client.get("/help", headers=followed)
    assert (first.status_code, "location.reload()" in first.text) == (401, True)
    again = client.get("/help", headers=followed | {"Sec-Fetch-Site": "same-origin"})
    assert (again.status_code, "location.reload()" in again.text) == (401, False)
