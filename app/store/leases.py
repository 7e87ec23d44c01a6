"""Leases of sessions and rooms in PostgreSQL: at any time, one server writes a session, and one runs a room.

A lease is a row with its holder, its expiry by the database's clock, and an epoch (a fencing token), which differs for
each time that a server takes it. A write locks the row of its lease, so a server that has lost it is refused however
late its write comes. The clock may jump: then no two servers write, and a lease of a dead one ends all the same.
"""

import secrets
from collections.abc import Iterable, Set

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    MetaData,
    String,
    Table,
    delete,
    func,
    select,
    text,
)

from .failures import Elsewhere

TERM_SECONDS = 4.0
"""Seconds for which a lease is valid without being renewed."""

tables_of_servers = MetaData()
"""Tables that only a shared database has."""

leases = Table(
    "leases",
    tables_of_servers,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False),
    Column("address", String, nullable=False),  # where the owner's pages are
    Column("epoch", BigInteger, nullable=False),
    Column("until", Float, nullable=False, index=True),  # by the database's clock
)

# A lease that ends later than any that is taken now is from before the clock was set back; who lives renews it at once.
_TAKE = text("""
INSERT INTO leases AS old (id, owner, address, epoch, until)
VALUES (:id, :owner, :address, txid_current(), extract(epoch FROM clock_timestamp()) + :term)
ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, address = excluded.address, until = excluded.until,
  epoch = CASE WHEN old.owner = excluded.owner THEN old.epoch ELSE excluded.epoch END
WHERE old.owner = excluded.owner
  OR old.until - extract(epoch FROM clock_timestamp()) NOT BETWEEN 0 AND 2 * :term
RETURNING epoch
""")
_RENEW = text("""
UPDATE leases SET until = extract(epoch FROM clock_timestamp()) + :term
WHERE owner = :owner AND id = ANY(:ids) RETURNING id, epoch
""")


class HeldLeases:
    """The leases of this server, by the hashes of sessions and rooms.

    Used from the store's thread; `forget` and `held` also from the event loop.
    """

    def __init__(self) -> None:
        self.owner = secrets.token_hex(8)
        """The name of this server, different at each start."""
        self.address = ""
        """Where this server's pages are, for those who ask another one."""
        self._epochs: dict[str, int] = {}

    @property
    def held(self) -> Set[str]:
        """The hashes whose leases this server has, as far as it knows."""
        return self._epochs.keys()

    def take(self, connection: Connection, hash: str) -> None:
        """Take the lease, or make sure that this server still has it; `Elsewhere` if another one has it."""
        given = {"id": hash, "owner": self.owner, "address": self.address, "term": TERM_SECONDS}
        epoch = connection.scalar(_TAKE, given)
        known = self._epochs.pop(hash, epoch)
        if epoch is None:
            address = connection.scalar(select(leases.c.address).where(leases.c.id == hash))
            raise Elsewhere(address or "")
        if known != epoch:  # another server had it meanwhile: what this one knows is old
            raise Elsewhere
        self._epochs[hash] = epoch

    def check(self, connection: Connection, hash: str) -> None:
        """Raise `Elsewhere` unless this server has the lease; nobody else can take it until the transaction ends."""
        if not self.of(connection, [hash]):
            self.forget([hash])
            raise Elsewhere

    def of(self, connection: Connection, hashes: Iterable[str]) -> set[str]:
        """Those whose leases this server has; nobody else can take them until the transaction ends."""
        known = [hash for hash in hashes if hash in self._epochs]
        which = leases.c.id.in_(known) & (leases.c.owner == self.owner)
        rows = select(leases.c.id, leases.c.epoch).where(which).with_for_update(read=True)
        return {row.id for row in connection.execute(rows) if self._epochs.get(row.id) == row.epoch}

    def renew(self, connection: Connection) -> set[str]:
        """Renew all leases; returns those that were lost, which this server no longer has."""
        known = dict(self._epochs)
        given = {"owner": self.owner, "ids": list(known), "term": TERM_SECONDS}
        found = {row.id: row.epoch for row in connection.execute(_RENEW, given)}
        lost = {hash for hash, epoch in known.items() if found.get(hash) != epoch}
        self.forget(lost)
        return lost

    def release(self, connection: Connection, hashes: Iterable[str]) -> None:
        """Release leases: the next server that asks gets them."""
        given = list(hashes)
        connection.execute(delete(leases).where(leases.c.owner == self.owner, leases.c.id.in_(given)))
        self.forget(given)

    def forget(self, hashes: Iterable[str]) -> None:
        """Consider leases lost."""
        for hash in hashes:
            self._epochs.pop(hash, None)


def delete_ended(connection: Connection, seconds: float) -> None:
    """Delete the leases of servers that ended at least `seconds` ago without releasing them."""
    now = func.extract("epoch", func.clock_timestamp())
    connection.execute(delete(leases).where(leases.c.until <= now - seconds))
