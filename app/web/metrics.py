"""The metrics of the server in the format of Prometheus; numbers only, no name of a session, program or visitor."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from ..base.tallies import Tallies
from ..sessions.sessions import Sessions
from .connections import BoundedProtocol


async def metrics_text(tallies: Tallies, sessions: Sessions, folder: Path) -> bytes:
    """All metrics now; `folder`: the data folder."""
    stored = await asyncio.to_thread(_bytes_below, folder)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Server(tallies, sessions, stored))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _Server(Collector):
    def __init__(self, tallies: Tallies, sessions: Sessions, stored: int) -> None:
        self._tallies, self._sessions, self._stored = tallies, sessions, stored

    def collect(self) -> Iterable[Metric]:
        """The metrics of one server."""
        yield from self._gauges()
        refusals = CounterMetricFamily(
            "hloscope_refusals", "Refused requests and sockets by status and by limit or kind.",
            labels=("status", "kind"),
        )  # fmt: skip
        for (status, kind), count in sorted(self._tallies.refusals.items()):
            refusals.add_metric((str(status), kind), count)
        yield refusals
        yield CounterMetricFamily(
            "hloscope_started_workers", "Worker processes that were started for sessions.",
            value=self._sessions.supervisor.started_workers,
        )  # fmt: skip
        steps = self._tallies.steps
        yield HistogramMetricFamily(
            "hloscope_step_seconds", "Times of answers about recordings, which pages ask for at each step.",
            buckets=steps.buckets(), sum_value=steps.seconds,
        )  # fmt: skip

    def _gauges(self) -> Iterator[Metric]:
        supervisor, connections = self._sessions.supervisor, self._tallies.connections
        counts = {
            "sessions": ("Sessions that are in memory.", supervisor.session_count),
            "workers": ("Worker processes of sessions and checkers.", supervisor.worker_count),
            "waiting_sessions": ("Sessions that wait for a worker.", len(supervisor.slots.waiting)),
            "sockets": ("Live connections of sessions' pages.", self._sessions.hub.count),
            "connections": ("Open connections.", len(connections)),
            "unsent_bytes": (
                "Bytes of answers that wait for their clients to read them.",
                sum(one.unsent_bytes for one in connections if isinstance(one, BoundedProtocol)),
            ),
            "stored_bytes": ("Bytes of the files in the data folder.", self._stored),
        }
        if (cluster := supervisor.cluster) is not None:
            counts["places"] = ("Places for sessions on the Ray cluster.", len(cluster.places))
            counts["place_sessions"] = ("Sessions for which these places have room.", cluster.seats)
        for name, (text, value) in counts.items():
            yield GaugeMetricFamily(f"hloscope_{name}", text, value=value)


def _bytes_below(folder: Path) -> int:
    """Bytes of all files in a folder; files that vanish meanwhile count nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total
