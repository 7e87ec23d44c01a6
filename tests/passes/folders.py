"""Small dumps, written by the tests themselves under the names that XLA gives."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "formats"
HEADER = "HloModule jit_f, entry_computation_layout={(f32[4,4]{1,0}, f32[4]{0})->f32[4,4]{1,0}}\n\n"
TABLES = """FileNames
1 "f.py"

FunctionNames
1 "f"

FileLocations
1 {{file_name_id=1 function_name_id=1 line=3 end_line=3 column=0 end_column=9}}

StackFrames
{frame} {{file_location_id=1 parent_frame_id=1}}


"""
BODY = """ENTRY %main.1 (x.1: f32[4,4], b.1: f32[4]) -> f32[4,4] {{
  %x.1 = f32[4,4]{{1,0}} parameter(0), metadata={{op_name="x"}}
  %b.1 = f32[4]{{0}} parameter(1), metadata={{op_name="b"}}
  %broadcast.1 = f32[4,4]{{1,0}} broadcast(%b.1), dimensions={{1}}
  %multiply.7 = f32[4,4]{{1,0}} multiply(%x.1, %broadcast.1), metadata={{op_name="jit(f)/mul" stack_frame_id={frame}}}
  %{last} = f32[4,4]{{1,0}} {op}, metadata={{op_name="jit(f)/sub" stack_frame_id={frame}}}
  ROOT %tanh.1 = f32[4,4]{{1,0}} tanh(%{last}), metadata={{op_name="jit(f)/tanh" stack_frame_id={frame}}}
}}
"""
RIGHT, SWAPPED = "subtract(%multiply.7, %x.1)", "subtract(%x.1, %multiply.7)"


def text(op: str = RIGHT, last: str = "subtract.2", frame: int = 1) -> str:
    """A module of six instructions, one of which is as it is asked for."""
    return HEADER + TABLES.format(frame=frame) + BODY.format(op=op, last=last, frame=frame)


NAMES = (
    "before_optimizations",
    "0000.simplification.after_pipeline-start.before_algsimp",
    "0001.simplification.after_algsimp.before_dce",
    "0002.simplification.after_pipeline-start.before_algsimp",
    "0003.simplification.after_algsimp.before_dce",
    "cpu_after_optimizations",
)


def write_dump(folder: Path, texts: list[str], module: str = "module_0001.jit_f") -> Path:
    """A folder with these texts, one for each of `NAMES`; the last one goes for all that are left."""
    folder.mkdir(exist_ok=True)
    for number, name in enumerate(NAMES):
        (folder / f"{module}.{name}.txt").write_text(texts[min(number, len(texts) - 1)])
    return folder


def of_protocol_buffers(folder: Path) -> Path:
    """A pipeline of three stages with the same program, as protocol buffers without texts."""
    folder.mkdir(exist_ok=True)
    data = (DATA / "f.hlo_proto.pb").read_bytes()
    for name in (NAMES[0], NAMES[2], NAMES[-1]):
        (folder / f"module_0001.jit_f.{name}.hlo.pb").write_bytes(data)
    return folder


def healthy(folder: Path) -> Path:
    """A pipeline whose second run of algsimp says the same in another way."""
    other = text("subtract(%multiply.7, %x.1)", "subtract.5")
    return write_dump(folder, [text(), text(frame=2), text(frame=3), text(), other])


def broken(folder: Path) -> Path:
    """A pipeline whose second run of algsimp swaps the operands of the subtraction."""
    return write_dump(folder, [text(), text(), text(), text(), text(SWAPPED, "subtract.9")])


def zipped(folder: Path) -> bytes:
    """The folder as a zip archive, in a folder of its own."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, f"dump/{file.relative_to(folder).as_posix()}")
    return stream.getvalue()


SLOW = """HloModule slow

%body (i: s32[]) -> s32[] {{
  %i = s32[] parameter(0)
  %one = s32[] constant(1)
  ROOT %next = s32[] add(%i, %one)
}}

%condition (i: s32[]) -> pred[] {{
  %i.1 = s32[] parameter(0)
  %end = s32[] constant({end})
  ROOT %less = pred[] compare(%i.1, %end), direction=LT
}}

ENTRY %main (n: s32[]) -> s32[] {{
  %n = s32[] parameter(0)
  ROOT %w = s32[] while(%n), condition=%condition, body=%body
}}
"""


def slow() -> bytes:
    """An archive of texts that run until somebody stops them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(3):
            archive.writestr(f"{number}.hlo", SLOW.format(end=2_000_000_000 + number))
    return stream.getvalue()
