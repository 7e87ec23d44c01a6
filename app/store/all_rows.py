"""All rows of a store as JSON values that another store takes, in SQLite or in PostgreSQL.

Times of the `RunningClock` are ages, because each store has its own clock. JSON stays the text that is stored, so
that damage in it is copied as it is, and its readers report it as before.
"""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    Table,
    Text,
    exists,
    select,
    union_all,
)
from sqlalchemy.exc import DataError, IntegrityError

from ..base.keys import text_hash
from ..wire.surrogates import is_text
from .kept_json import KeptJson, KeptText
from .tables import dumps, inputs, meta, metadata, programs, sessions
from .transactions import Contents, Database, upsert

Row = Mapping[str, Any]
AGES = {"sessions": ("visited", "set_aside"), "dumps": ("visited", "set_aside"), "rooms": ("created", "seen")}
"""The columns with times of the `RunningClock`."""
ROWS_AT_ONCE = 16
"""Rows that are in memory at the same time while they are read; a program has up to tens of megabytes."""
CHARACTERS_AT_ONCE = 1 << 20
_STORED = MetaData()
TABLES = {
    table.name: Table(
        table.name,
        _STORED,
        *(
            Column(column.name, Text if isinstance(column.type, KeptJson) else column.type, nullable=column.nullable)
            for column in table.c
        ),
    )
    for table in metadata.sorted_tables
    if table is not meta
}  # fmt: skip
"""The tables with JSON as its text; those that others refer to come first."""
SHARED = {programs.name, inputs.name}
"""The tables whose rows are named by contents, so that they may be there already."""


class WrongRow(ValueError):
    """A row that no store of this version has; the message says why."""


class AllRows:
    """The rows of all tables."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database, self._now = database, now

    @contextlib.contextmanager
    def read(self) -> Iterator[Callable[[str], Iterator[Row]]]:
        """A function that iterates over the rows of a table, of all tables as they are at one moment."""
        with self._database.snapshot() as connection:
            yield lambda table: self._rows(connection, TABLES[table])

    def _rows(self, connection: Connection, table: Table) -> Iterator[Row]:
        now, ages = self._now(), AGES.get(table.name, ())
        for row in connection.execute(select(table), execution_options={"yield_per": ROWS_AT_ONCE}):
            values = dict(row._mapping)
            for name in ages:
                values[name] = None if values[name] is None else now - values[name]
            yield values

    def is_empty(self) -> bool:
        """Whether there is neither a session nor a dump."""
        any_row = union_all(select(sessions.c.id_hash), select(dumps.c.id_hash))
        with self._database.read_transaction() as connection:
            return not connection.scalar(select(exists(any_row)))

    def add(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Add rows with the names of their tables, all or none; raises `WrongRow` and what `rows` raises."""
        with self._database.transaction(contents=Contents.USED) as connection:
            self._database.allow_pauses(connection)
            for table, group in _in_groups(rows):
                statement = upsert(connection, TABLES[table])
                try:
                    connection.execute(
                        statement.on_conflict_do_nothing() if table in SHARED else statement,
                        [self._values(TABLES[table], row) for row in group],
                    )
                except (IntegrityError, DataError):
                    raise WrongRow(
                        f"rows of {table} are there twice, or refer to what is not there"
                    ) from None

    def _values(self, table: Table, row: Row) -> dict[str, Any]:
        if row.keys() - table.c.keys():
            raise WrongRow(f"a row of {table.name} has unknown columns")
        values = {column.name: _checked(column, row.get(column.name)) for column in table.c}
        for name in AGES.get(table.name, ()):
            values[name] = None if values[name] is None else self._now() - values[name]
        if table.name == programs.name and text_hash(values["text"]) != values["hash"]:
            raise WrongRow("a program has the name of another one")
        return values


def _in_groups(rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """The rows in groups of one table each, of a bounded size."""
    group: list[Row] = []
    last, size = "", 0
    for table, row in rows:
        if group and (table != last or size > CHARACTERS_AT_ONCE):
            yield last, group
            group, size = [], 0
        last = table
        group.append(row)
        size += sum(len(value) if isinstance(value, str) else 16 for value in row.values())
    if group:
        yield last, group


def _checked(column: Column[Any], value: Any) -> Any:
    """The value, if such a column can have it in every database."""
    if value is None:
        is_right = bool(column.nullable)
    elif isinstance(column.type, Integer):
        most = 1 << (63 if isinstance(column.type, BigInteger) else 31)
        is_right = type(value) is int and -most <= value < most
    elif isinstance(column.type, Float):
        is_right = type(value) in (int, float) and math.isfinite(value)
    else:
        is_right = (
            isinstance(value, str)
            and is_text(value)
            and (isinstance(column.type, KeptText) or "\0" not in value)
        )
    if not is_right:
        raise WrongRow(f"a row of {column.table.name} has a wrong value of {column.name}")
    return value
