"""Element provenance as JSON: values and elements on the walk, edges between them, formulas, derivations."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.microscope import Derivation, Row, SourceElement
from hloscope.engine.debugger.provenance import Edge, End, Links, Node, RecordedRun, Walk
from hloscope.engine.debugger.provenance.formulas import Formulas
from hloscope.engine.debugger.provenance.terms import Factors, Formula, Term
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ir.hlo_wording import in_hlo_words

from ..wire.encoding import encoded
from ..wire.provenance import Derivation as DerivationJson
from ..wire.provenance import DerivationRow, FormulaTerm, PathStop, Provenance, ProvenanceEdge, ProvenanceNode
from ..wire.provenance import Formula as FormulaJson
from ..wire.provenance import SourceElement as SourceJson
from .element_sets import set_json
from .types import type_text

MOST_NODES = 2_000
MOST_EDGES = 8_000
MOST_WAITING = 100


@dataclass(frozen=True)
class ElementQuery:
    """The query that a provenance answer belongs to."""

    address: Address
    elements: ElementSet
    direction: Literal["back", "forward"]
    reach: Literal["step", "all"]


def provenance_json(
    links: Links, asked: ElementQuery, walk: Walk, path: Sequence[tuple[Address, ElementSet]] | None = None
) -> Provenance:
    """A walk as JSON: its nodes in order, the edges between them, and which nodes are ends."""
    shown = _nearest(list(walk.nodes.values()))
    numbers = {node.address: number for number, node in enumerate(shown)}
    nodes = [_node(links.run, number, node) for number, node in enumerate(shown)]
    waiting = _next_elements(walk)
    numbers |= {address: len(shown) + number for number, address in enumerate(waiting)}
    edges = [edge for edge in walk.edges.values() if edge.read in numbers and edge.made in numbers]
    nodes += [_node(links.run, numbers[at], Node(at, elements)) for at, elements in waiting.items()]
    return {
        "address": str(asked.address),
        "direction": asked.direction,
        "reach": asked.reach,
        "complete": walk.complete,
        "reason": walk.reason or None,
        "elements": set_json(asked.elements),
        "nodes": nodes,
        "values": len(walk.nodes),
        "steps": sum(address.kind == "s" for address in walk.nodes),
        "omitted": len(walk.nodes) - len(shown),
        "waiting": [numbers[address] for address in waiting],
        "unlooked": len(walk.waiting),
        "edges": [_edge(edge, numbers) for edge in edges[:MOST_EDGES]],
        "inputs": [node["id"] for node in nodes if node["end"] == End.INPUT],
        "ends": [node["id"] for node in nodes if node["end"] not in (None, End.INPUT)],
        "path": None if path is None else [_stop(links.run, each, numbers) for each in path],
        "formula": _formula(links, asked),
    }


def _formula(links: Links, asked: ElementQuery) -> FormulaJson | None:
    """The formula of one element, if the query is one step back from it."""
    if asked.direction != "back" or asked.reach != "step" or asked.elements.count != 1:
        return None
    (index,) = asked.elements
    return formula_json(Formulas(links).formula(asked.address, index))


def _nearest(nodes: list[Node]) -> list[Node]:
    """The first nodes, and all ends at any distance, in order."""
    if len(nodes) <= MOST_NODES:
        return nodes
    ends = [node for node in nodes[MOST_NODES // 2 :] if node.outputs or _is_telling(node)]
    chosen = {id(node) for node in ends[-MOST_NODES // 2 :]}
    room = MOST_NODES - len(chosen)
    return [node for number, node in enumerate(nodes) if number < room or id(node) in chosen]


def _next_elements(walk: Walk) -> dict[Address, ElementSet]:
    """The elements where a stopped walk continues; of visited values, only new elements."""
    fresh = ((address, elements) for address, elements in walk.waiting.items() if address not in walk.nodes)
    return dict(islice(fresh, MOST_WAITING))


def _is_telling(node: Node) -> bool:
    """Whether the node is an end other than a plain constant."""
    return any(end is not End.CONSTANT for end, _ in node.ends)


def _node(run: RecordedRun, number: int, node: Node) -> ProvenanceNode:
    address = node.address
    is_result = address.kind == "s"
    op = run.bound_operation(address.process, address.number).id if is_result else None
    value = run.value_number(address)
    end, reason = node.ends[0] if node.ends else (None, "")
    if end is None and node.outputs:
        end_text: str | None = "output"
    else:
        end_text = None if end is None else str(end)
    return {
        "id": number,
        "address": str(address),
        "process": address.process,
        "kind": "result" if is_result else "argument",
        "step": address.number if is_result else None,
        "frame": run.frame_of(address),
        "op": op,
        "opName": run.program.ops[op].operation.name if op is not None else None,
        "value": value,
        "name": _name(run, address, value),
        "type": type_text(run.type_of(address), run.program.module.language),
        "tick": (run.steps(address.process).creation_time(address) + 1) // 2,
        "elements": set_json(node.elements),
        "end": end_text,
        "reason": reason or None,
        "input": {"number": address.index, "name": _name(run, address, value)} if end is End.INPUT else None,
        "outputs": node.outputs,
    }


def _name(run: RecordedRun, address: Address, value: int) -> str:
    return run.program.values[value].name + "".join(f"#{number}" for number in address.path)


def _edge(edge: Edge, numbers: dict[Address, int]) -> ProvenanceEdge:
    return {
        "read": numbers[edge.read],
        "made": numbers[edge.made],
        "kind": str(edge.kind),
        "operand": edge.operand,
        "words": edge.words or None,
        "elements": set_json(edge.elements),
    }


def _stop(run: RecordedRun, stop: tuple[Address, ElementSet], numbers: dict[Address, int]) -> PathStop:
    address, element = stop
    return {
        "node": numbers.get(address),
        "address": str(address),
        "name": _name(run, address, run.value_number(address)),
        "elements": set_json(element),
    }


def formula_json(formula: Formula) -> FormulaJson:
    """A formula as text and in its parts."""
    return encoded(
        FormulaJson,
        formula,
        numbers=formula.numbers or None,
        left={"name": formula.name, "index": list(formula.index)},
        form=str(formula.form),
        terms=[_term(term) for term in formula.terms],
        note=formula.note or None,
    )


def _term(term: Term | Factors) -> FormulaTerm:
    if isinstance(term, Factors):
        return {"text": term.text, "factors": [_term(factor) for factor in term.factors]}
    return {
        "text": term.text,
        "operand": term.operand,
        "name": term.name,
        "address": str(term.address),
        "index": list(term.index),
        "value": term.value,
        "role": term.role or None,
    }


def derivation_json(run: RecordedRun, address: Address, found: Derivation) -> DerivationJson:
    """A derivation of an element of the value at `address`."""
    spelled = in_hlo_words if run.program.module.language == "hlo" else str
    return encoded(
        DerivationJson,
        found,
        address=str(address),
        type=spelled(found.type),
        accumulator=spelled(found.accumulator),
        kind=found.how.value,
        rows=[_row(run, row) for row in found.rows],
    )


def _row(run: RecordedRun, row: Row) -> DerivationRow:
    return encoded(
        DerivationRow, row, terms=[[_source(run, element) for element in term] for term in row.terms]
    )


def _source(run: RecordedRun, element: SourceElement) -> SourceJson:
    number, address = run.value_number(element.address), str(element.address)
    return encoded(SourceJson, element, value=number, address=address, text=element.value)
