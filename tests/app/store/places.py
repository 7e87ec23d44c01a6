"""Where a store of the tests is: a file in a folder, or a database of PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, inspect, text

from hloscope.app.store import Store


@dataclass(frozen=True)
class Place:
    """A data folder, and the address of its database if that is not a file in it."""

    folder: Path
    address: str = ""
    opened: list[Store] = field(default_factory=list)

    def open(self, ticks: Callable[[], float] = time.monotonic) -> Store:
        """The store, as another server would open it."""
        self.opened.append(Store(self.folder, ticks, self.address))
        return self.opened[-1]

    def close(self) -> None:
        """Close every store that was opened."""
        for store in self.opened:
            store.close()

    @property
    def url(self) -> str:
        """The database for SQLAlchemy."""
        return self.address or f"sqlite:///{self.folder / 'hloscope.sqlite'}"

    def execute(self, *statements: str, **values: Any) -> list[Any]:
        """The rows of the last statement; all are executed behind the server's back."""
        engine = create_engine(self.url)
        try:
            with engine.begin() as connection:
                for statement in statements:
                    found = connection.execute(text(statement), values)
                return list(found) if found.returns_rows else []
        finally:
            engine.dispose()

    def schema(self) -> dict[str, set[str]]:
        """The tables with their columns, and the indexes with theirs."""
        engine = create_engine(self.url)
        try:
            found = inspect(engine)
            tables = found.get_table_names()
            shape = {name: {column["name"] for column in found.get_columns(name)} for name in tables}
            for table in tables:
                for index in found.get_indexes(table):
                    shape[str(index["name"])] = {str(name) for name in index["column_names"]}
            return shape
        finally:
            engine.dispose()
