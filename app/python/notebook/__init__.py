"""The debugger in a cell of a notebook: the page of a file, answered by the kernel that has the recording."""

from .shown import HEIGHT, Shown
from .view import shown_view

__all__ = ["HEIGHT", "Shown", "shown_view"]
