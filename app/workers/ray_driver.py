"""The process that speaks to Ray for the server: it connects to the cluster, and starts and ends places.

It is separate from the server because Ray's library ends its process when the head node is lost for a minute, and takes
over its signals and output. The server notices that as the end of any worker, and starts another one.
"""

from __future__ import annotations

import os
import socket
import threading
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from typing_extensions import TypedDict

from ..processes.framing import Channel
from ..wire.events import WorkerError
from ..wire.questions import classes_by_name
from ..wire.tasks import Task, TaskResult

MODULE = "hloscope.app.workers.ray_driver"
NAMESPACE = "hloscope"
REACH_SECONDS = 10.0
"""Timeout for the head's port."""
INSTALL = "pip install 'hloscope[cluster]'"


class ClusterInfo(TypedDict):
    """A cluster: Ray's version, its nodes, its CPUs and those that no actor has, and whether it asks for a token."""

    version: str
    nodes: int
    cpus: float
    free_cpus: float
    asks_token: bool


class PlaceAddress(TypedDict):
    """Where a place listens."""

    host: str
    port: int


class ConnectCluster(Task[ClusterInfo]):
    """Connect to the cluster, once and before the other tasks."""

    address: str


class StartPlace(Task[PlaceAddress]):
    """Start the actor of this number, or wait for its restart; the result comes once Ray has room for it."""

    number: int
    secret: str
    blas_threads: int
    address_space: int


class EndPlace(Task[None]):
    """End the actor of this number."""

    number: int


TASKS = classes_by_name(Task)


class _Refused(Exception):
    """The cluster cannot be used; with a sentence, and what to do."""


def serve(connection: socket.socket) -> None:
    """Perform each request in a separate thread until the other end closes."""
    os.chdir("/")  # Ray has the actors import from this process's folder
    driver = _Driver(Channel(connection))
    while (frame := driver.channel.receive()) is not None:
        threading.Thread(target=driver.handle, args=(frame.message,), daemon=True).start()
    # At once: Ray ends the actors of a driver that has exited, and threads may still wait for Ray.
    os._exit(0)


class _Driver:
    def __init__(self, channel: Channel) -> None:
        self.channel, self._sending = channel, threading.Lock()
        self._actors: dict[int, Any] = {}

    def handle(self, message: dict[str, Any]) -> None:
        """Perform one request and send its reply."""
        try:
            task = TASKS[message["kind"]](**message["fields"])
            content: dict[str, Any] = {"result": self._perform(task).value}
        except Exception as error:  # any error becomes a reply; the process continues
            content = {"error": _error_json(error)}
        with self._sending:
            self.channel.send({"id": message["id"], **content})

    def _perform(self, task: Task[Any]) -> TaskResult[Any]:
        match task:
            case ConnectCluster():
                _connect(task.address)
                return task.result(_describe())
            case StartPlace():
                return task.result(self._start(task))
            case EndPlace():
                self._end(task.number)
                return task.result(None)
        raise TypeError(f"no task: {task!r}")

    def _start(self, task: StartPlace) -> PlaceAddress:
        import ray
        from ray.exceptions import RayActorError

        from .place import Place

        if task.number not in self._actors:
            # `address` is tried again until the actor is there: it is restarted without end.
            actor = ray.remote(
                num_cpus=1, max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD"
            )(Place)
            self._actors[task.number] = actor.remote(task.secret, task.blas_threads, task.address_space)
        try:
            host, port = ray.get(self._actors[task.number].address.remote())
        except RayActorError:
            del self._actors[task.number]  # it cannot even begin: the next attempt makes another one
            raise
        return {"host": host, "port": port}

    def _end(self, number: int) -> None:
        import ray

        if (actor := self._actors.pop(number, None)) is not None:
            ray.kill(actor)


def _connect(address: str) -> None:
    if find_spec("ray") is None:
        raise _Refused("Workers on a cluster need Ray, which is not installed.", INSTALL)
    import ray

    try:
        _reach(address)
        ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, configure_logging=False)
    except Exception as error:
        how = "`ray status` says whether it runs; RAY_AUTH_TOKEN is its token, if it asks for one."
        why = _first_line(error).rstrip(".")
        raise _Refused(f"The Ray cluster '{address}' cannot be used: {why}.", how) from error


def _reach(address: str) -> None:
    """Raise `OSError` if nothing answers at an address with a port: Ray itself would wait for a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()


def _describe() -> ClusterInfo:
    import ray

    alive = [node for node in ray.nodes() if node["Alive"]]
    return {
        "version": ray.__version__,
        "nodes": len(alive),
        "cpus": ray.cluster_resources().get("CPU", 0.0),
        "free_cpus": ray.available_resources().get("CPU", 0.0),
        "asks_token": _asks_token(),
    }


def _asks_token() -> bool:
    """Whether this process shows the cluster a token; one that asks for it refuses others."""
    mode = getattr(import_module("ray._raylet"), "get_authentication_mode", None)
    return mode is not None and int(mode()) != 0


def _error_json(error: Exception) -> WorkerError:
    message, *hint = error.args if isinstance(error, _Refused) else (f"Ray: {_first_line(error)}",)
    return {"status": 503, "kind": "cluster", "message": str(message), "hint": hint[0] if hint else None}


def _first_line(error: Exception) -> str:
    """The line that says most: the last one of an actor's traceback, otherwise the first one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return (lines[-1] if any(line.startswith("Traceback") for line in lines) else lines[0])[:300]
