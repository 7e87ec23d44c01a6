"""The outermost ASGI layer, which checks every HTTP and WebSocket request.

FastAPI's HTTP middlewares do not see WebSockets, and checks in each route are easily forgotten. Here, every request is
refused unless its Host, origin and token are valid.
"""

import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..base.assets import script_hash
from ..base.cache import Cache
from ..base.errors import ApiError, internal, over_limit
from ..base.fair_shares import MOST_KNOWN, Principal, act_for, network_of
from ..base.logs import log_failure
from ..base.recent import Recent
from ..base.tallies import Tallies
from ..present.handouts.svg import DARK

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SECURE = "https://"
INTERNAL_ERROR = 1011
OPEN_PATHS = frozenset({"/-/health", "/-/ready"})
METRICS = "/-/metrics"
AGENTS = "/mcp"
"""Path of the tools for agents."""
BEARER = "bearer "
STATIC = "/static/"
"""Files of pages, which are public because link holders need them."""
BY_LINK = re.compile(r"/(s|embed|api/sessions|api/recordings)/view-")
BY_ROOM = re.compile(
    r"/(room|api/rooms)/room-|/(s|api/sessions|api/recordings)/own-|/(join|api/rooms/join)$|/j/[^/]+$"
)
"""Paths with their own access control: rooms, members' sessions, and the form for codes."""
SECRET = re.compile(r"(?<=/)(view|own|room)-[A-Za-z0-9_-]+")
"""The secret in such a path, of a link, a copy or a room."""
LESSONS = {
    "GET": re.compile(
        r"/lessons(/[^/]+(/handout)?)?|/api/lessons(/[^/]+(/revision)?)?|/api/playground/[^/]+"
    ),
    "POST": re.compile(r"/api/lessons/[^/]+/(changes/[^/]+|result)|/api/playground"),
}
"""Paths that the setting `open_lessons` opens to everybody, by method."""
EMBEDDED = "/embed/"
"""Prefix of pages that the sites in the setting `embed_sites` may frame."""
PICTURE_STYLE = f"'{script_hash(DARK)}'"
"""The only inline style that pages allow: the dark colours of a step's picture."""
PICTURE = re.compile(r"/embed/view-[A-Za-z0-9_-]{1,64}\.svg")
"""Pictures that those sites may show; they may load nothing else."""
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
RECORDINGS = "/api/recordings/"
"""Prefix of the questions that pages ask at each step."""
CLOSE_REASON_BYTES = 123
"""Maximum bytes of the reason in a WebSocket's close frame."""
MOST_GUESSES = 60
"""Maximum different wrong tokens of a network in a minute; a class sits behind one."""
MOST_PARSED = 128
"""Number of headers and addresses whose parts are remembered: the guard looks at them several times."""
YEAR = 365 * 24 * 3600
"""Seconds for which a browser keeps the cookie, and remembers to use HTTPS."""
ASK_AGAIN = "location.reload()"
"""Script that reloads the page: browsers withhold the cookie after another site's link."""

log = logging.getLogger("hloscope")


@dataclass(frozen=True)
class GuardRules:
    """The rules by which the guard accepts requests."""

    hosts: frozenset[str]
    """Allowed Host headers; without a port, any port is allowed; `https://` marks HTTPS hosts."""
    token: str
    cookie: str
    """The cookie's name, different for each port because cookies are shared between ports."""
    body_limit: Callable[[str], tuple[str, int]]
    """The name and value in bytes of the setting that limits request bodies, by path."""
    script_hashes: tuple[str, ...] = ()
    """Hashes of inline scripts that the Content-Security-Policy allows: the import map."""
    embed_sites: tuple[str, ...] = ()
    """Sites whose pages may frame embedded pages."""
    open_lessons: bool = False
    """Whether visitors without the token may play lessons."""
    metrics_token: str = ""
    """Secret that reads the metrics and nothing else; empty: only the token does."""

    def allows_host(self, host: str) -> bool:
        """Whether a Host header names this server."""
        return self._is_listed(host) or self._is_listed(SECURE + host)

    def origin_of(self, scheme: str, host: str) -> str:
        """The origin of pages for this Host header and connection scheme."""
        secure = scheme in ("https", "wss") or self._is_listed(SECURE + host)
        return f"https://{host}" if secure else f"http://{host}"

    def _is_listed(self, host: str) -> bool:
        return host in self.hosts or host.rpartition(":")[0] in self.hosts


