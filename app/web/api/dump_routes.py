"""Dumps of XLA's passes: contents, changes by each pass, and two stages as a session."""

from typing import Annotated, cast

from fastapi import Depends, Query, Request, Response
from starlette.requests import HTTPConnection

from ...passes.dumps.service import Dumps
from ...wire import dumps as wire
from ...wire.dump_questions import FileBytesQuestion, FilePartQuestion, StageDifferenceQuestion
from ...wire.requests import DumpTitlesRequest, ExaminationRequest, NameRequest
from ..routes import Routes
from .common import to_response
from .session_routes import FORM_WITH_FILE, name_of_upload, pieces_of_upload, uploaded_file
from .typed_route import AnswerResponse, TypedRoute

router = Routes("/api/dumps", TypedRoute)


async def _dumps(connection: HTTPConnection) -> Dumps:
    return cast(Dumps, connection.app.state.dumps)


DumpService = Annotated[Dumps, Depends(_dumps)]


@router.post("", status_code=201, openapi_extra=FORM_WITH_FILE)
async def create(request: Request, dumps: DumpService) -> wire.NewDump:
    """Create a dump from a zip or tar archive of the folder that XLA wrote."""
    async with uploaded_file(request) as file:
        identifier = await dumps.create(name_of_upload(file), pieces_of_upload(file))
    return {"id": identifier, "url": f"/passes/{identifier}"}


@router.post("/titles")
async def titles(request: DumpTitlesRequest, dumps: DumpService) -> list[wire.DumpTitle | None]:
    """Name and verdict of each dump; null for a deleted one. Does not open them."""
    return await dumps.titles(request.dumps)


@router.get("/{dump}")
async def info(dump: str, dumps: DumpService) -> wire.DumpInfo:
    """The dump's modules, stages and files, with the findings for each stage."""
    return await dumps.info(dump)


@router.put("/{dump}/name", status_code=204, response_class=Response)
async def rename(dump: str, request: NameRequest, dumps: DumpService) -> None:
    """Rename the dump."""
    await dumps.rename(dump, request.name)


@router.delete("/{dump}", status_code=204, response_class=Response)
async def delete(dump: str, dumps: DumpService) -> None:
    """Delete the dump and its findings permanently."""
    await dumps.delete(dump)


@router.post("/{dump}/inputs", openapi_extra=FORM_WITH_FILE)
async def add_inputs(dump: str, request: Request, dumps: DumpService) -> wire.KeptInputs:
    """Upload an `.npz` or `.npy` file as inputs for the stages of a module."""
    await dumps.name(dump)  # read no body for an unknown dump
    async with uploaded_file(request) as file:
        return await dumps.add_inputs(dump, name_of_upload(file), pieces_of_upload(file))


@router.post("/{dump}/examination")
async def examine(dump: str, request: ExaminationRequest, dumps: DumpService) -> wire.ExaminationProgress:
    """Compare all texts and run all stages; ends an examination in progress."""
    return await dumps.examine(dump, request.plain())


@router.get("/{dump}/examination")
async def examination(
    dump: str, dumps: DumpService, seen: Annotated[int, Query(ge=0, le=2**53)] = 0
) -> wire.ExaminationProgress:
    """Progress since version `seen`, once there is any or after some seconds."""
    return await dumps.progress(dump, seen)


@router.delete("/{dump}/examination")
async def stop_examining(dump: str, dumps: DumpService) -> wire.ExaminationProgress:
    """End the examination; its findings so far are kept."""
    return await dumps.stop_examining(dump)


@router.get("/{dump}/modules/{module}/stages/{stage}/difference")
async def difference(
    dump: str, module: int, stage: int, dumps: DumpService,
    start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=5_000)] = 1_000, folded: bool = True,
) -> AnswerResponse[wire.StageDifference]:  # fmt: skip
    """The line differences of a stage from the previous one; `folded` hides equal lines."""
    return to_response(await dumps.ask(dump, StageDifferenceQuestion(module, stage, start, limit, folded)))


@router.get("/{dump}/memory")
async def memory_difference(
    dump: str, dumps: DumpService, other: Annotated[str, Query(max_length=100)]
) -> AnswerResponse[list[wire.ModuleMemoryDifference]]:
    """What changed in memory and traffic from this dump to the `other`, by the last text of each module in both."""
    return to_response(await dumps.memory_difference(dump, other))


@router.post("/{dump}/modules/{module}/stages/{stage}/session", status_code=201)
async def step_through(dump: str, module: int, stage: int, dumps: DumpService) -> wire.SteppedPair:
    """Create a session with runs before and after a pass, on the examination's inputs."""
    return await dumps.step_through(dump, module, stage)


@router.get("/{dump}/files/{file}")
async def file_part(
    dump: str, file: int, dumps: DumpService,
    start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=5_000)] = 1_000,
) -> AnswerResponse[wire.FilePart]:  # fmt: skip
    """Lines of a text file, allocations of a buffer assignment, or the type of another file."""
    return to_response(await dumps.ask(dump, FilePartQuestion(file, start, limit)))


@router.get("/{dump}/files/{file}/content")
async def file_content(dump: str, file: int, dumps: DumpService) -> AnswerResponse[bytes]:
    """The whole file, uncompressed."""
    answer = to_response(await dumps.ask(dump, FileBytesQuestion(file)))
    answer.headers["Content-Disposition"] = "attachment"
    return answer
