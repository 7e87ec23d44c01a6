"""The tables. Programs and inputs are named by their contents; everything else refers to them."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, String, Table, Text

from .kept_json import KeptJson

SCHEMA_VERSION = 7

metadata = MetaData()

meta = Table(
    "meta", metadata, Column("name", String, primary_key=True), Column("value", String, nullable=False)
)

programs = Table(
    "programs", metadata, Column("hash", String, primary_key=True), Column("text", Text, nullable=False)
)

# The bytes lie in the data folder, in a file of that name.
inputs = Table(
    "inputs",
    metadata,
    Column("hash", String, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("created", Float, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id_hash", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("draft", Text),  # NULL: the program of the current run
    Column("run", Integer),  # number of the current run
    Column("step", Integer, nullable=False, default=0),
    Column("path", KeptJson, nullable=False),
    Column("breakpoints", KeptJson, nullable=False),
    Column("created", Float, nullable=False),
    Column("updated", Float, nullable=False),
    Column(
        "visited", Float, nullable=False, server_default="0"
    ),  # by the clock that runs while a server does
    Column(
        "set_aside", Float
    ),  # since when nobody has visited it for so long that it is deleted next; by that clock
    Index("sessions_by_visit", "visited"),
)

# The files that a session has uploaded, whether a run uses them or not.
uploads = Table(
    "uploads",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("input", ForeignKey("inputs.hash"), primary_key=True),
)

# The user's own code, as far as it was sent along with the program.
sources = Table(
    "sources",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("file", String, primary_key=True),
    Column("text", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("program", ForeignKey("programs.hash"), nullable=False),
    Column("entry", String, nullable=False),
    Column("inputs", KeptJson, nullable=False),  # specifications, in the order of the arguments
    Column("info", KeptJson, nullable=False),  # what the page is told without asking a worker
    Column("key", String, nullable=False),
    Column("engine", String, nullable=False),
    Column("steps", Integer, nullable=False),  # recorded so far; recorded again after a restart
    Column("created", Float, nullable=False),
    Column("grid", KeptJson),  # as the user chose it; NULL: as the program says
    Column("feeds", KeptJson),  # what is put into queues; NULL: the program takes from none
    Index("runs_by_key", "key"),
    Index("runs_by_program", "program"),
)

# Links by which others read a session, by their hashes.
view_links = Table(
    "view_links",
    metadata,
    Column("link", String, primary_key=True),
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), nullable=False, index=True),
    Column("created", Float, nullable=False),
)

# What XLA dumped: the archive, and what was found out of it.
dumps = Table(
    "dumps",
    metadata,
    Column("id_hash", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("archive", ForeignKey("inputs.hash"), nullable=False),
    Column("contents", KeptJson, nullable=False),  # modules, stages and files
    Column("wishes", KeptJson, nullable=False),  # what stages are run on
    Column("found", KeptJson),  # what became of it; NULL: it was not examined to the end
    Column("build", String, nullable=False),  # of the code that has found it
    Column("given", ForeignKey("inputs.hash")),  # the file of arrays that stages are run on
    Column("made", ForeignKey("inputs.hash")),  # the inputs of the stages that were stepped through last
    Column("created", Float, nullable=False),
    Column("visited", Float, nullable=False),  # as of sessions
    Column("set_aside", Float),
    Index("dumps_by_visit", "visited"),
)

# Rooms: a session that a class follows. Whoever reads this table can enter no room: see app/classroom/credentials.py.
rooms = Table(
    "rooms",
    metadata,
    Column("id_hash", String, primary_key=True),
    Column("code_hash", String, nullable=False, unique=True),
    Column("sealed", String, nullable=False),  # the id, for who knows the code, and the server's token
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), nullable=False, index=True),
    Column("link", String, nullable=False),  # hash of the read-only link to the session
    Column("owner_hash", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column(
        "epoch", Integer, nullable=False
    ),  # how many servers have taken the room up; the last one may write
    Column("state", KeptJson, nullable=False),
    Column("created", Float, nullable=False),  # by the clock that runs while a server does, as is
    Column("seen", Float, nullable=False),  # when its teacher was there last
)

# Who has joined: the hash of a secret that a browser has, a number, and what they said of themselves.
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

# Sessions that members have made; they end with the room.
room_copies = Table(
    "room_copies",
    metadata,
    Column("session", ForeignKey("sessions.id_hash", ondelete="CASCADE"), primary_key=True),
    Column("room", ForeignKey("rooms.id_hash", ondelete="CASCADE"), nullable=False, index=True),
    Column("member", String, nullable=False),
)
