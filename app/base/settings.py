"""The settings of the server, each with a name, a default and a sentence. The defaults suit local use.

A setting may have another default for a server of strangers, which `public` chooses. A TOML file changes defaults, the
environment changes the file (`HLOSCOPE_<NAME>`), and `--set name=value` changes both; /-/settings shows them all.
"""

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
from .given_settings import Given, SettingsError, of_assignments, of_environment, of_file
from .memory import Memory

__all__ = ["Settings", "SettingsError"]

SITE = re.compile(r"https?://(\*\.)?[a-z0-9.-]+(:\d{1,5})?")
"""The origin of a site, as a Content-Security-Policy names it."""
HOST = re.compile(r"(https://)?([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d{1,5})?")
"""A host of `allowed_hosts`."""
LEAST_WORKERS, MOST_WORKERS = 8, 256
"""Bounds of the number of workers that follows memory."""
WORKER_BYTES = 24 * MEBIBYTE
"""Memory to have for a worker with a small recording. Measured: 8 MiB, with Python 3.11 17 MiB, most of them pages that
are copied because the counts of references on them change."""
SECRETS = frozenset({"token", "metrics_token", "data_dir", "settings_file", "store"})
"""Settings that no page shows."""


def _setting(default: Any, text: str, public: Any = None) -> Any:
    """`public`: the default of a server of strangers, where it differs."""
    return field(default=default, metadata={"text": text, "public": default if public is None else public})


