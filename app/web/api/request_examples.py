"""Example requests for all routes, in an order that works on a new server.

The API's page shows them, and a test sends them. `{session}`, `{key}`, `{dump}`, `{file}`, `{job}`, `{room}` and
`{code}` in a path come from the last example that created a session, run, dump, file, comparison or room.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...answers import questions
from ...answers.question import ExampleProgram
from ...base.keys import text_hash
from .question_routes import example_fields

SLICE_AND_MULTIPLY = (
    "func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x2xf32>, %i: tensor<i32>) -> tensor<2x2xf32> { "
    "%zero = stablehlo.constant dense<0> : tensor<i32> "
    "%0 = stablehlo.dynamic_slice %b, %i, %zero, sizes = [3, 2] : "
    "(tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32> "
    "%1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : "
    "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32> "
    "return %1 : tensor<2x2xf32> }"
)
"""Ops: 0 the constant, 1 the slice, 2 the product, which is step 2 of a run."""

SUM_OF_PARTS = """\
HloModule sum_of_parts, num_partitions=2

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (part: f32[2]) -> f32[2] {
  %part = f32[2] parameter(0), sharding={devices=[2]<=[2]}
  ROOT %total = f32[2] all-reduce(%part), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add
}
"""
"""Two processes add up their parts of a vector of four elements."""

FROM_A_QUEUE = (
    "func.func @main() -> tensor<2xi32> { "
    "%t = stablehlo.create_token : !stablehlo.token "
    '%0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token) '
    "return %0#0 : tensor<2xi32> }"
)

ONE_STEP = (
    "func.func @main() -> tensor<3xi32> { "
    "%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32> return %0 : tensor<3xi32> }"
)


OWNER_HEADER = "X-Room-Owner"
SHELL_CODE = "'\"$CODE\"'"
"""A shell variable between two quoted strings."""


@dataclass(frozen=True)
class RequestExample:
    """An example request: method and route, parameters, and a JSON body or a file name."""

    route: str
    path: Mapping[str, int | str] = field(default_factory=dict)
    query: Mapping[str, int | str] = field(default_factory=dict)
    body: Any = None
    file: str = ""
    by_owner: bool = False
    """Whether the request has the secret of a room's teacher."""

    @property
    def method(self) -> str:
        """`GET`, `POST` or `PUT`."""
        return self.route.partition(" ")[0]

    @property
    def address(self) -> str:
        """The path and query, with placeholders such as `{session}`."""
        address = self.route.partition(" ")[2]
        for name, value in self.path.items():
            address = address.replace(f"{{{name}}}", str(value))
        return address + "?" * bool(self.query) + "&".join(f"{n}={v}" for n, v in self.query.items())

    def curl(self) -> str:
        """The request as a shell command, with variables that the page explains."""
        options = {"GET": "", "POST": "", "PUT": "-X PUT ", "DELETE": "-X DELETE "}[self.method]
        if self.method != "GET":
            options += '-H "Origin: $BASE" '
        if self.by_owner:
            options += f'-H "{OWNER_HEADER}: $OWNER" '
        if self.body is not None:
            text = shlex.quote(json.dumps(self.body, ensure_ascii=False))
            options += "--json " + text.replace("{code}", SHELL_CODE) + " "
        if self.file:
            options += f"-F file=@{self.file} "
        path = self.address.format(
            session="$SESSION", key="$KEY", dump="$DUMP", file="$FILE", job="$JOB", room="$ROOM"
        )
        return f'curl -b "$COOKIE" {options}"$BASE{path}"'

    def python(self) -> str:
        """The request as a line of Python that uses the page's function `call`."""
        path = f"{'f' * ('{' in self.address)}{json.dumps(self.address)}"
        if self.file:
            return f'call("{self.method}", {path}, file="{self.file}")'
        body = "" if self.body is None else f", {self.body!r}".replace("'{code}'", "code")
        headers = f', headers={{"{OWNER_HEADER}": owner}}' if self.by_owner else ""
        return f'call("{self.method}", {path}{body}{headers})'