def allowed_hosts(port: int, more: str) -> frozenset[str]:
    """This machine's local names with the port, and those of the setting `allowed_hosts`."""
    local = {f"{name}:{port}" for name in LOCAL_NAMES} | (set(LOCAL_NAMES) if port == 80 else set())
    return frozenset(local | {name.strip().lower() for name in more.split(",") if name.strip()})


class Guard:
    """The guard around the application; see the module."""

    def __init__(self, app: ASGIApp, rules: GuardRules, inner: ASGIApp | None = None) -> None:
        """`inner`: the application for accepted requests, by default `app`."""
        self.app, self.rules = app, rules
        self._inner = inner or app
        self.tallies = Tallies()
        self._guesses = Recent()
        self._guessed = Cache[tuple[str, str | None], None](MOST_KNOWN)
        """Wrong tokens with the network that they came from; an old cookie that comes again is no new guess."""
        self._signed = hmac.digest(rules.token.encode(), b"cookie", "sha256").hex()
        """The cookie's value, which does not reveal the token."""
        scripts = (*rules.script_hashes, script_hash(ASK_AGAIN))
        self.headers = _security_headers(scripts, ())
        self.embedded_headers = _security_headers(scripts, rules.embed_sites)
        self.picture_headers = _picture_headers(rules.embed_sites)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, self._with_headers(send, scope))
        else:
            await self._websocket(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if (location := self._signed_in_at(scope, headers)) is not None:
            await _redirect(location, self._cookie(), send)
            return
        refusal = (
            self._guess_refusal(scope, headers)
            or self._refusal(scope, headers)
            or self._body_refusal(scope, headers)
        )
        if refusal is not None:
            self.tallies.refuse(refusal)
            follows_link = refusal.kind == "token" and _comes_by_link(headers)
            await _refuse(refusal, headers, send, script=ASK_AGAIN if follows_link else None)
            return
        await self._answer(scope, self._count_bytes(scope, receive), send, headers)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, accepted = Headers(scope=scope), False
        refusal = self._guess_refusal(scope, headers) or self._refusal(scope, headers)
        if refusal is not None:
            await receive()
            await self._refuse_websocket(refusal, scope, headers, send)
            return
        act_for(self._principal(scope, headers))

        async def watch(message: Message) -> None:
            nonlocal accepted
            accepted = accepted or message["type"] == "websocket.accept"
            await send(message)

        try:
            await self._inner(scope, receive, watch)
        except Exception as error:  # log unexpected errors here instead of sending a traceback
            log_failure(log, error, secrets.token_hex(4))
            if not accepted:
                await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": INTERNAL_ERROR, "reason": "internal error"})

    async def _refuse_websocket(self, refusal: ApiError, scope: Scope, headers: Headers, send: Send) -> None:
        """Close a page's own socket with a code that it can read; refuse other connections."""
        self.tallies.refuse(refusal)
        if refusal.kind == "token":
            await send({"type": "websocket.accept"})
            await send(closing_message(refusal))
            return

        async def deny(message: Message) -> None:
            await send({**message, "type": f"websocket.{message['type']}"})

        await _refuse(refusal, headers, self._with_headers(deny, scope))

    async def _answer(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        started, number, began = False, secrets.token_hex(4), time.perf_counter()
        path: str = scope["path"]
        principal = self._principal(scope, headers)
        act_for(principal)
        # Pages offer visitors without the token only what these can open.
        scope.setdefault("state", {}).update(number=number, signed_in=principal.is_trusted)

        async def watch(message: Message) -> None:
            nonlocal started
            if not started and path.startswith(RECORDINGS):
                self.tallies.steps.note(time.perf_counter() - began)
            started = True
            await send(message)

        try:
            await self._inner(scope, receive, watch)
        except Exception as error:  # as above
            log_failure(log, error, number)
            if not started:
                await _refuse(internal(), headers, send, number)

    # Access.

    def _refusal(self, scope: Scope, headers: Headers) -> ApiError | None:
        host = self._host(headers)
        if host is None:
            return ApiError(
                403, "host", "hloscope does not accept requests for this address.",
                hint="Use the address that hloscope printed, or name this one in the setting allowed_hosts.",
            )  # fmt: skip
        if _is_of_agent(scope, headers):
            return None if self._bears_token(headers) else _no_bearer()
        bearer = _bearer_in(headers) or ""
        if scope["path"] == METRICS and (self._is_token(bearer) or self._is_metrics_token(bearer)):
            return None
        own = self.rules.origin_of(scope["scheme"], host)
        if not _same_origin(scope, headers, own) and not self._is_shown_by_site(scope, headers):
            return ApiError(403, "origin", "Requests from other sites are refused.")
        if _changes_by_link(scope):
            return ApiError(
                403, "read_only", "This link is for reading only.",
                hint="Make a copy of the session, and change that.",
            )  # fmt: skip
        if not self._is_open(scope) and not self._knows_token(headers):
            return ApiError(
                401, "token", "This browser has not signed in to hloscope.",
                hint="Open the address that hloscope printed when it started; it holds the token.",
            )  # fmt: skip
        return None

    def _principal(self, scope: Scope, headers: Headers) -> Principal:
        """The principal of a request: from one network, the holders of the token, or of the secret in its path."""
        network = _network_of(scope)
        if self._knows_token(headers) or self._bears_token(headers):
            return Principal(f"token {network}", is_trusted=True)
        secret = SECRET.search(scope["path"])
        return Principal(f"network {network}", secret[0] if secret else "")

    def _is_open(self, scope: Scope) -> bool:
        """Whether the path needs no token: it is public, contains a secret itself, or is an open lesson."""
        path: str = scope["path"]
        by_secret = BY_LINK.match(path) or BY_ROOM.match(path)
        return (
            path in OPEN_PATHS or path.startswith(STATIC) or by_secret is not None or self._is_lesson(scope)
        )

    def _is_lesson(self, scope: Scope) -> bool:
        opened = LESSONS.get(scope.get("method", "")) if self.rules.open_lessons else None
        return opened is not None and opened.fullmatch(scope["path"]) is not None

    def _is_shown_by_site(self, scope: Scope, headers: Headers) -> bool:
        """Whether a page of an allowed site requests an embeddable picture, as an image only."""
        return (
            scope["type"] == "http"
            and scope["method"] in ("GET", "HEAD")
            and PICTURE.fullmatch(scope["path"]) is not None
            and headers.get("sec-fetch-mode") == "no-cors"
            and headers.get("sec-fetch-dest") == "image"
            and _site_of(headers.get("referer", "")) in self.rules.embed_sites
        )

    def _host(self, headers: Headers) -> str | None:
        values = headers.getlist("host")
        host = values[0].lower() if len(values) == 1 else ""
        return host if self.rules.allows_host(host) else None

    def _knows_token(self, headers: Headers) -> bool:
        cookie = _cookie_in(headers, self.rules.cookie)
        return cookie is not None and (self._is_token(cookie) or _are_equal(cookie, self._signed))

    def _bears_token(self, headers: Headers) -> bool:
        return self._is_token(_bearer_in(headers) or "")

    def _is_metrics_token(self, text: str) -> bool:
        return bool(self.rules.metrics_token) and _are_equal(text, self.rules.metrics_token)

    def _is_token(self, text: str) -> bool:
        return _are_equal(text, self.rules.token)

    def _guess_refusal(self, scope: Scope, headers: Headers) -> ApiError | None:
        """The error of a wrong token after too many different ones from its network; right ones come in."""
        cookie = _cookie_in(headers, self.rules.cookie)
        guesses = {_token_in(scope), _bearer_in(headers), cookie} - {None, "", self._signed}
        network = _network_of(scope)
        for guess in guesses:
            if self._is_token(guess or "") or self._is_metrics_token(guess or ""):
                return None
            if (network, guess) not in self._guessed:
                self._guessed[network, guess] = None
                self._guesses.note(network)
        if not guesses or self._guesses.count(network) <= MOST_GUESSES:
            return None
        return ApiError(
            429, "guesses", "Too many wrong tokens came from this network.",
            hint="Wait a minute, or open the address that hloscope printed when it started.",
        )  # fmt: skip

    # Signing in: `?token=` becomes a cookie and leaves the address, which people copy and share.

    def _signed_in_at(self, scope: Scope, headers: Headers) -> str | None:
        """The address to redirect to after a valid token in the URL; None without one."""
        token = _token_in(scope)
        # Embedded pages neither use nor set a cookie.
        usable = scope["method"] == "GET" and self._host(headers) is not None and not _is_embedded(scope)
        if token is None or not usable or not self._is_token(token):
            return None
        rest = urlencode([pair for pair in _parsed(scope["query_string"]) if pair[0] != "token"])
        # One slash at the start: `//host` would lead to another site.
        return "/" + quote(scope["path"].lstrip("/\\")) + (f"?{rest}" if rest else "")

    def _cookie(self) -> str:
        return f"{self.rules.cookie}={self._signed}; HttpOnly; SameSite=Strict; Path=/; Max-Age={YEAR}"

    # Limits of requests, and headers of responses.

    def _body_refusal(self, scope: Scope, headers: Headers) -> ApiError | None:
        name, limit = self.rules.body_limit(scope["path"])
        length = headers.get("content-length", "0")
        return None if length.isdecimal() and int(length) <= limit else _too_large(name, limit)

    def _count_bytes(self, scope: Scope, receive: Receive) -> Receive:
        """A `receive` that raises on a body above the limit, whatever its Content-Length."""
        name, limit = self.rules.body_limit(scope["path"])
        seen = 0

        async def receive_counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(name, limit)
            return message

        return receive_counted

    def _with_headers(self, send: Send, scope: Scope) -> Send:
        path: str = scope["path"]
        is_secure = self.rules.origin_of(scope["scheme"], Headers(scope=scope).get("host", "")).startswith(
            SECURE
        )
        chosen = self.embedded_headers if path.startswith(EMBEDDED) else self.headers
        if PICTURE.fullmatch(path):
            chosen = self.picture_headers

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in chosen:
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if is_secure:
                    _make_secure(headers)
            await send(message)

        return with_headers


def _make_secure(headers: MutableHeaders) -> None:
    """Over HTTPS: the site is never loaded without it again, and cookies go nowhere else."""
    headers["strict-transport-security"] = f"max-age={YEAR}"
    cookies = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for cookie in cookies:
        headers.append("set-cookie", f"{cookie}; Secure")


def _are_equal(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode(), secret.encode())


def _network_of(scope: Scope) -> str:
    return network_of((scope.get("client") or ("",))[0])


def _parsed(query: bytes) -> list[tuple[str, str]]:
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True)


def _token_in(scope: Scope) -> str | None:
    return _token_of(scope["query_string"])


@lru_cache(MOST_PARSED)
def _token_of(query: bytes) -> str | None:
    return next((value for name, value in _parsed(query) if name == "token"), None)


def _bearer_in(headers: Headers) -> str | None:
    """The token in the header for tools."""
    given = headers.get("authorization", "")
    return given[len(BEARER) :].strip() if given[: len(BEARER)].lower() == BEARER else None


def _cookie_in(headers: Headers, name: str) -> str | None:
    return _cookie_of(headers.get("cookie", ""), name)


@lru_cache(MOST_PARSED)
def _cookie_of(text: str, name: str) -> str | None:
    try:
        cookie = SimpleCookie(text).get(name)
    except CookieError:
        return None
    return cookie.value if cookie else None


def _is_of_agent(scope: Scope, headers: Headers) -> bool:
    """Whether an agent's client asks, which has no cookie: a browser says where its requests come from."""
    told = "origin" in headers or "sec-fetch-site" in headers
    return scope["type"] == "http" and scope["path"] == AGENTS and not told


def _no_bearer() -> ApiError:
    return ApiError(
        401, "token", "This client has not sent the token of hloscope.",
        hint="Send it as a header, Authorization: Bearer TOKEN; the address that hloscope printed holds it.",
    )  # fmt: skip


def _same_origin(scope: Scope, headers: Headers, own: str) -> bool:
    """Whether the request comes from a page of this server, or from the user directly."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if scope["type"] == "http" and scope["method"] in SAFE_METHODS:
        # Other sites may link here; they may not load our answers as scripts, pictures or data.
        return site in (None, "same-origin", "none") or headers.get("sec-fetch-mode") == "navigate"
    if origin is not None and not (origin == "null" and site == "same-origin"):
        return origin.lower() == own and site in (None, "same-origin", "none")
    return site in ("same-origin", "none")


def _changes_by_link(scope: Scope) -> bool:
    is_http = scope["type"] == "http"
    return is_http and scope["method"] not in SAFE_METHODS and BY_LINK.match(scope["path"]) is not None


def _is_embedded(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith(EMBEDDED)


def _site_of(address: str) -> str:
    """The origin of a URL in the form of `embed_sites`; empty for an invalid one."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.netloc else ""


def _comes_by_link(headers: Headers) -> bool:
    """Whether a link on another site leads here, so that the browser sent no cookie."""
    return (
        headers.get("sec-fetch-site") in ("cross-site", "same-site")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def closing_message(error: ApiError) -> Message:
    """The message that closes a WebSocket with this error."""
    reason = error.message.encode()[:CLOSE_REASON_BYTES].decode(errors="ignore")
    return {"type": "websocket.close", "code": error.close_code, "reason": reason}


def _too_large(limit: str, value: int) -> ApiError:
    return over_limit(413, limit, value, f"The request is larger than {value:,} bytes.")


def _security_headers(script_hashes: Iterable[str], framed_by: Iterable[str]) -> list[tuple[str, str]]:
    scripts = " ".join(["'self'", *(f"'{value}'" for value in script_hashes)])
    ancestors = " ".join(framed_by) or "'none'"
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src 'self' {PICTURE_STYLE}; img-src 'self' data: blob:; "
        "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {ancestors}; require-trusted-types-for 'script'"
    )
    return [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ]


def _picture_headers(shown_by: Iterable[str]) -> list[tuple[str, str]]:
    """Headers of embeddable SVG pictures: own style, no loading, no scripts."""
    ancestors = " ".join(shown_by) or "'none'"
    policy = f"default-src 'none'; style-src {PICTURE_STYLE}; sandbox; frame-ancestors {ancestors}"
    own = {
        "content-security-policy": policy,
        "cross-origin-resource-policy": "cross-origin",
        "vary": "Referer",
    }
    return [
        (name, own.get(name, value)) for name, value in {**dict(_security_headers((), ())), **own}.items()
    ]


async def _refuse(
    error: ApiError, asked: Headers, send: Send, number: str | None = None, script: str | None = None
) -> None:
    """Send the error as JSON, or for a browser as a small page, optionally with a script."""
    if "text/html" in asked.get("accept", ""):
        lines = f"<h1>{escape(error.message)}</h1><p>{escape(error.hint or '')}</p>"
        if script:
            lines = f"<script>{script}</script><noscript>{lines}</noscript>"
        body = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>hloscope</title>{lines}'
        kind = "text/html; charset=utf-8"
    else:
        body, kind = json.dumps(error.body(number)), "application/json"
    headers = [("content-type", kind), *error.retry_headers.items()]
    await _respond(error.status, headers, body.encode(), send)


async def _redirect(location: str, cookie: str, send: Send) -> None:
    await _respond(303, [("location", location), ("set-cookie", cookie)], b"", send)


async def _respond(status: int, headers: list[tuple[str, str]], body: bytes, send: Send) -> None:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    raw.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
