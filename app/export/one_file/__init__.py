"""A recording as one page that opens offline from the disk, to step through it.

The page holds the server's responses, by the same paths: `collecting` makes the requests, `table` keeps the
responses, `page` writes them into a page, and `reading` finds the program in such a page again.
"""

from .collecting import collect
from .lesson_page import lesson_page
from .page import PageError
from .reading import HEAD_BYTES, NotAPage, OpenedPage, is_page, read_page
from .table import DEFAULT_BUDGET, Table
from .writing import assemble, extent_of, write_page

__all__ = [
    "DEFAULT_BUDGET",
    "HEAD_BYTES",
    "NotAPage",
    "OpenedPage",
    "PageError",
    "Table",
    "assemble",
    "collect",
    "extent_of",
    "is_page",
    "lesson_page",
    "read_page",
    "write_page",
]
