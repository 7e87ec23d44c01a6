"""The tools. Each is a method whose signature and docstring an agent reads; the answers are those of commands and pages."""

import json
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from annotated_types import Ge, Le, MaxLen

from ..answers.expressions import EvaluateQuestion
from ..answers.lines import (
    FindingLinesQuestion,
    Line,
    MapLinesQuestion,
    PairLinesQuestion,
    StepLinesQuestion,
    StepQuestion,
    ValueQuestion,
)
from ..answers.provenance import ProvenanceQuestion
from ..answers.question import VALUES
from ..base.errors import ApiError, as_sentence, not_found
from ..present.element_sets import set_text
from ..reference import near_op, op_page
from ..store import Position
from ..store.dumps import no_wishes
from ..wire.provenance import Provenance
from .answers import text_of
from .desk import Desk
from .dumps import examined, stage_lines
from .programs import DUMP, Opened, Sources, check_owner, found, open_program, settled, summary
from .reductions import reduce_run

Id = Annotated[str, MaxLen(200)]
Short = Annotated[str, MaxLen(400)]
Number = Annotated[int, Ge(0), Le(2**53)]
Limit = Annotated[int, Ge(1), Le(40)]
Index = Annotated[list[Annotated[int, Ge(0), Le(2**53)]], MaxLen(64)]
Inputs = Annotated[list[Annotated[str, MaxLen(100_000)]], MaxLen(1_000)]
MOST_DIAGNOSTICS = 10
PATIENCE = 20.0
"""Seconds for which a tool repeats a request that is answered in parts."""
ENGINES = ("xla", "cpu", "gpu", "tpu", "device")
Picture = Callable[[bytes], Any]
"""An image as the client takes it, from a PNG."""