@dataclass(frozen=True)
class Settings:
    """All settings. A sentence says what a setting limits, in which unit, and what 0 does if that is allowed."""

    public: int = _setting(
        0,
        "1: a server for strangers, with stricter defaults for many settings; requires allowed_hosts. 0: a local server.",
    )
    settings_file: str = _setting("", "TOML file of settings, each as name = value; empty: none.")
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
        8 * MEBIBYTE, "Maximum bytes of the Python files shown beside a program, together.", public=MEBIBYTE
    )
    token: str = _setting(
        "",
        "Secret that visitors need, at least 16 characters; empty: generated once and kept in the data folder.",
    )

    metrics_token: str = _setting(
        "",
        "Secret with which Prometheus may read /-/metrics and nothing else, at least 16 characters; empty: only the token "
        "reads it.",
    )
    json_logs: int = _setting(0, "1: the log is one JSON object in each line; 0: text.")
    min_free_bytes: int = _setting(
        64 * MEBIBYTE,
        "Minimum free bytes on the disk of the data folder; below, /-/ready says that the server is not ready.",
        public=2 * GIBIBYTE,
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

    max_program_bytes: int = _setting(512 * MEBIBYTE, "Maximum bytes of a program's text.", public=MEBIBYTE)
    max_nesting: int = _setting(200, "Maximum nesting depth of brackets, types, attributes and regions.")
    max_ops: int = _setting(1_000_000, "Maximum operations in a program's text.", public=50_000)
    max_rank: int = _setting(16, "Maximum dimensions of a tensor.")
    max_listed_numbers: int = _setting(
        65_536, "Maximum numbers in a list of an attribute, such as replica_groups."
    )
    max_tensor_bytes: int = _setting(GIBIBYTE, "Maximum bytes of one tensor.", public=64 * MEBIBYTE)
    session_memory_bytes: int = _setting(
        4 * GIBIBYTE, "Maximum bytes of all tensors that a run holds at the same time.", public=256 * MEBIBYTE
    )
    recording_bytes: int = _setting(
        GIBIBYTE,
        "Maximum bytes of values that a recording keeps, and of its steps; dropped values are recomputed, and a run with "
        "more steps pauses.",
        public=256 * MEBIBYTE,
    )
    op_flops: int = _setting(200_000_000_000, "Maximum scalar operations of one op.", public=20_000_000_000)
    op_time_limit_ms: int = _setting(
        30_000,
        "Milliseconds after which an op is stopped, together with its worker; 0: no limit.",
        public=2_000,
    )
    run_step_limit: int = _setting(
        5_000_000, "Steps after which a run pauses until the user continues it.", public=1_000_000
    )
    run_time_limit_ms: int = _setting(
        600_000,
        "Milliseconds after which a run pauses until the user continues it; 0: no limit.",
        public=10_000,
    )
    call_depth_limit: int = _setting(256, "Maximum nesting depth of frames of functions and regions.")
    max_processes: int = _setting(256, "Maximum processes of a run: replicas x partitions.", public=64)

    record_first_steps: int = _setting(20_000, "Maximum steps recorded when a run is opened.")
    record_first_ms: int = _setting(
        4_000, "Maximum milliseconds of processor time for recording when a run is opened."
    )
    max_body_bytes: int = _setting(
        2 * MEBIBYTE, "Maximum bytes of a request, not counting texts and files, which have separate limits."
    )
    max_upload_bytes: int = _setting(
        GIBIBYTE,
        "Maximum bytes of an uploaded file: arrays, a saved page or recording, or the archive of a dump.",
        public=64 * MEBIBYTE,
    )
    max_dump_bytes: int = _setting(
        4 * GIBIBYTE,
        "Maximum bytes of the files in a dump of XLA's passes, unpacked and together.",
        public=256 * MEBIBYTE,
    )
    max_active_dumps: int = _setting(
        2,
        "Maximum dumps whose stages run at the same time; the others wait. Twice as many dumps have a process that reads "
        "their texts.",
        public=1,
    )
    dump_processes: int = _setting(
        0, "Maximum processes that run the stages of one dump; 0: one for each core.", public=1
    )
    dump_time_limit_s: int = _setting(3_600, "Maximum seconds for running all stages of a dump.", public=600)
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
        "Maximum bytes of answers that wait for their clients to read them; beyond, clients of the network with the most are "
        "disconnected, those first that have read nothing for longest.",
    )
    connection_idle_s: int = _setting(
        5, "Seconds for which an idle connection stays open for another request."
    )
    end_idle_s: int = _setting(0, "Seconds without a connection after which the server ends; 0: never.")
    max_connections: int = _setting(
        2_048,
        "Maximum connections; a new one closes one of the network with the most, first the one that has been idle the longest.",
    )
    max_active_sessions: int = _setting(
        0,
        "Maximum sessions with a worker process; the others wait, and visitors take turns. 0: from "
        f"{LEAST_WORKERS} to {MOST_WORKERS}, as many as fit while a quarter of the memory stays available.",
    )
    cluster: str = _setting(
        "",
        "Ray cluster on whose nodes the workers of sessions run: auto, that of this machine; or its address, such as "
        "HOST:6379 or ray://HOST:10001. Empty: they run on this machine.",
    )
    place_sessions: int = _setting(
        8,
        "Maximum sessions of one place on the cluster, which takes one of its CPUs. There are as many places as the "
        "sessions of this server need, and one more.",
    )
    max_waiting: int = _setting(
        1_000,
        "Maximum sessions that wait for a worker process, programs that wait to be read, and dumps that wait to be run; further "
        "ones are refused.",
    )
    cached_answers_bytes: int = _setting(
        96 * MEBIBYTE,
        "Maximum bytes of cached answers about recordings, which need no worker again: two thirds for whole responses, a "
        "third for single values and for runs that have ended.",
    )
    session_idle_release_s: int = _setting(
        900,
        "Seconds without a request after which a session's worker ends; while other sessions wait, it ends immediately.",
        public=300,
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
    check_time_limit_ms: int = _setting(
        60_000, "Maximum milliseconds without progress while a program is read and checked.", public=10_000
    )
    trial_step_limit: int = _setting(
        1_000, "Maximum steps of a trial: a program that runs on a page of the op reference."
    )
    trial_time_limit_ms: int = _setting(2_000, "Milliseconds after which a trial ends, between two ops.")
    trial_memory_bytes: int = _setting(64 * MEBIBYTE, "Maximum bytes of all tensors of a trial.")
    playground_elements: int = _setting(
        1 << 24,
        "Maximum elements of a tensor in the playground. An op runs with at most a sixteenth of this number, and the "
        "page shows the values of tensors with at most 1/1,024.",
        public=1 << 20,
    )
    second_engine: str = _setting(
        "",
        "yes or no: whether visitors may run programs with XLA, and open files that jaxlib reads, in a separate process. "
        "Empty: yes, unless the server listens to other machines or has allowed_hosts.",
        public="no",
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
        0, "Maximum address space of a worker process, in bytes; 0: no limit.", public=2 * GIBIBYTE
    )
    blas_threads: int = _setting(
        0, "Maximum threads of one large matrix product; 0: one for each core.", public=1
    )
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
        MEBIBYTE, "Maximum bytes of a program's text that a member runs in such a session.", public=256 << 10
    )
    copy_upload_bytes: int = _setting(
        8 * MEBIBYTE, "Maximum bytes of a file that a member uploads to such a session.", public=2 * MEBIBYTE
    )
    copy_bytes: int = _setting(
        32 * MEBIBYTE,
        "Maximum bytes of the files and programs in such a session, all together; each run counts as at least 16 KiB.",
        public=8 * MEBIBYTE,
    )

    @classmethod
    def load(cls, assignments: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> Self:
        """The defaults, changed by the file, the environment and `name=value` assignments; each changes those before.

        `SettingsError` with the place of the first one that is wrong.
        """
        names = {item.name: item.metadata for item in fields(cls)}
        told = [*of_environment(os.environ if environment is None else environment, names)]
        told += of_assignments(assignments, names)
        latest = {given.name: given for given in told}
        if (file := latest.get("settings_file")) is not None and file.value:
            told = [*of_file(Path(str(file.value)).expanduser(), names.keys() - {"settings_file"}), *told]
        values = {given.name: _parse(cls, given) for given in told}
        profile = {name: about["public"] for name, about in names.items()} if values.get("public") else {}
        settings = cls(**{**profile, **values})
        settings.embedding_sites()
        settings.host_names()
        return settings

    def host_names(self) -> list[str]:
        """The hosts of `allowed_hosts`; `SettingsError` where one is not a host."""
        hosts = [host.strip().lower() for host in self.allowed_hosts.split(",") if host.strip()]
        for host in hosts:
            if not HOST.fullmatch(host):
                raise SettingsError(
                    f"allowed_hosts names '{host}': a host is a name, perhaps https:// before it and a port behind it, "
                    "such as https://debug.example"
                )
        return hosts

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

    def worker_count(self, held: int, found: Memory | None) -> int:
        """Sessions that may have a worker now, while `held` of them have one, by the setting or by memory."""
        if self.max_active_sessions or found is None:
            return self.max_active_sessions or LEAST_WORKERS
        more = max(0, found.available - found.total // 4) // WORKER_BYTES
        return min(max(LEAST_WORKERS, held + more), MOST_WORKERS)

    def blas_thread_count(self) -> int:
        """Threads of one matrix product; a part of every recording's key."""
        return self.blas_threads or cores()

    def to_json(self) -> list[Setting]:
        """Name, value, defaults and sentence of each setting that is not secret."""
        return [
            {
                "name": item.name,
                "value": getattr(self, item.name),
                "default": cast(int | str, item.default),
                "public": item.metadata["public"],
                "text": item.metadata["text"],
            }
            for item in fields(self)
            if item.name not in SECRETS
        ]


def _parse(cls: type[Settings], given: Given) -> str | int:
    """The value in the type of its setting."""
    value, what = given.value, f"{given.place}: setting '{given.name}'"
    if isinstance(value, str) and not is_text(value):
        raise SettingsError(f"{what} is not UTF-8")
    if get_type_hints(cls)[given.name] is str:
        if not isinstance(value, str):
            raise SettingsError(f"{what} is a text in quotes, not {value}")
        return value
    try:
        number = int(value.replace("_", "")) if isinstance(value, str) else value
    except ValueError:
        raise SettingsError(f"{what} is a whole number, not '{value}'") from None
    if not isinstance(number, int) or isinstance(number, bool):
        raise SettingsError(f"{what} is a whole number, not {value}")
    if number < 0:
        raise SettingsError(f"{what} must not be negative")
    return number


def _platform_data_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "hloscope"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "hloscope"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hloscope"
