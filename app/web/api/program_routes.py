"""Programs without a session: check a text, run a small one, list the examples; the reference of ops; and the playground."""

from ...base.errors import not_found
from ...reference import op_list, op_page
from ...reference.examples import example, example_pictures, examples
from ...reference.playground.forms import form_json, form_list
from ...wire.encoding import encoded
from ...wire.playground import FormFamily, FormState, OpForm, PlaygroundAnswer
from ...wire.program import CheckResult, QuickRun
from ...wire.reference import ListedOp, OpPage
from ...wire.requests import CheckRequest, PlaygroundRequest
from ...wire.sessions import ExampleText, ExampleTitle
from ..routes import Routes
from .common import Service, Turn
from .large import LargeTextRoute, json_response
from .typed_route import AnswerResponse

router = Routes("/api", LargeTextRoute)


@router.post("/check")
async def check(request: CheckRequest, sessions: Service) -> AnswerResponse[CheckResult]:
    """The diagnostics and entry functions of a program."""
    return await json_response(await sessions.check(request.text, request.name, request.entry))


@router.post("/try")
async def try_out(request: CheckRequest, sessions: Service) -> QuickRun:
    """Run a small program; returns its steps with the printed results."""
    return await sessions.quick_run(request.text, request.name)


@router.get("/examples")
async def list_examples() -> list[ExampleTitle]:
    """The examples of the gallery."""
    pictures = example_pictures()
    return [encoded(ExampleTitle, item, picture=pictures[item.name]) for item in examples()]


@router.get("/examples/{name}")
async def get_example(name: str) -> ExampleText:
    """An example with its text."""
    found = example(name)
    if found is None:
        raise not_found("example")
    return encoded(ExampleText, found)


op_router = Routes("/api")


@op_router.get("/ops")
async def list_ops() -> list[ListedOp]:
    """All ops: name, summary, family, HLO opcode and XLA's name."""
    return op_list()


@op_router.get("/ops/{name}")
async def get_op(name: str) -> OpPage:
    """The data of an op's page."""
    found = op_page(name)
    if found is None:
        raise not_found("op")
    return found


@op_router.get("/sessions/{session}/ops")
async def list_ops_beside(session: str, sessions: Service) -> list[ListedOp]:
    """All ops, for link holders and owners of room copies, who need no token."""
    await sessions.session(session)
    return await list_ops()


@op_router.get("/sessions/{session}/ops/{name}")
async def get_op_beside(session: str, name: str, sessions: Service) -> OpPage:
    """The data of an op's page, for link holders and owners of room copies."""
    await sessions.session(session)
    return await get_op(name)


playground_router = Routes("/api")


@playground_router.get("/playground")
async def list_playground() -> list[FormFamily]:
    """All StableHLO ops by family, with the reason if an op has no form."""
    return form_list()


@playground_router.get("/playground/{op}")
async def get_form(op: str) -> OpForm:
    """The form of an op: operands, fields, their default values, and examples."""
    found = form_json(op)
    if found is None:
        raise not_found("form of this op")
    return found


@playground_router.post("/playground")
async def play(request: PlaygroundRequest, sessions: Service, turn: Turn) -> PlaygroundAnswer:
    """Evaluate a form: its program, values and index maps, or its problems by field."""
    state: FormState = {"operands": request.operands, "fields": request.fields}
    derive = None if request.derive is None else request.derive.plain()
    return await sessions.playground(request.op, state, derive)
