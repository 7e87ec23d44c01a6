"""What many ask for at once is found out once; who leaves ends nothing for the others, and no failure is kept."""

import asyncio

import pytest

from hloscope.app.base.shared_work import SharedWork

pytestmark = pytest.mark.anyio


class Work:
    """Counts how often it is done; `answer` ends it."""

    def __init__(self) -> None:
        self.begun = self.cancelled = 0
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def __call__(self) -> str:
        self.begun += 1
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


async def settle() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


async def test_two_hundred_ask_and_one_leaves() -> None:
    shared, work = SharedWork[str](), Work()
    tasks = [asyncio.create_task(shared.join("a", work)) for _ in range(200)]
    await settle()
    assert work.begun == 1
    tasks[0].cancel()  # the one that began it
    await settle()
    work.answer.set_result("found")
    assert await asyncio.gather(*tasks[1:]) == ["found"] * 199
    assert tasks[0].cancelled()
    assert not work.cancelled


async def test_a_failure_is_that_of_all_who_wait_and_of_nobody_after() -> None:
    shared, work = SharedWork[str](), Work()
    tasks = [asyncio.create_task(shared.join("a", work)) for _ in range(3)]
    await settle()
    work.answer.set_exception(ValueError("no"))
    assert all(
        isinstance(found, ValueError) for found in await asyncio.gather(*tasks, return_exceptions=True)
    )
    again = Work()
    again.answer.set_result("now")
    assert await shared.join("a", again) == "now"
    with pytest.raises(ValueError, match="no"):
        await shared.join("a", work)
    assert work.begun == 2


async def test_what_nobody_waits_for_is_given_up_and_begun_anew() -> None:
    shared, work = SharedWork[str](), Work()
    tasks = [asyncio.create_task(shared.join("a", work)) for _ in range(2)]
    await settle()
    for task in tasks:
        task.cancel()
    await settle()
    assert work.cancelled == 1
    later = asyncio.create_task(shared.join("a", work))
    await settle()
    assert work.begun == 2
    work.answer.set_result("found")
    assert await later == "found"


async def test_other_names_are_other_questions() -> None:
    shared, work = SharedWork[str](), Work()
    tasks = [asyncio.create_task(shared.join(name, work)) for name in "abb"]
    await settle()
    assert work.begun == 2
    work.answer.set_result("found")
    await asyncio.gather(*tasks)


async def test_who_joins_the_next_run_waits_for_one_that_begins_later() -> None:
    begun, ready = 0, asyncio.Event()

    async def act() -> int:
        nonlocal begun
        begun += 1
        number = begun
        await ready.wait()
        return number

    shared = SharedWork[int](outlives_callers=True)
    first = asyncio.create_task(shared.join_next("a", act))
    await settle()
    late = [asyncio.create_task(shared.join_next("a", act)) for _ in range(3)]
    await settle()
    for task in late[:2]:
        task.cancel()  # takes nothing from the others
    await settle()
    assert begun == 1
    ready.set()
    assert (await first, await late[2], begun) == (1, 2, 2)


@pytest.mark.parametrize("outlives_callers", [True, False])
async def test_work_that_nobody_waits_for_ends_unless_it_outlives_them(outlives_callers: bool) -> None:
    shared, work = SharedWork[str](outlives_callers=outlives_callers), Work()
    caller = asyncio.create_task(shared.join_next("a", work))
    await settle()
    caller.cancel()
    await settle()
    assert work.cancelled == (not outlives_callers)
    await shared.stop()
    assert work.cancelled == 1
