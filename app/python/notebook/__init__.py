"""The debugger in a notebook cell: the page, served by the kernel that has the recording."""

from .cell_content import HEIGHT, CellContent
from .view import shown_view

__all__ = ["HEIGHT", "CellContent", "shown_view"]
