"""Every setting of the server: a name, a default, a sentence. Defaults are those of local use.

`HLOSCOPE_<NAME>` in the environment and `--set name=value` change one; /-/settings shows them all.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self, cast, get_type_hints

from hloscope.engine.limits import GIBIBYTE, MEBIBYTE, Limits

from ..wire.sessions import Setting
from ..wire.surrogates import is_text
from .cores import cores
from .file_permissions import restrict_to_owner

ENVIRONMENT_PREFIX = "HLOSCOPE_"
SITE = re.compile(r"https?://(\*\.)?[a-z0-9.-]+(:\d{1,5})?")
"""The origin of a site, as a Content-Security-Policy names it."""


class SettingsError(ValueError):
    """A setting has no such name, or no such value."""


def _setting(default: Any, text: str) -> Any:
    return field(default=default, metadata={"text": text})


@dataclass(frozen=True)
class Settings:
    """All settings; 0 switches a limit off where its sentence says so."""

    data_dir: str = _setting("", "Folder of the store, inputs and token; empty: the platform's own place.")
    allowed_hosts: str = _setting(
        "",
        "More values of the Host header, separated by commas; one without a port allows every port, one behind "
        "a proxy whose visitors use https begins with https://.",
    )
    source_folders: str = _setting(
        "",
        f"Folders below which Python files that programs name are shown, separated by '{os.pathsep}'; never on a server "
        "that listens to other machines or has allowed_hosts.",
    )
    max_source_bytes: int = _setting(2 * MEBIBYTE, "Size of a Python file that is shown.")
    max_sources: int = _setting(
        64, "Python files that may be sent along with a program, to be shown beside it."
    )
    max_sources_bytes: int = _setting(8 * MEBIBYTE, "Size of all of them together.")
    token: str = _setting(
        "",
        "The secret that visitors need, 16 characters or more; empty: generated once and kept in the data folder.",
    )

    embed_sites: str = _setting(
        "",
        "Sites whose pages may embed a session by its read-only link, in a frame or as a picture, such as "
        "https://course.example, separated by commas; empty: none.",
    )

    dev: int = _setting(
        0, "1: pages are made of the modules as they are written, not of what was bundled at install."
    )

    max_program_bytes: int = _setting(64 * MEBIBYTE, "Size of a program's text.")
    max_nesting: int = _setting(200, "Depth of brackets, types, attributes and regions in each other.")
    max_ops: int = _setting(1_000_000, "Operations in a program's text.")
    max_rank: int = _setting(16, "Dimensions of a tensor.")
    max_listed_numbers: int = _setting(65_536, "Numbers of a list in an attribute, such as replica_groups.")
    max_tensor_bytes: int = _setting(GIBIBYTE, "Bytes of one tensor.")
    session_memory_bytes: int = _setting(4 * GIBIBYTE, "Bytes of all tensors that a run holds at once.")
    recording_bytes: int = _setting(
        GIBIBYTE, "Bytes of values that a recording keeps; others are recomputed."
    )
    op_flops: int = _setting(200_000_000_000, "Scalar operations that one op may need.")
    op_time_limit_ms: int = _setting(
        30_000, "Time that one op may take before its worker is stopped; 0: off."
    )
    run_step_limit: int = _setting(1_000_000, "Steps after which a run pauses and asks whether to continue.")
    run_time_limit_ms: int = _setting(600_000, "Time after which a run pauses and asks whether to continue.")
    call_depth_limit: int = _setting(256, "Frames of functions and regions in each other.")
    max_processes: int = _setting(256, "Processes of a run: replicas x partitions.")

    record_first_steps: int = _setting(20_000, "Steps that opening a run records by itself.")
    record_first_ms: int = _setting(4_000, "Time of the processor for which opening a run records by itself.")
    max_body_bytes: int = _setting(
        2 * MEBIBYTE,
        "Size of a request that carries no program and no file; of one that does, what is beside its texts.",
    )
    max_upload_bytes: int = _setting(GIBIBYTE, "Size of an uploaded .npz or .npy file.")
    max_dump_bytes: int = _setting(
        GIBIBYTE,
        "Size of an archive with what XLA dumped, and of the folder that one is made of in the browser.",
    )
    max_dump_files: int = _setting(50_000, "Files of such a dump.")
    max_dump_unpacked_bytes: int = _setting(4 * GIBIBYTE, "Bytes of all files of such a dump, unpacked.")
    max_active_dumps: int = _setting(2, "Dumps whose stages are run at the same time; the others wait.")
    max_waiting_dumps: int = _setting(
        100, "Dumps that wait for that; further ones are asked to try again later."
    )
    max_open_dumps: int = _setting(
        4,
        "Dumps that have a process which reads their texts; the one that was asked last keeps it the longest.",
    )
    dump_processes: int = _setting(0, "Processes that run the stages of one dump at a time; 0: one per core.")
    dump_time_limit_s: int = _setting(3_600, "Time that all stages of a dump may take together.")
    max_header_bytes: int = _setting(32 << 10, "Size of a request's first line and headers.")
    header_time_limit_ms: int = _setting(10_000, "Time in which a request's headers must come; 0: off.")
    body_time_limit_ms: int = _setting(
        20_000,
        "Time over which body_bytes_per_s is averaged, and in which a body that is refused must end; 0: off.",
    )
    body_bytes_per_s: int = _setting(1_024, "Bytes of a request's body that must come in a second; 0: off.")
    connection_idle_s: int = _setting(5, "Time that a connection is kept for the next request.")
    end_idle_s: int = _setting(
        0, "Time without any connection after which the server ends by itself; 0: never."
    )
    max_connections: int = _setting(
        2_048, "Connections at the same time; beyond them the one that has been idle the longest is closed."
    )
    max_active_sessions: int = _setting(
        8,
        "Sessions that have a worker process at the same time; the others wait in the order in which they came. "
        "With check_workers these are all worker processes, and bound the memory that programs take together.",
    )
    max_waiting_sessions: int = _setting(
        1_000,
        "Sessions that wait for a worker process at the same time; further ones are asked to try again later.",
    )
    first_views_bytes: int = _setting(
        32 * MEBIBYTE, "Bytes of first views kept of sessions that gave up their worker to others."
    )
    kept_answers_bytes: int = _setting(
        64 * MEBIBYTE,
        "Bytes of complete answers about recordings that are kept in memory, for all who ask the same.",
    )
    session_idle_release_s: int = _setting(
        900,
        "Time without a request after which a session's worker ends; it ends at once when others wait for one.",
    )
    session_retention_d: int = _setting(
        30, "Days of a running server without a visit after which a session is set aside; 0: never."
    )
    session_grace_d: int = _setting(
        7, "Days of a running server after which it is deleted; until then its address brings it back."
    )
    check_workers: int = _setting(
        2, "Worker processes that check programs which have no session yet, besides max_active_sessions."
    )
    check_time_limit_ms: int = _setting(60_000, "Time that reading and checking a program may take.")
    trial_step_limit: int = _setting(1_000, "Steps of a program that is tried on a page of the op reference.")
    trial_time_limit_ms: int = _setting(2_000, "Time after which such a trial ends between two ops.")
    trial_memory_bytes: int = _setting(64 * MEBIBYTE, "Bytes of all tensors of such a trial.")
    playground_elements: int = _setting(1 << 24, "Elements of a tensor in the playground.")
    playground_values: int = _setting(1 << 14, "Elements of a tensor whose values the playground shows.")
    playground_run_elements: int = _setting(
        1 << 20, "Elements of all tensors of an op that the playground runs."
    )
    playground_processes: int = _setting(16, "Processes of a collective op in the playground.")
    second_engine: str = _setting(
        "",
        "Whether visitors may have XLA run their programs too, and jaxlib read those that are no text, in a process of its own: "
        "yes or no; empty: yes, unless the server listens to other machines or has allowed_hosts.",
    )
    second_engine_time_limit_ms: int = _setting(120_000, "Time that a comparison with XLA may take.")
    second_engine_rlimit_as_bytes: int = _setting(
        16 * GIBIBYTE, "Address space of the process that XLA runs in; 0: off."
    )
    max_second_engines: int = _setting(1, "Comparisons with XLA at the same time; further ones wait.")
    request_time_limit_ms: int = _setting(10_000, "Time that a request waits for a busy worker.")
    worker_rlimit_as_bytes: int = _setting(0, "Address space of a worker process; 0: off.")
    blas_threads: int = _setting(0, "Threads of one large matrix product at most; 0: one per core.")
    max_sockets: int = _setting(
        1_024,
        "Live connections of sessions' pages at the same time: one for each page, also of those who read by a link, so "
        "of a class one for each student. Connections of rooms are limited by max_room_members.",
    )
    max_rooms: int = _setting(100, "Rooms that are kept at the same time.")
    max_room_members: int = _setting(
        300, "Connections to a room at the same time: members and screens; its teacher is let in anyway."
    )
    room_hours: int = _setting(
        168, "Hours of a running server after which a room is deleted with all answers and copies."
    )
    room_code_hours: int = _setting(
        12, "Hours after which a room's code leads nowhere, counted from when its teacher was there last."
    )
    copies_per_member: int = _setting(3, "Sessions of their own that a member of a room may make there.")
    copy_program_bytes: int = _setting(
        MEBIBYTE, "Size of a program's text that a member runs in such a session."
    )
    copy_upload_bytes: int = _setting(8 * MEBIBYTE, "Size of a file that a member uploads to such a session.")

    @classmethod
    def load(cls, assignments: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> Self:
        """The defaults, changed by the environment, changed by `name=value` assignments."""
        environment = os.environ if environment is None else environment
        names = {item.name for item in fields(cls)}
        given = {n: environment[key] for n in names if (key := ENVIRONMENT_PREFIX + n.upper()) in environment}
        for assignment in assignments:
            name, separator, value = assignment.partition("=")
            if not separator or name not in names:
                raise SettingsError(f"'{assignment}' is not name=value with the name of a setting")
            given[name] = value
        settings = cls(**{name: _parse(cls, name, value) for name, value in given.items()})  # type: ignore[arg-type]
        settings.embedding_sites()
        return settings

    def embedding_sites(self) -> list[str]:
        """The sites of `embed_sites`; `SettingsError` where one is not the origin of a site."""
        sites = [site.strip().lower().rstrip("/") for site in self.embed_sites.split(",") if site.strip()]
        for site in sites:
            if not SITE.fullmatch(site):
                raise SettingsError(
                    f"embed_sites names '{site}': a site is https:// or http://, a host, and nothing behind it, "
                    "such as https://course.example"
                )
        return sites

    def limits(self) -> Limits:
        """The engine's part of the settings."""
        same = {item.name for item in fields(Limits)} & {item.name for item in fields(self)}
        return Limits(
            **{name: getattr(self, name) for name in same}, run_seconds=self.run_time_limit_ms / 1000 or 1e9
        )

    def allows_second_engine(self, *, serves_others: bool) -> bool:
        """Whether visitors may have XLA started for them, on a server that is for its own user alone or not."""
        stated = self.second_engine.strip().lower()
        return stated == "yes" or (not stated and not serves_others)

    def data_folder(self) -> Path:
        """The data folder, made where it was missing; nobody else may read what is in it."""
        folder = Path(self.data_dir).expanduser() if self.data_dir else _platform_data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (
            not self.data_dir
        ):  # a folder that somebody else has made for it keeps the rights that it was given
            restrict_to_owner(folder)
        return folder

    def blas_thread_count(self) -> int:
        """Threads of one matrix product; a part of every recording's key."""
        return self.blas_threads or cores()

    def to_json(self) -> list[Setting]:
        """Name, value, default and sentence of each setting that is no secret."""
        return [
            {
                "name": item.name,
                "value": getattr(self, item.name),
                "default": cast(int | str, item.default),
                "text": item.metadata["text"],
            }
            for item in fields(self)
            if item.name not in {"token", "data_dir"}
        ]


def _parse(cls: type[Settings], name: str, text: str) -> str | int:
    if not is_text(text):
        raise SettingsError(f"setting '{name}' is not UTF-8")
    if get_type_hints(cls)[name] is str:
        return text
    try:
        number = int(text.replace("_", ""))
    except ValueError:
        raise SettingsError(f"setting '{name}' is a whole number, not '{text}'") from None
    if number < 0:
        raise SettingsError(f"setting '{name}' must not be negative")
    return number


def _platform_data_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "hloscope"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "hloscope"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hloscope"
