"""The user's own source, where a program names it and this server may read it."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Query, Request

from ..source_files import SourceFiles
from ..wire.program import SourceText

router = APIRouter()


@router.get("/source")
def source(request: Request, file: Annotated[str, Query(max_length=4_096)]) -> SourceText:
    """The lines of a Python file that locations of a program name, or the reason why they are not shown."""
    return cast(SourceFiles, request.app.state.source_files).read(file)
