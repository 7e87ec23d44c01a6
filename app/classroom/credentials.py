"""Ids, codes and secrets of rooms, stored only as hashes or encrypted.

- A room's id admits its holders; the read-only link to its session is derived from it and not stored.
- The short code leads to the id, which is stored encrypted with the code and the server's token.
- The owner's and the members' secrets are compared by their hashes.
"""

import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

from ..sessions.view_links import PREFIX as LINK_PREFIX

PREFIX = "room-"
ROOM = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{32}}")
ID_BYTES = 24
CODE_LETTERS = "23456789CDFGHJKMNPQRTVWXYZ"
"""No vowels, to avoid words, and no characters that are easily confused."""
CODE_LENGTH = 8
"""At 300 guesses a minute, an address finds one of 100 rooms in 13 years."""
EARLIER_LENGTH = 6
"""Length of the codes of rooms that earlier versions opened."""
READ_AS = str.maketrans({"U": "V", "S": "5", "B": "8"})
"""Corrections of characters that are often misread."""


def new_room() -> str:
    """The id of a new room."""
    return PREFIX + secrets.token_urlsafe(ID_BYTES)


def new_secret() -> str:
    """A secret of an owner or of a member."""
    return secrets.token_urlsafe(ID_BYTES)


def new_code() -> str:
    """A random code that is easy to read aloud."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def read_code(typed: str) -> str | None:
    """The normalized code from typed text, or None; ignores case, blanks and dashes."""
    code = re.sub(r"[\s\-–—]", "", typed).upper().translate(READ_AS)
    return code if len(code) in (CODE_LENGTH, EARLIER_LENGTH) and set(code) <= set(CODE_LETTERS) else None


def room_hash(room: str) -> str:
    """The stored hash of a room's id."""
    return _text(sha256(b"room:" + room.encode()).digest())


def secret_hash(room: str, secret: str) -> str:
    """The stored hash of an owner's or member's secret, different in each room."""
    return _text(_mac(room, "secret", secret))


def link_of(room: str) -> str:
    """The read-only link to the room's session."""
    return LINK_PREFIX + _text(_mac(room, "view link", ""))


def code_hash(token: str, code: str) -> str:
    """The stored hash of a code, keyed by the token because codes are few enough to try."""
    return _text(_mac(token, "code", code))


def seal(token: str, code: str, room: str) -> str:
    """The room's id, encrypted with its code and the server's token."""
    return _text(_xor(room.removeprefix(PREFIX).encode(), _mac(token, "room", code)))


def unseal(token: str, code: str, sealed: str) -> str:
    """The room's id decrypted from `seal`."""
    data = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
    return PREFIX + _xor(data, _mac(token, "room", code)).decode(errors="replace")


def sealed_code(room: str, code: str) -> str:
    """The code, encrypted with the room's id."""
    return _text(_xor(code.encode(), _mac(room, "code", "")))


def unsealed_code(room: str, sealed: str) -> str:
    """The code decrypted from `sealed_code`."""
    data = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
    return _xor(data, _mac(room, "code", "")).decode(errors="replace")


def same(one: str, other: str) -> bool:
    """Whether two hashes are equal, compared in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def _mac(key: str, purpose: str, text: str) -> bytes:
    return hmac.digest(key.encode(), f"hloscope {purpose}:{text}".encode(), "sha256")


def _xor(data: bytes, pad: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(data, pad, strict=False))


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
