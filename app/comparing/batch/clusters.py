"""The report of a batch: its verdicts, clustered by cause, against an earlier report, as JSON and as a page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape

from hloscope.engine.errors import InputError

from ...base.assets import folder
from ...base.versions import installed_version
from .records import Cause, Record

NOT_COMPARED = ("unknown", "failed")


@dataclass(frozen=True)
class Cluster:
    """The programs with one cause."""

    cause: Cause
    records: tuple[Record, ...]

    @property
    def smallest(self) -> Record:
        """The smallest program."""
        return min(self.records, key=lambda record: record.size)


def clusters_of(records: Iterable[Record]) -> tuple[Cluster, ...]:
    """The clusters, the largest first."""
    found: dict[Cause, list[Record]] = {}
    for record in records:
        if record.cause is not None:
            found.setdefault(record.cause, []).append(record)
    clusters = [Cluster(cause, tuple(group)) for cause, group in found.items()]
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster.records), cluster.cause.title)))


@dataclass(frozen=True)
class Baseline:
    """The clusters and programs of an earlier report."""

    causes: frozenset[Cause]
    not_compared: frozenset[str]
    """The programs that were unknown or failed."""

    @classmethod
    def read(cls, path: str | Path) -> Baseline:
        """The baseline in a JSON report; `InputError` if it is none."""
        try:
            found = json.loads(Path(path).read_text("utf-8"))
            causes = frozenset(Cause(**cluster["cause"]) for cluster in found["clusters"])
            programs = found["programs"]
            open_ones = [one["program"] for one in programs if one["verdict"] in NOT_COMPARED]
        except (ValueError, TypeError, KeyError):
            raise InputError(
                f"{path} is not a report of a batch", hint="Give the report.json of an earlier --batch."
            ) from None
        return cls(causes, frozenset(open_ones))


@dataclass(frozen=True)
class BatchReport:
    """The verdicts on all programs."""

    source: str
    records: tuple[Record, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0
    """The number of files that are no programs."""
    seconds: float = 0.0
    baseline: Baseline | None = None
    cases: Mapping[Cause, Mapping[str, Any]] = field(default_factory=dict)
    """The minimal case of each cluster that has one, or the `problem`."""

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters, the largest first."""
        return clusters_of(self.records)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of programs with each verdict."""
        found = Counter(record.verdict for record in self.records)
        return {name: found[name] for name in ("same", "different", "unknown", "failed")}

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that were compared with."""
        return tuple(sorted({record.engine for record in self.records} - {""}))

    def is_new(self, cluster: Cluster) -> bool:
        """Whether the baseline, if any, lacks a cluster."""
        return self.baseline is None or cluster.cause not in self.baseline.causes

    @property
    def verdict(self) -> str:
        """The verdict that decides the exit code; with a baseline, from what it lacks."""
        if any(self.is_new(cluster) for cluster in self.clusters):
            return "different"
        known = self.baseline.not_compared if self.baseline else frozenset()
        open_ones = (
            record for record in self.records if record.verdict in NOT_COMPARED and record.cause is None
        )
        return "unknown" if any(record.program not in known for record in open_ones) else "same"

    def as_json(self) -> dict[str, Any]:
        """The report in types of JSON."""
        return {
            "hloscope": installed_version(),
            "source": self.source,
            "engines": list(self.engines),
            "options": dict(self.options),
            "verdict": self.verdict,
            "counts": self.counts,
            "left_out": self.left_out,
            "seconds": round(self.seconds, 3),
            "clusters": [self._cluster_json(cluster) for cluster in self.clusters],
            "programs": [record.as_json() for record in self.records],
        }

    def _cluster_json(self, cluster: Cluster) -> dict[str, Any]:
        return {
            "title": cluster.cause.title,
            "cause": asdict(cluster.cause),
            "new": self.is_new(cluster),
            "programs": [record.program for record in cluster.records],
            "sentence": cluster.smallest.sentence,
            "case": self.cases.get(cluster.cause),
        }


def lines_of(report: BatchReport) -> Sequence[str]:
    """The report for people: a line for each cluster, and the counts."""
    lines = []
    for cluster in report.clusters:
        count = len(cluster.records)
        new = "new: " if report.baseline is not None and report.is_new(cluster) else ""
        lines.append(f"{new}{cluster.cause.title} ({count:,} program{'s' if count > 1 else ''})")
        lines.append(f"  {cluster.smallest.program}: {cluster.smallest.sentence}")
    counts = ", ".join(f"{count:,} {name}" for name, count in report.counts.items())
    total = len(report.records)
    lines.append(f"{total:,} program{'s' if total > 1 else ''} in {report.seconds:.1f} s: {counts}")
    return lines


JSON, HTML = "report.json", "report.html"


def write_report(report: BatchReport, output: Path) -> None:
    """Write `report.json` and `report.html` into a folder."""
    found = report.as_json()
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    (output / JSON).write_text(f"{text}\n", encoding="utf-8")
    environment = Environment(loader=FileSystemLoader(folder("templates")), autoescape=select_autoescape())
    page = environment.get_template("batch.html").render(report=found, version=installed_version())
    (output / HTML).write_text(page, encoding="utf-8")
