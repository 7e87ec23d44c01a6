"""A self-contained page: inert parts, including the code, and a script that unpacks it.

The page's Content-Security-Policy lists the executable code by hash: the small script, and the code that it
unpacks. Nothing is loaded or sent.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from html import escape

from ...base.assets import BUILT, folder, script_hash
from .table import deflate

LOADER, CODE, STYLE = "js/page_loader.js", "js/pages/file.js", "css/pages/file.css"
LICENCES = "licenses.txt"
NOTICE = "The code of this page: hloscope (Apache-2.0) and the following libraries, with their licenses."
FORMAT = 1
"""Version of the page format; a reader rejects newer ones."""
POLICY_NAME = "hloscope-page"
"""The page's only policy for creating scripts, shared with static/js/page_loader.js."""


class PageError(ValueError):
    """A page cannot be made; the message has the reason."""


def page_bytes(title: str, summary: str, parts: Mapping[str, bytes], script: str = "") -> bytes:
    """The page of these parts, each compressed by `table.deflate`; raises `PageError`.

    `summary` is the text for viewers without scripts; `script` runs before the page's code.
    """
    return "".join(_lines(title, summary, parts, script)).encode()


def _lines(title: str, summary: str, parts: Mapping[str, bytes], script: str) -> Iterator[str]:
    loader, code, style = (built_file(name) for name in (LOADER, CODE, STYLE))
    policy = _policy(loader, code, *([script] if script else []))
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="generator" content="hloscope page {FORMAT}">\n'
        f"<title>{escape(title)}</title>\n</head>\n"
        f'<body class="workbench">\n<div id="app"><p class="empty" role="status">{escape(summary)}</p></div>\n'
        "<noscript><p>This page steps through the program, and needs JavaScript for it.</p></noscript>\n"
    )
    for name, data in {"code": deflate(code.encode()), "style": deflate(style.encode()), **parts}.items():
        packed = b64encode(data).decode()
        yield f'<script type="application/octet-stream" data-part="{escape(name)}">{packed}</script>\n'
    # Plain, so that people can read it in the file.
    yield _licences()
    if script:
        yield f"<script>{script}</script>\n"
    # Last, because it reads all parts.
    yield f"<script>{loader}</script>\n</body>\n</html>\n"


def _licences() -> str:
    return f'<script type="text/plain" data-part="licenses">\n{NOTICE}\n\n{built_file(LICENCES)}</script>\n'


def _policy(*scripts: str) -> str:
    hashes = " ".join(f"'{script_hash(text)}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
        f"trusted-types {POLICY_NAME}"
    )


def built_file(name: str) -> str:
    """A bundled file, by the path of its source."""
    built = folder("static") / BUILT
    manifest = built / "manifest.json"
    files = json.loads(manifest.read_text("utf-8"))["files"] if manifest.is_file() else {}
    if name not in files:
        raise PageError("the code of pages is not bundled in static/built: `npm run bundle` makes it")
    return _without_map((built / files[name]).read_text("utf-8"))


def _without_map(text: str) -> str:
    """Remove the last line, which refers to the source map."""
    code, mark, _ = text.rstrip().rpartition("\n//# sourceMappingURL=")
    style, star, _ = text.rstrip().rpartition("\n/*# sourceMappingURL=")
    return f"{code}\n" if mark else f"{style}\n" if star else text


def static_bytes() -> int:
    """The bytes of a page's code and style: without its data and the licences of libraries."""
    return len(page_bytes("", "", {})) - len(_licences().encode())