PYTHON_CALL = """\
import json, urllib.request

def call(method, path, body=None, file=None, headers={}):
    headers = {"Cookie": COOKIE, "Origin": BASE, "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    if file:
        headers["Content-Type"] = "multipart/form-data; boundary=part"
        start = f'--part\\r\\nContent-Disposition: form-data; name="file"; filename="{file}"\\r\\n\\r\\n'
        with open(file, "rb") as content:
            data = start.encode() + content.read() + b"\\r\\n--part--\\r\\n"
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        content = answer.read()
    return json.loads(content) if answer.headers.get_content_type() == "application/json" else content
"""
"""The function `call` of the Python examples; it needs `BASE` and `COOKIE`."""


def _about(program: ExampleProgram) -> Iterator[RequestExample]:
    """The examples declared by the questions about the recording of a program."""
    for question in questions():
        if question.example_program == program:
            for values in question.examples:
                path, query = example_fields(question, values)
                yield RequestExample(f"GET /api/recordings/{{key}}{question.path}", path, query)


def _of_dump(
    method: str, path: str = "", values: Mapping[str, int | str] | None = None, *,
    body: Any = None, file: str = "", **query: int | str,
) -> RequestExample:  # fmt: skip
    return RequestExample(f"{method} /api/dumps/{{dump}}{path}", values or {}, query, body, file)


def _dense(text: str) -> dict[str, str]:
    return {"kind": "dense", "text": text}


_LESSON, _EXERCISE = "reading-a-program", "delivery"
_STAGE = {"module": 0, "stage": 1}
_INPUTS = [_dense("[[1, 2, 3], [4, 5, 6]]"), {"kind": "iota"}, _dense("1")]

