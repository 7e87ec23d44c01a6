"""The session in a saved recording, which is untrusted: its text, and its inputs and values by their names in the file.

Their arrays stay in the file, which the session keeps as an uploaded one: a worker reads them.
"""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from hloscope.engine.errors import LimitError, ProgramError

from ..base.errors import as_sentence
from ..runs.saved_runs import damaged_if_it_lacks, read_texts
from ..wire.sessions import InputSpec, ValueSpec
from .one_file.reading import FREE_BYTES, NotAPage, OpenedPage, checked_session

RECORDING = "recording"
"""The file itself, in the specifications of its inputs."""
ZIP = b"PK\x03\x04"
_OF_CODE = ("feeds", "bindings", "answers")
_FACTS = ("computed_by", "unmodified", "notes")


def read_recording(path: Path, most_bytes: int) -> OpenedPage:
    """The session in a file that `save_recording` wrote; its texts have at most `most_bytes`. Raises `NotAPage`."""
    most = max(most_bytes, FREE_BYTES)
    try:
        text, about = read_texts(path, most)
        with damaged_if_it_lacks(path):
            session, device = _session(text, about)
    except LimitError:
        raise NotAPage(f"The texts in the recording are larger than {most:,} bytes.") from None
    except ProgramError as error:
        told = as_sentence(error.message.replace(path.name, "The file"))
        raise NotAPage(f"{told} {error.hint or ''}".rstrip()) from None
    return checked_session(session, {}, [], device)


def _session(text: str, about: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The session as in a page, and the facts about the device."""
    if any(about[part] for part in _OF_CODE):
        raise NotAPage(
            "The recording has values of code outside of the program: hloscope.load opens it in Python."
        )
    replicas, partitions = about["grid"]
    run = {
        "text": text, "entry": about["entry"], "grid": {"replicas": replicas, "partitions": partitions},
        "arguments": [{"input": _input(column)} for column in zip(*about["inputs"], strict=True)], "feeds": None,
    }  # fmt: skip
    name = PurePath(about["file"]).name[:200] or "program"
    session = {"name": name, "text": text, "breakpoints": [], "position": {"step": 0, "path": []}, "run": run}
    device = about.get("device")
    return session, device and {fact: device[fact] for fact in _FACTS}


def _input(column: tuple[Mapping[str, Any], ...]) -> InputSpec:
    """An input, by its arrays in all processes."""
    specs = [_spec(described) for described in column]
    return specs[0] if len(specs) == 1 else {"kind": "each", "specs": specs}


def _spec(described: Mapping[str, Any]) -> ValueSpec:
    if "tuple" in described:
        raise NotAPage("The recording has a tuple as an input: hloscope.load opens it in Python.")
    return {"kind": "file", "file": RECORDING, "array": described["array"]}
