"""The database tables. Programs and inputs are identified by the hash of their contents."""

from collections.abc import Sequence

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    select,
    text,
)

from .kept_json import KeptJson, KeptText

SCHEMA_VERSION = 8

metadata = MetaData()

meta = Table(
    "meta", metadata, Column("name", String, primary_key=True), Column("value", String, nullable=False)
)

VERSION = select(meta.c.value).where(meta.c.name == "schema_version")

programs = Table(
    "programs", metadata, Column("hash", String, primary_key=True), Column("text", KeptText, nullable=False)
)

# The bytes are in the data folder, in a file named by the hash.
inputs = Table(
    "inputs",
    metadata,
    Column("hash", String, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("created", Float, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id_hash", String, primary_key=True),
    Column("name", KeptText, nullable=False),
    Column("draft", KeptText),  # NULL: the text of the current run's program
    Column("run", Integer),  # number of the current run
    Column("step", BigInteger, nullable=False, default=0),
    Column("path", KeptJson, nullable=False),
    Column("breakpoints", KeptJson, nullable=False),
    Column("created", Float, nullable=False),
    Column("updated", Float, nullable=False),
    Column("visited", Float, nullable=False, server_default="0"),  # by the `RunningClock`
    Column(
        "set_aside", Float
    ),  # time when it was set aside, the stage before deletion; by the `RunningClock`
    Index("sessions_by_visit", "visited"),
)

# The uploaded files of a session, whether a run uses them or not.
uploads = Table(
    "uploads",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("input", ForeignKey("inputs.hash"), primary_key=True),
)

# The user's source files that were sent with the program.
sources = Table(
    "sources",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("file", KeptText, primary_key=True),
    Column("text", KeptText, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("program", ForeignKey("programs.hash"), nullable=False),
    Column("entry", KeptText, nullable=False),
    Column("inputs", KeptJson, nullable=False),  # specifications, in the order of the arguments
    Column("info", KeptJson, nullable=False),  # facts that the page gets without a worker
    Column("key", String, nullable=False),
    Column("engine", String, nullable=False),
    Column("steps", BigInteger, nullable=False),  # recorded so far; recorded again after a restart
    Column("created", Float, nullable=False),
    Column("grid", KeptJson),  # the user's choice; NULL: as the program states
    Column("feeds", KeptJson),  # queue items; NULL: the program reads from no user queue
    Index("runs_by_key", "key"),
    Index("runs_by_program", "program"),
)

# Read-only links to sessions, by their hashes.
view_links = Table(
    "view_links",
    metadata,
    Column("link", String, primary_key=True),
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), nullable=False, index=True),
    Column("created", Float, nullable=False),
)

# Dumps of XLA's passes: the archive, and the findings of its examination.
dumps = Table(
    "dumps",
    metadata,
    Column("id_hash", String, primary_key=True),
    Column("name", KeptText, nullable=False),
    Column("archive", ForeignKey("inputs.hash"), nullable=False),
    Column("contents", KeptJson, nullable=False),  # modules, stages and files
    Column("wishes", KeptJson, nullable=False),  # inputs on which stages run
    Column("found", KeptJson),  # findings; NULL: no completed examination
    Column("build", String, nullable=False),  # build of the code that examined it
    Column("given", ForeignKey("inputs.hash")),  # the file of arrays on which stages run
    Column("made", ForeignKey("inputs.hash")),  # the inputs of the stages that were opened last
    Column("created", Float, nullable=False),
    Column("visited", Float, nullable=False),  # as in `sessions`
    Column("set_aside", Float),
    Index("dumps_by_visit", "visited"),
)

# Rooms, in which a class follows a session. This table alone admits nobody to a room: see app/classroom/credentials.py.
rooms = Table(
    "rooms",
    metadata,
    Column("id_hash", String, primary_key=True),
    Column("code_hash", String, nullable=False, unique=True),
    Column("sealed", String, nullable=False),  # the id, encrypted with the code and the server's token
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), nullable=False, index=True),
    Column("link", String, nullable=False),  # hash of the read-only link to the session
    Column("owner_hash", String, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column(
        "epoch", Integer, nullable=False
    ),  # number of servers that took the room over; only the last one may write
    Column("state", KeptJson, nullable=False),
    Column("created", Float, nullable=False),  # by the `RunningClock`, as is `seen`
    Column("seen", Float, nullable=False),  # last presence of the teacher
)

# Members: the hash of the browser's secret, a number, and their reported state.
room_members = Table(
    "room_members",
    metadata,
    Column("room", ForeignKey("rooms.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("member", String, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("said", KeptJson, nullable=False),
)

room_answers = Table(
    "room_answers",
    metadata,
    Column("room", ForeignKey("rooms.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("poll", String, primary_key=True),
    Column("member", String, primary_key=True),
    Column("answer", KeptJson, nullable=False),
)

# Polls of a room and their results, without the answers of members.
room_polls = Table(
    "room_polls",
    metadata,
    Column("room", ForeignKey("rooms.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("poll", String, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("kept", KeptJson, nullable=False),
)

# Sessions made by members; they are deleted with the room.
room_copies = Table(
    "room_copies",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("room", ForeignKey("rooms.id_hash", ondelete="CASCADE"), nullable=False, index=True),
    Column("member", String, nullable=False),
)


# Earlier versions.

STEPS: dict[str, Sequence[str]] = {
    # Runs of version 1 have neither a grid nor queues.
    "1": ("ALTER TABLE runs ADD COLUMN grid JSON", "ALTER TABLE runs ADD COLUMN feeds JSON"),
    # Version 3 starts the clock; every session counts as visited at its start.
    "2": (
        "ALTER TABLE sessions ADD COLUMN visited FLOAT NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN set_aside FLOAT",
        "DROP INDEX IF EXISTS sessions_by_age",
        "CREATE INDEX sessions_by_visit ON sessions (visited)",
    ),
    # Missing tables are created on opening; version 4 added one for source files.
    "3": (),
    # Version 5 added one for dumps of XLA's passes.
    "4": (),
    # Version 6 added one for read-only links.
    "5": (),
    # Version 7 added those of rooms.
    "6": (),
    # Version 8 added the polls of rooms.
    "7": (),
}
"""The statements that lead from an earlier schema version to the next."""


def migrate(connection: Connection, version: str | None) -> str | None:
    """Migrate the store; returns its version, which is unchanged if it is unknown."""
    while version in STEPS:
        for statement in STEPS[version]:
            connection.execute(text(statement))
        version = str(int(version) + 1)
    return version
