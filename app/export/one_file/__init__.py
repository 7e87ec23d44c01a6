"""A recording as one file: a page that opens from the disk, offline, with all that one needs to step through it.

The page holds the answers that the server would give, by the same paths: `collecting` asks the questions, `table` keeps the
answers, `page` writes them into a page, and `reading` finds the program in such a page again.
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
