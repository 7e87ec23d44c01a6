"""The settings of the server, each with a name, a default and a sentence. The defaults suit local use.

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
    """The name or the value of a setting is invalid."""


def _setting(default: Any, text: str) -> Any:
    return field(default=default, metadata={"text": text})


@dataclass(frozen=True)
class Settings:
    """All settings. A sentence says what a setting limits, in which unit, and what 0 does if that is allowed."""

    data_dir: str = _setting("", "Folder of the store, inputs and token; empty: the platform's usual folder.")
    store: str = _setting(
        "",
        "Address of a PostgreSQL database that several servers share, such as postgresql+psycopg://USER@HOST/DATABASE; "
        "empty: a file in the data folder.",
    )
    server_address: str = _setting(
        "",
        "Address of this server for the visitors of others that share its store; empty: the name of its machine and its port.",
    )
    allowed_hosts: str = _setting(
        "",
        "Additional values of the Host header, separated by commas. A value without a port allows every port; a value "
        "that begins with https:// is a host behind a proxy with HTTPS.",
    )
    source_folders: str = _setting(
        "",
        f"Folders of Python files that the server shows beside programs, separated by '{os.pathsep}'. Ignored on a "
        "server that listens to other machines or has allowed_hosts.",
    )
    max_sources_bytes: int = _setting(
        8 * MEBIBYTE, "Maximum bytes of the Python files shown beside a program, together."
    )
    token: str = _setting(
        "",
        "Secret that visitors need, at least 16 characters; empty: generated once and kept in the data folder.",
    )

    embed_sites: str = _setting(
        "",
        "Sites whose pages may embed a session by its read-only link, in a frame or as a picture, separated by commas, "
        "such as https://course.example; empty: none.",
    )

    open_lessons: int = _setting(
        0,
        "1: anybody who reaches the server may play its lessons, with their exercises and playgrounds, without the token, "
        "and nothing else; a solution then has at most copy_program_bytes. 0: only visitors with the token.",
    )

    dev: int = _setting(0, "1: pages load the source modules; 0: the bundle made at installation.")

    max_program_bytes: int = _setting(64 * MEBIBYTE, "Maximum bytes of a program's text.")
    max_nesting: int = _setting(200, "Maximum nesting depth of brackets, types, attributes and regions.")
    max_ops: int = _setting(1_000_000, "Maximum operations in a program's text.")
    max_rank: int = _setting(16, "Maximum dimensions of a tensor.")
    max_listed_numbers: int = _setting(
        65_536, "Maximum numbers in a list of an attribute, such as replica_groups."
    )
    max_tensor_bytes: int = _setting(GIBIBYTE, "Maximum bytes of one tensor.")
    session_memory_bytes: int = _setting(
        4 * GIBIBYTE, "Maximum bytes of all tensors that a run holds at the same time."
    )
    recording_bytes: int = _setting(
        GIBIBYTE,
        "Maximum bytes of values that a recording keeps, and of its steps; dropped values are recomputed, and a run with "
        "more steps pauses.",
    )
    op_flops: int = _setting(200_000_000_000, "Maximum scalar operations of one op.")
    op_time_limit_ms: int = _setting(
        30_000, "Milliseconds after which an op is stopped, together with its worker; 0: no limit."
    )
    run_step_limit: int = _setting(5_000_000, "Steps after which a run pauses until the user continues it.")
    run_time_limit_ms: int = _setting(
        600_000, "Milliseconds after which a run pauses until the user continues it; 0: no limit."
    )
    call_depth_limit: int = _setting(256, "Maximum nesting depth of frames of functions and regions.")
    max_processes: int = _setting(256, "Maximum processes of a run: replicas x partitions.")

    record_first_steps: int = _setting(20_000, "Maximum steps recorded when a run is opened.")
    record_first_ms: int = _setting(
        4_000, "Maximum milliseconds of processor time for recording when a run is opened."
    )
    max_body_bytes: int = _setting(
        2 * MEBIBYTE, "Maximum bytes of a request, not counting texts and files, which have separate limits."
    )
    max_upload_bytes: int = _setting(
        GIBIBYTE, "Maximum bytes of an uploaded file: arrays, a saved page, or the archive of a dump."
    )
    max_dump_bytes: int = _setting(
        4 * GIBIBYTE, "Maximum bytes of the files in a dump of XLA's passes, unpacked and together."
    )
    max_active_dumps: int = _setting(
        2,
        "Maximum dumps whose stages run at the same time; the others wait. Twice as many dumps have a process that reads "
        "their texts.",
    )
    dump_processes: int = _setting(
        0, "Maximum processes that run the stages of one dump; 0: one for each core."
    )
    dump_time_limit_s: int = _setting(3_600, "Maximum seconds for running all stages of a dump.")
    max_header_bytes: int = _setting(32 << 10, "Maximum bytes of a request's first line and headers.")
    receive_time_limit_ms: int = _setting(
        20_000,
        "Maximum milliseconds until the headers of a request are complete, and the period over which body_bytes_per_s is "
        "averaged; 0: no limits.",
    )
    body_bytes_per_s: int = _setting(
        1_024,
        "Minimum bytes per second of a request's body, and of an answer that a client reads; 0: no limit.",
    )
    max_unsent_bytes: int = _setting(
        256 * MEBIBYTE,
        "Maximum bytes of answers that wait for their clients to read them; beyond, the clients that have read nothing "
        "for longest are disconnected.",
    )
    connection_idle_s: int = _setting(
        5, "Seconds for which an idle connection stays open for another request."
    )
    end_idle_s: int = _setting(0, "Seconds without a connection after which the server ends; 0: never.")
    max_connections: int = _setting(
        2_048, "Maximum connections; a new one closes the connection that has been idle the longest."
    )
    max_active_sessions: int = _setting(
        8,
        "Maximum sessions with a worker process; the others wait in the order of their arrival. Together with "
        "check_workers, this bounds the number of processes and so the memory of the server.",
    )
    max_waiting: int = _setting(
        1_000,
        "Maximum sessions that wait for a worker process, and dumps that wait to be run; further ones are refused.",
    )
    cached_answers_bytes: int = _setting(
        96 * MEBIBYTE,
        "Maximum bytes of cached answers about recordings; a third is for the first views of sessions that have given "
        "up their worker.",
    )
    session_idle_release_s: int = _setting(
        900,
        "Seconds without a request after which a session's worker ends; while other sessions wait, it ends immediately.",
    )
    session_retention_d: int = _setting(
        30,
        "Days without a visit after which a session is set aside; only days on which the server runs count; 0: never.",
    )
    session_grace_d: int = _setting(
        7, "Days after which a session that was set aside is deleted; a visit before then restores it."
    )
    check_workers: int = _setting(
        2, "Worker processes for programs without a session, in addition to max_active_sessions."
    )
    check_time_limit_ms: int = _setting(60_000, "Maximum milliseconds for reading and checking a program.")
    trial_step_limit: int = _setting(
        1_000, "Maximum steps of a trial: a program that runs on a page of the op reference."
    )
    trial_time_limit_ms: int = _setting(2_000, "Milliseconds after which a trial ends, between two ops.")
    trial_memory_bytes: int = _setting(64 * MEBIBYTE, "Maximum bytes of all tensors of a trial.")
    playground_elements: int = _setting(
        1 << 24,
        "Maximum elements of a tensor in the playground. An op runs with at most a sixteenth of this number, and the "
        "page shows the values of tensors with at most 1/1,024.",
    )
    second_engine: str = _setting(
        "",
        "yes or no: whether visitors may run programs with XLA, and open files that jaxlib reads, in a separate process. "
        "Empty: yes, unless the server listens to other machines or has allowed_hosts.",
    )
    second_engine_time_limit_ms: int = _setting(120_000, "Maximum milliseconds of a comparison with XLA.")
    second_engine_rlimit_as_bytes: int = _setting(
        16 * GIBIBYTE, "Maximum address space of the process that runs XLA, in bytes; 0: no limit."
    )
    compilation_cache_bytes: int = _setting(
        GIBIBYTE,
        "Maximum bytes of programs that XLA has compiled for recordings, kept in the user's cache for the next ones; 0: none.",
    )
    max_second_engines: int = _setting(1, "Maximum comparisons with XLA at the same time; further ones wait.")
    request_time_limit_ms: int = _setting(
        10_000, "Maximum milliseconds for which a request waits for a busy worker."
    )
    worker_rlimit_as_bytes: int = _setting(
        0, "Maximum address space of a worker process, in bytes; 0: no limit."
    )
    blas_threads: int = _setting(0, "Maximum threads of one large matrix product; 0: one for each core.")
    max_sockets: int = _setting(
        1_024,
        "Maximum live connections of sessions' pages, one for each open page, readers of a link included. "
        "max_room_members limits the connections of rooms.",
    )
    max_rooms: int = _setting(100, "Maximum rooms on the server.")
    max_room_members: int = _setting(
        300, "Maximum connections to a room: members and screens; its teacher can always connect."
    )
    room_hours: int = _setting(
        168,
        "Hours after which a room is deleted, with all answers and copies; only hours in which the server runs count.",
    )
    room_code_hours: int = _setting(
        12, "Hours after the teacher's last presence in a room for which its code is valid."
    )
    copies_per_member: int = _setting(
        3, "Maximum private copies of the session that a member makes in a room."
    )
    copy_program_bytes: int = _setting(
        MEBIBYTE, "Maximum bytes of a program's text that a member runs in such a session."
    )
    copy_upload_bytes: int = _setting(
        8 * MEBIBYTE, "Maximum bytes of a file that a member uploads to such a session."
    )
    copy_bytes: int = _setting(
        32 * MEBIBYTE,
        "Maximum bytes of the files and programs in such a session, all together; each run counts as at least 16 KiB.",
    )

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
        """Whether visitors may run programs with XLA; `serves_others`: not only the local user visits."""
        stated = self.second_engine.strip().lower()
        return stated == "yes" or (not stated and not serves_others)

    def data_folder(self) -> Path:
        """The data folder, created if missing; only its owner can read it."""
        folder = Path(self.data_dir).expanduser() if self.data_dir else _platform_data_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.data_dir:  # a folder that the user names keeps its permissions
            restrict_to_owner(folder)
        return folder

    def blas_thread_count(self) -> int:
        """Threads of one matrix product; a part of every recording's key."""
        return self.blas_threads or cores()

    def to_json(self) -> list[Setting]:
        """Name, value, default and sentence of each setting that is not secret."""
        return [
            {
                "name": item.name,
                "value": getattr(self, item.name),
                "default": cast(int | str, item.default),
                "text": item.metadata["text"],
            }
            for item in fields(self)
            if item.name not in {"token", "data_dir", "store"}
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
