"""How long the queue is said to take: by the turns of late, honestly where the next one is late, and not at all without any."""

from hloscope.app.workers.worker_slots import OLD_SECONDS, TurnTimes


class Clock:
    """Says what it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def taught(*pauses: float) -> tuple[TurnTimes, Clock]:
    clock = Clock()
    times = TurnTimes(clock)
    clock.now += 500  # nobody waited meanwhile
    times.begin()
    for pause in pauses:
        clock.now += pause
        times.count()
    return times, clock


def test_nothing_is_said_before_anybody_had_a_turn() -> None:
    times, clock = taught()
    clock.now += 100
    assert times.estimate(0) is None


def test_who_is_further_back_waits_longer() -> None:
    times, clock = taught(4, 4)
    assert [times.estimate(before) for before in range(4)] == [4, 8, 15, 20]
    clock.now += 3
    assert [times.estimate(before) for before in range(4)] == [1, 5, 9, 15]


def test_two_workers_halve_the_time() -> None:
    times, _ = taught(10, 0, 10, 0)
    assert times.estimate(1) == 10


def test_a_turn_that_is_late_makes_the_others_later() -> None:
    times, clock = taught(2, 2)
    clock.now += 20
    assert times.estimate(0) == 8  # the mean of 2, 2 and 20
    assert times.estimate(2) == 25


def test_what_was_long_ago_says_nothing() -> None:
    times, clock = taught(2, 2)
    clock.now += OLD_SECONDS
    assert times.estimate(0) is None


def test_long_times_are_rough() -> None:
    times, _ = taught(70)
    assert times.estimate(0) == 90
