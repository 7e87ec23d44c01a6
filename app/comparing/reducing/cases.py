"""The case of a run: whole values, without results from outside of the program."""

from __future__ import annotations

from hloscope.engine.errors import InputError
from hloscope.engine.outside_results import Answers
from hloscope.engine.reduction.case import Case, case_of
from hloscope.engine.reduction.cutting import keep
from hloscope.engine.sharded_runs.sharded_inputs import is_partitioned, stated_grid

from ...runs.launching import RunPlan


def case_of_run(plan: RunPlan) -> Case:
    """The program and the inputs of a run; `InputError` if it cannot be reduced."""
    if plan.grid.num_processes > 1 and is_partitioned(plan.program, plan.function):
        raise InputError(
            f"each of the {plan.grid.num_processes} processes of the program has its own inputs, "
            "and reduce takes whole values, which the program distributes",
            hint="reduce the program before it is partitioned, with its shardings",
        )
    if plan.grid != stated_grid(plan.program.module):
        raise InputError(
            f"reduce takes a program that states its processes, and this one states none of its {plan.grid.num_processes}",
            hint=f"write mhlo.num_partitions = {plan.grid.num_partitions} : i32 into the attributes of its module",
        )
    inputs = plan.recording().launch.inputs[0]
    return _without_bound(case_of(plan.program.module, plan.function.function, inputs), plan)


def _without_bound(case: Case, plan: RunPlan) -> Case:
    """The case with parameters in place of the bound results from outside of the program."""
    given = {
        value.name: array
        for number, arrays in plan.bindings.items()
        if not isinstance(arrays, Answers)
        for value, array in zip(plan.program.ops[number].operation.results, arrays, strict=True)
    }
    if not given:
        return case
    kept = [
        number
        for number, operation in enumerate(case.operations)
        if not any(value.name in given for value in operation.results)
    ]
    found = keep(case, kept, given.get)
    if found is None or found.program is None:
        raise InputError(
            "a value that is bound cannot become an input of the program", hint="give it as an argument"
        )
    return found
