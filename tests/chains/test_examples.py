"""The maps of every op of every example only use symbols that they have, also across processes."""

from hloscope.app.reference.examples import Example, examples
from hloscope.engine.chains import Chains, operation_maps
from hloscope.engine.indexing import Dim, Expression, OperandMap, Range, Runtime, variables_of
from tests.each import for_each
from tests.programs import load_program


def symbols(item: OperandMap) -> set[Expression]:
    """All variables of a map."""
    known = (Dim, item.map.dimensions), (Range, item.map.ranges), (Runtime, item.map.runtimes)
    return {variable(number) for variable, all_of in known for number in range(len(all_of))}


@for_each("example", examples(), ids=lambda example: example.name)
@for_each("inverse", [False, True])
def test_all_ops_have_maps(example: Example, inverse: bool) -> None:
    program = load_program(example.text, example.file)
    chains = Chains(program)
    for bound in program.ops:
        if not bound.results:
            continue
        for item in operation_maps(program, bound.id, inverse=inverse, chains=chains):
            used = {met for result in item.placed.results for met in variables_of(result)}
            assert used <= symbols(item), (bound.operation.name, item)
