"""Lessons: Markdown files with steps at positions of recordings, questions and exercises.

`format` parses a text, `resolve` evaluates positions, answers and values in the recordings of its programs,
`check` reports errors of a lesson, `changes` judges exercises, `shipped` finds the available lessons. The
server's side is `app/classroom/lesson_sessions.py`. docs/lessons.md has the format.
"""

from .changes import check_change
from .check import Report, check_files
from .format import LessonErrors
from .resolve import Resolved, resolve
from .runs import Bounds
from .shipped import Shelf, shipped_files
from .sources import parse_source, read_source
from .tree import LessonError

__all__ = [
    "Bounds",
    "LessonError",
    "LessonErrors",
    "Report",
    "Resolved",
    "Shelf",
    "check_change",
    "check_files",
    "parse_source",
    "read_source",
    "resolve",
    "shipped_files",
]