class Tools:
    """The tools of a desk."""

    def __init__(self, desk: Desk, picture: Picture) -> None:
        self._desk, self._picture = desk, picture

    @property
    def all(self) -> tuple[Callable[..., Any], ...]:
        """The tools, in the order in which an agent reads them."""
        return (
            self.diagnose, self.open, self.outline, self.step, self.value, self.findings, self.provenance, self.maps,
            self.expression, self.compare, self.passes, self.reduce, self.op_help, self.link,
        )  # fmt: skip

    async def open(
        self, text: str = "", path: Short = "", jax: str = "", name: Short = "program.mlir",
        inputs: Inputs | None = None, entry: Short = "", beside: Id = "",
    ) -> str:  # fmt: skip
        """Run a StableHLO or HLO program and return its id, which the other tools take.

        Give one of: text, the program; path, a file of any format, or the folder that XLA dumped to (local server only);
        jax, Python that defines a function f and a tuple inputs (local server only).
        inputs: one text for each argument: a literal such as [[1, 2], [3, NaN]], or zeros, ones, iota, uniform, normal,
        normal:SEED*SCALE; or one .npz file (local server only); others are made up (normal). For an op that calls code outside
        of the program, one more: its result, or skip. beside: an id, to compare with: the program becomes another run of
        its session, on the same inputs unless inputs are given; without text it is the same program.
        """
        opened = await open_program(self._desk, Sources(text, path, jax), name, inputs or (), entry, beside)
        return await self._dump(opened) if isinstance(opened, str) else text_of(self._about(opened))

    async def diagnose(
        self,
        id: Id = "",
        text: str = "",
        path: Short = "",
        jax: str = "",
        inputs: Inputs | None = None,
        entry: Short = "",
    ) -> str:
        """Start here: check and run a program, list its errors or harmful findings, and name the next call to make.

        Takes an id, or what open takes.
        """
        if id:
            opened: Opened | str = await settled(self._desk, id)
        else:
            opened = await open_program(
                self._desk, Sources(text, path, jax), "program.mlir", inputs or (), entry, ""
            )
        if isinstance(opened, str):
            return await self._dump(opened)
        lines = list(self._about(opened))
        if opened.run is None:
            return text_of(
                [*lines, {"next": "Mend the first error and call diagnose again; op_help explains an op."}]
            )
        listed = await self._ask(opened, FindingLinesQuestion(limit=5))
        lines += listed["lines"]
        return text_of([*lines, _summed(listed), {"next": _next(opened, listed)}])

    async def outline(
        self, id: Id, start: Number = 0, limit: Limit = 20, find: Short = "", inside: Number | None = None,
        iteration: Number = 0, process: Number = 0,
    ) -> str:  # fmt: skip
        """The steps of a run in order, one a line: op, line of the text, results with type and range.

        A loop, call or branch is one step; inside=STEP lists the steps of its iteration. find lists all steps of an op
        (dot_general), a value (%5), a line (line 7, train.py:12) or a scope.
        """
        opened = await found(self._desk, id)
        question = StepLinesQuestion(start, limit, find, inside, iteration, process)
        listed = await self._ask(opened, question)
        if not listed["lines"]:
            asked = f"No step matches '{find}'." if find else "No steps here."
            return text_of([{"steps": listed["total"], "note": asked}])
        after = listed["next"]
        more = f"{listed['total'] - after:,} more steps: start={after}" if after is not None else ""
        return text_of(listed["lines"], more)

    async def step(self, id: Id, step: Number, process: Number = 0) -> str:
        """One step: its text, source line, operands and results with addresses, and the findings about it."""
        opened = await found(self._desk, id)
        line = await self._ask(opened, StepQuestion(step, process))
        line.pop("path")
        return text_of([line])

    async def value(
        self,
        id: Id,
        value: Short,
        slice: Short = "",
        worst: Annotated[int, Ge(0), Le(16)] = 0,
        picture: bool = False,
    ) -> Any:
        """A value by name (%5, %5#1, @f:%5; the last one computed) or address (0.s12.0): type, statistics, elements.

        slice: as NumPy's, such as 0:4, 3 (at most 64 elements). worst: that many elements, NaN and infinities first, then
        the largest magnitudes. picture: a heat map too.
        """
        opened = await found(self._desk, id)
        line = await self._ask(opened, ValueQuestion(value, slice, worst, picture))
        png = line.pop("picture", None)
        return self._drawn(text_of([line]), png)

    async def findings(self, id: Id, start: Number = 0, limit: Limit = 10) -> str:
        """What went wrong in a run: where NaN and infinities were born, overflow, indices out of bounds, lost precision.

        Harmful findings first. address and index name the element at fault: give them to provenance.
        """
        opened = await settled(self._desk, id)
        listed = await self._ask(opened, FindingLinesQuestion(start, limit))
        after = listed["next"]
        more = f"{listed['total'] - after:,} more: start={after}" if after is not None else ""
        return text_of([*listed["lines"], _summed(listed)], more)

    async def provenance(
        self, id: Id, value: Short, index: Index | None = None, reach: Literal["step", "all"] = "all",
        forward: bool = False, only_nonfinite: bool = False,
    ) -> str:  # fmt: skip
        """Which elements an element was computed from, back to the inputs; with forward, what was computed from it.

        index: the element, such as [0, 3]; without it, all elements. reach=step goes back one op, and gives the formula.
        only_nonfinite follows NaN and infinities alone: the last line is where they come from.
        """
        opened = await found(self._desk, id)
        address = (await self._ask(opened, ValueQuestion(value, worst=1)))["address"]
        elements = "@" + ",".join(map(str, index)) if index else ""
        walk: Provenance | None = None
        end, more = time.monotonic() + PATIENCE, 0
        while walk is None or (
            walk["reason"] and more < 10_000 and time.monotonic() < end and reach == "all"
        ):
            question = ProvenanceQuestion(
                address, elements, "forward" if forward else "back", reach, more=more,
                only="not_finite" if only_nonfinite else "",
            )  # fmt: skip
            walk, more = await self._ask(opened, question), more + 1
        return text_of(_walk_lines(walk), "" if walk["complete"] or reach == "step" else walk["reason"] or "")

    async def maps(
        self, id: Id, value: Short,
        direction: Literal["output-to-input", "input-to-output", "both"] = "output-to-input", compose: bool = False,
        picture: bool = False,
    ) -> Any:  # fmt: skip
        """Which elements the op of a value reads, as XLA's indexing maps; compose: through all ops back to the arguments.

        picture: an operand too, each element in the colour of the first result element that reads it, white if none does.
        """
        opened = await found(self._desk, id)
        listed = await self._ask(opened, MapLinesQuestion(value, direction, compose, picture=picture))
        if not listed["lines"]:
            return text_of([{"note": f"The op of {value} reads no elements of other values."}])
        left = listed["total"] - len(listed["lines"])
        text = text_of(listed["lines"], f"{left:,} more: `hloscope maps` prints all" if left else "")
        return self._drawn(text, listed.get("picture"))

    async def expression(
        self, id: Id, expressions: Annotated[list[Annotated[str, MaxLen(1_000)]], MaxLen(16)],
        step: Number | None = None, process: Number = 0,
    ) -> str:  # fmt: skip
        """Compute with the values of a run, such as max(abs(%5 - %7)) or %5[0, 3]: before a step, or at the end.

        Functions: abs, all, any, argmax, argmin, first, isinf, isnan, max, mean, min, norm, shape, std, sum and others.
        """
        opened = await found(self._desk, id)
        if opened.run is not None and step is None:
            step = opened.run["steps"] if _processes(opened) == 1 else 0
        results = await self._ask(opened, EvaluateQuestion(list(expressions) or [""], process, step))
        return text_of(_expression_lines(expressions, results))

    async def compare(
        self, id: Id, other: Id, relative: Annotated[float, Ge(0), Le(1e300)] | None = None,
        absolute: Annotated[float, Ge(0), Le(1e300)] | None = None, start: Number = 0, limit: Limit = 5,
    ) -> str:  # fmt: skip
        """Compare two runs value by value: the verdict and the first divergence, then the pairs that differ.

        other: the id that open(beside=id) returned, or xla, which runs the program too. Differences within rounding do not
        count; relative and absolute state a tolerance instead.
        """
        opened = await found(self._desk, id)
        told: list[Line] = []
        if other in ENGINES:
            key, message = await self._values_of(opened, other)
            told = [{"engine": other, "sentence": message}]
        else:
            second = await found(self._desk, other)
            if second.session != opened.session:
                raise ApiError(
                    422, "request", "These programs were opened apart.",
                    hint=f"Open one of them again with beside='{id}', and compare with the id that it returns.",
                )  # fmt: skip
            key = second.key
        question, end = PairLinesQuestion(key, absolute, relative, start, limit), time.monotonic() + PATIENCE
        listed = await self._ask(opened, question)
        while not listed["done"] and time.monotonic() < end:
            listed = await self._ask(opened, question)
        after = listed["next"]
        more = f"{listed['total'] - after:,} more pairs differ: start={after}" if after is not None else ""
        more = more if listed["done"] else "Not all values are compared yet: call compare again."
        pairs = [line for line in listed["lines"] if line != listed["verdict"]["first"]]
        return text_of([*told, listed["verdict"], *pairs], more)

    async def passes(self, id: Id, module: Number = 0, stage: Number | None = None, limit: Limit = 15) -> str:
        """Find the pass of XLA that changed values, in a dump that open(path=FOLDER) read: each stage is run and compared.

        With stage, the number of a stage in the list, open the texts before and after its pass as two runs to compare.
        """
        if not id.startswith(DUMP):
            hint = "open with the path of a folder that XLA dumped to returns one: it begins with dump-."
            raise ApiError(422, "request", f"'{id[:60]}' is not the id of a dump.", hint=hint)
        dump = id.removeprefix(DUMP)
        if stage is not None:
            pair = await self._desk.dumps.step_through(dump, module, stage)
            if pair["problem"]:
                raise ApiError(422, "passes", pair["problem"])
            ids = {"before": f"{pair['id']}.1", "after": f"{pair['id']}.2"}
            return text_of([{**ids, "next": f"compare(id='{ids['before']}', other='{ids['after']}')"}])
        info = await examined(self._desk, dump, no_wishes())
        return text_of(*stage_lines(info, limit))

    async def reduce(
        self, id: Id, check: Literal["nan", "differs from xla", "crashes xla", "a pass changes values"] = "nan",
        seconds: Annotated[float, Ge(1), Le(50)] = 20,
    ) -> str:  # fmt: skip
        """Shrink a program while a fault stays: a NaN arises, XLA computes other values, XLA crashes, a pass changes values.

        The answer has the small program, which diagnose and open take.
        """
        opened = await settled(self._desk, id)
        return text_of([await reduce_run(self._desk, opened, check, seconds)])

    async def op_help(self, name: Short) -> str:
        """What an op does: operands, attributes, constraints of the specification, an example. dot_general, hlo.fusion, …"""
        page = op_page(name)
        if page is None:
            error = not_found("op")
            error.message, error.hint = (
                f"There is no op '{name[:60]}'.",
                as_sentence(near_op(name) or "write its name as programs do: stablehlo.gather"),
            )
            raise error
        about = {part: page[part] for part in ("name", "signature", "sentence", "paragraphs", "hlo_note")}
        example, meanings = page["example"], {each["name"]: each["sentence"] for each in page["sentences"]}
        return text_of(
            [
                about,
                *(
                    {"input": each["name"], "type": each["type"], "meaning": meanings.get(each["name"])}
                    for each in page["inputs"]
                ),
                *({"result": each["name"], "type": each["type"]} for each in page["results"]),
                *({"constraint": each["label"], "text": each["text"]} for each in page["constraints"]),
                *([{"example": example["text"]}] if example else []),
            ],
        )

    async def link(self, id: Id, step: Number | None = None) -> str:
        """The address at which a person opens this run in a browser, at a step."""
        if id.startswith(DUMP):
            await self._desk.dumps.name(id.removeprefix(DUMP))
            return text_of([{"url": await self._desk.page(f"/passes/{quote(id.removeprefix(DUMP))}")}])
        opened = await found(self._desk, id)
        if opened.run is not None and step is not None:
            check_owner(opened.session)
            path = (await self._ask(opened, StepQuestion(step)))["path"]
            await self._desk.sessions.move(opened.session, Position(opened.run["number"], step, path))
        return text_of([{"url": await self._desk.page(f"/s/{quote(opened.session)}"), "step": step}])

    # Resources.

    async def program(self, id: str) -> str:
        """The text of a program."""
        opened = await found(self._desk, id)
        return (opened.run or opened.info)["text"]

    async def recording(self, id: str) -> str:
        """What a run is, and its first steps."""
        opened = await found(self._desk, id)
        lines = list(self._about(opened))
        if opened.run is not None:
            lines += (await self._ask(opened, StepLinesQuestion()))["lines"]
        return text_of(lines, "The tool outline lists more.")

    # Parts.

    async def _ask(self, opened: Opened, question: Any) -> Any:
        """The answer about a run, which is JSON."""
        return json.loads(bytes((await self._desk.sessions.recordings.ask(opened.key, question)).body))

    def _drawn(self, text: str, png: str | None) -> Any:
        """A text, with a picture if there is one."""
        return text if png is None else [text, self._picture(b64decode(png))]

    def _about(self, opened: Opened) -> Iterator[Line]:
        yield summary(opened)
        diagnostics = opened.info["diagnostics"]
        for each in diagnostics[:MOST_DIAGNOSTICS]:
            told = {part: each[part] for part in ("line", "column", "severity", "op", "message", "hint")}
            yield {"diagnostic": told}
        if (left := len(diagnostics) - MOST_DIAGNOSTICS) > 0:
            yield {"left_out": f"{left:,} more errors and warnings: mend these first"}
        run = opened.run
        if run is not None and (stopped := run["state"]["diagnostic"]) is not None:
            yield {"stopped": {part: stopped[part] for part in ("line", "op", "message", "hint")}}

    async def _dump(self, id: str) -> str:
        info = await self._desk.dumps.info(id.removeprefix(DUMP))
        modules = [
            {"module": number, "name": each["key"], "stages": len(each["stages"])}
            for number, each in enumerate(info["modules"])
        ]
        return text_of([{"id": id, "name": info["name"]}, {"next": f"passes(id='{id}')"}, *modules])

    async def _values_of(self, opened: Opened, engine: str) -> tuple[str, str]:
        """The file of an engine's values of the run, and its verdict."""
        assert opened.run is not None
        engines = self._desk.engines
        job = await engines.start(opened.session, opened.run["number"], engine)
        try:
            job = await engines.finished(opened.session, job["id"])
        except BaseException:
            engines.cancel(opened.session, job["id"])
            raise
        if job["file"] is None:
            raise ApiError(422, "engine", job["message"], hint=job["hint"] or None)
        return VALUES + job["file"], job["message"]


