"""The verdicts of a batch: those of earlier runs, and new ones as they are found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ...processes.framing import Buffer
from ...wire.tasks import Task
from .clusters import BatchReport, Cluster
from .pool import Workers, perform_all
from .records import Cause, Journal, Record

CASES = "cases"

Tell = Callable[[str], None]


class Named(Protocol):
    """A program or a module."""

    @property
    def name(self) -> str:
        """Its path below the top of the batch."""


T = TypeVar("T", bound=Named)
Take = Callable[[T, Record, bool], None]
"""Receives an item, its record, and whether the verdict is finished, so that the next run does not try again."""


def judge_all(
    keys: Mapping[T, str], output: Path, judge: Callable[[Sequence[T], Take[T]], None], tell: Tell, noun: str
) -> tuple[Record, ...]:
    """The record of each item; items with equal keys share one.

    `judge` judges the items without a finished verdict in the output folder.
    """
    journal = Journal(output)
    known = journal.read()
    missing = {key: item for item, key in reversed([*keys.items()]) if key not in known}

    def take(item: T, found: Record, is_finished: bool) -> None:
        known[keys[item]] = record = replace(found, key=keys[item])
        if is_finished:
            journal.append(record)
        tell(f"{len(keys) - len(missing.keys() - known.keys()):,} of {len(keys):,} {noun}")

    judge(list(missing.values())[::-1], take)
    return tuple(replace(known[key], program=item.name) for item, key in keys.items())


ReduceTask = tuple[Task[dict[str, Any]], Sequence[Buffer]]


def reduce_new(
    report: BatchReport,
    output: Path,
    task_of: Callable[[Cluster], ReduceTask],
    workers: Workers,
    seconds: float,
    tell: Tell,
) -> Mapping[Cause, Mapping[str, Any]]:
    """The minimal case of each new cluster, whose files are written into a folder each, or the `problem`."""
    new = [cluster for cluster in report.clusters if report.is_new(cluster)]
    found: dict[Cause, Mapping[str, Any]] = {}

    def take(cluster: Cluster, case: dict[str, Any] | str, contents: Sequence[Buffer]) -> None:
        found[cluster.cause] = {"problem": case} if isinstance(case, str) else case
        if contents and not isinstance(case, str):
            folder = output / CASES / f"{report.clusters.index(cluster) + 1:02}"
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in zip(case.pop("files"), contents, strict=True):
                (folder / Path(name).name).write_bytes(content)
        tell(f"{len(found):,} of {len(new):,} minimal cases")

    perform_all(new, task_of, workers, seconds, take)
    return found