EXAMPLES: tuple[RequestExample, ...] = (
    RequestExample("POST /api/check", body={"text": SLICE_AND_MULTIPLY, "name": "product.mlir"}),
    RequestExample("POST /api/try", body={"text": ONE_STEP}),
    RequestExample("GET /api/ops"),
    RequestExample("GET /api/ops/{name}", {"name": "stablehlo.dot_general"}),
    RequestExample("GET /api/examples"),
    RequestExample("GET /api/examples/{name}", {"name": "mlp"}),
    RequestExample("POST /api/sessions", body={"text": SLICE_AND_MULTIPLY, "inputs": _INPUTS}),
    RequestExample("GET /api/sessions/{session}"),
    RequestExample("GET /api/sessions/{session}/ops"),
    RequestExample("GET /api/sessions/{session}/ops/{name}", {"name": "stablehlo.multiply"}),
    RequestExample("GET /api/sessions/{session}/runs/{number}", {"number": 1}),
    RequestExample("GET /api/sessions/{session}/texts/{hash}", {"hash": text_hash(SLICE_AND_MULTIPLY)}),
    RequestExample("PUT /api/sessions/{session}/draft", body={"text": SLICE_AND_MULTIPLY}),
    RequestExample(
        "PUT /api/sessions/{session}/position",
        body={"run": 1, "step": 2, "path": [[2, 0]], "breakpoints": [1]},
    ),
    RequestExample("PUT /api/sessions/{session}/name", body={"name": "slice, then multiply"}),
    RequestExample("POST /api/sessions/{session}/links"),
    RequestExample("GET /api/sessions/{session}/links"),
    RequestExample("DELETE /api/sessions/{session}/links"),
    RequestExample("POST /api/sessions/from-file", file="double.mlir.gz"),
    RequestExample("POST /api/sessions/titles", body={"sessions": ["an-id-that-was-never-given"]}),
    RequestExample("POST /api/sessions/{session}/files", file="a.npy"),
    RequestExample("GET /api/recordings/{key}/values/{address}.npy", {"address": "0.s2.0"}),
    *_about("product"),
    RequestExample("GET /api/sessions/{session}/runs/{number}/page", {"number": 1}),
    RequestExample("POST /api/pages", file="run.html"),
    RequestExample("POST /api/sessions/{session}/files", file="values.npz"),
    *_about("values"),
    RequestExample("POST /api/sessions/{session}/check", body={"text": ONE_STEP}),
    RequestExample(
        "POST /api/sessions/{session}/runs/{number}/engines", {"number": 1}, body={"against": "xla"}
    ),
    RequestExample("GET /api/engines"),
    RequestExample("GET /api/sessions/{session}/engines/{job}"),
    RequestExample("DELETE /api/sessions/{session}/engines/{job}"),
    RequestExample("POST /api/sessions", body={"text": SUM_OF_PARTS, "name": "sum.hlo"}),
    RequestExample("GET /api/sessions/{session}"),
    *_about("parts"),
    RequestExample("POST /api/sessions", body={"text": FROM_A_QUEUE}),
    RequestExample("GET /api/sessions/{session}"),
    *_about("queue"),
    RequestExample(
        "POST /api/sessions/{session}/runs/{number}/feed",
        {"number": 1},
        body={"queue": "infeed", "items": [[_dense("[1, 2]")]]},
    ),
    RequestExample("POST /api/sessions/{session}/runs", body={"text": SLICE_AND_MULTIPLY, "inputs": _INPUTS}),
    RequestExample("POST /api/dumps", file="dump.zip"),
    _of_dump("GET"),
    _of_dump("POST", "/examination", body={"seed": 1}),
    _of_dump("GET", "/examination", seen=0),
    _of_dump("GET", "/modules/{module}/stages/{stage}/difference", _STAGE, limit=100),
    _of_dump("POST", "/modules/{module}/stages/{stage}/session", _STAGE),
    _of_dump("GET", "/memory", other="{dump}"),
    _of_dump("GET", "/files/{file}", {"file": 0}, limit=100),
    _of_dump("GET", "/files/{file}/content", {"file": 0}),
    _of_dump("POST", "/inputs", file="a.npy"),
    _of_dump("PUT", "/name", body={"name": "the layer that was wrong"}),
    RequestExample("POST /api/dumps/titles", body={"dumps": ["an-id-that-was-never-given"]}),
    _of_dump("DELETE", "/examination"),
    _of_dump("DELETE"),
    RequestExample("GET /api/source", query={"file": "train.py"}),
    RequestExample("GET /api/lessons"),
    RequestExample("GET /api/lessons/{name}", {"name": _LESSON}),
    RequestExample("GET /api/lessons/{name}/revision", {"name": _LESSON}),
    RequestExample(
        "POST /api/lessons/{name}/changes/{step}",
        {"name": _LESSON, "step": _EXERCISE},
        body={"text": ONE_STEP},
    ),
    RequestExample(
        "POST /api/lessons/{name}/result",
        {"name": _LESSON},
        body={"student": "Ana", "answers": {"first.1": "3"}},
    ),
    RequestExample("GET /api/playground"),
    RequestExample("GET /api/playground/{op}", {"op": "stablehlo.slice"}),
    RequestExample(
        "POST /api/playground",
        body={
            "op": "stablehlo.slice",
            "operands": {
                "operand": [{"shape": [6], "type": "f32", "values": ["0", "1", "2", "3", "4", "5"]}]
            },
            "fields": {"start_indices": [1], "limit_indices": [5], "strides": [2]},
        },
    ),
    RequestExample("POST /api/rooms", body={"lesson": "gather-from-zero", "records": "anonymous"}),
    RequestExample("GET /api/rooms/{room}"),
    RequestExample("GET /api/rooms/{room}/qr.svg"),
    RequestExample("POST /api/rooms/join", body={"code": "{code}"}),
    RequestExample("POST /api/rooms/{room}/copies", body={"run": 1}, by_owner=True),
    RequestExample(
        "POST /api/rooms/{room}/changes/{step}", {"step": "columns"}, body={"text": ONE_STEP}, by_owner=True
    ),
    RequestExample("GET /api/rooms/{room}/records.csv", by_owner=True),
    RequestExample("GET /api/rooms/{room}/polls", by_owner=True),
    RequestExample("GET /api/rooms/{room}/polls.csv", by_owner=True),
    RequestExample("DELETE /api/rooms/{room}", by_owner=True),
    RequestExample("DELETE /api/sessions/{session}"),
)