def _processes(opened: Opened) -> int:
    assert opened.run is not None
    return opened.run["grid"]["replicas"] * opened.run["grid"]["partitions"]


def _summed(listed: Line) -> Line:
    """How many findings there are, and what was not followed."""
    return {"findings": listed["total"], "harmful": listed["harmful"], "rest": listed["rest"] or None}


def _next(opened: Opened, listed: Line) -> str:
    """The next call that findings suggest."""
    first = listed["lines"][0] if listed["harmful"] else None
    if first is not None:
        place = f"id='{opened.id}', value='{first['address']}', index={first['index']}"
        if ".f0." not in first["address"]:
            return f"provenance({place}, reach='step') shows what the element was computed from"
        if "step" in first:  # an op is at fault with an element that nothing computed
            return f"step(id='{opened.id}', step={first['step']}) shows the op and its operands"
        return f"provenance({place}, forward=True) shows what was computed from this input"
    if opened.run is not None and opened.run["state"]["kind"] == "failed" and _processes(opened) == 1:
        return f"step(id='{opened.id}', step={max(0, opened.run['steps'] - 1)}) shows the last step"
    return (
        "Nothing harmful on these inputs: try others (open with beside), compare with another program or with xla, or read "
        "outline and check values that you know"
    )


def _walk_lines(walk: Provenance) -> Iterator[Line]:
    yield {
        "of": walk["address"],
        "elements": set_text(walk["elements"]),
        "values": walk["values"],
        "formula": walk["formula"]["text"] if walk["formula"] else None,
        "numbers": walk["formula"]["numbers"] if walk["formula"] else None,
    }
    ends = {*walk["inputs"], *walk["ends"]}
    nodes = walk["nodes"][1:]
    near, far = nodes[:20], [node for node in nodes[20:] if node["id"] in ends]
    for node in (*near, *far):
        yield {
            "name": node["name"],
            "address": node["address"],
            "op": node["opName"],
            "step": node["step"],
            "elements": set_text(node["elements"]),
            "end": node["end"],
            "reason": node["reason"],
        }
    if (hidden := len(nodes) - len(near) - len(far)) > 0:
        yield {"between": f"{hidden:,} values between the first and the ends are left out"}


def _expression_lines(texts: Sequence[str], results: Sequence[Any]) -> Iterator[Line]:
    for text, result in zip(texts, results, strict=False):
        if result is None:
            yield {"expression": text, "note": "not computed for lack of time: ask for it alone"}
            continue
        tensor, fault = result["tensor"], result["fault"]
        yield {
            "expression": text,
            "kind": result["kind"],
            "text": result["text"],
            "elements": tensor["elements"]
            if tensor and tensor["elements"] and len(tensor["elements"]) <= 64
            else None,
            "hint": fault["hint"] if fault else None,
        }
