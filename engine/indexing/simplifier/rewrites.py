"""Steps of a simplification, recorded on request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..core.expressions import CeilDivide, Constant, Expression, FloorDivide, Modulo, Product, Sum, rebuild
from ..core.interval import Interval
from .rule_texts import Rule

Part = Expression | tuple[Expression, Interval]
"""Subject of a rewrite: an expression, or a constraint with its interval."""


@dataclass(frozen=True)
class Rewrite:
    """One step of a simplification.

    `where` names the part of the map: `result 0`, `constraint 1`, `d0`, or one of these inside `the map of
    rt0: …`. `after` is `None` for a dropped constraint. `whole` is the whole part after this step, if
    `before` is only a piece.
    """

    rule: Rule
    before: Part
    after: Part | None
    where: str
    whole: Part | None = None


@dataclass
class _Frame:
    """A node whose children are being simplified, currently the one at `at`."""

    node: Expression
    children: list[Expression]
    at: int = 0


@dataclass
class Recorder:
    """Collects rewrites of the part that `where` names."""

    rewrites: list[Rewrite] = field(default_factory=list)
    where: str = ""
    prefix: str = ""
    _frames: list[_Frame] = field(default_factory=list)

    def note(self, rule: Rule, before: Part, after: Part | None) -> None:
        """Record a step; its whole is rebuilt from the enclosing nodes."""
        whole: Part | None = after
        if isinstance(after, Expression):
            whole = self._whole(after)
        self.rewrites.append(Rewrite(rule, before, after, self.prefix + self.where, whole))

    def note_folding(
        self, rule: Rule, node: Expression, children: Sequence[Expression], rebuilt: Expression
    ) -> None:
        """Record a step if rebuilding a node with new children folded it."""
        plain = _in_place(node, children)
        if plain != rebuilt:
            self.note(rule, plain, rebuilt)

    def each_child(
        self, node: Expression, simplified: Callable[[Expression], Expression]
    ) -> list[Expression]:
        """Simplify the children in order, so that a step's whole shows the preceding ones."""
        frame = _Frame(node, list(node.children))
        self._frames.append(frame)
        for frame.at, child in enumerate(node.children):
            frame.children[frame.at] = simplified(child)
        self._frames.pop()
        return frame.children

    def _whole(self, piece: Expression) -> Expression:
        for frame in reversed(self._frames):
            children = [*frame.children]
            children[frame.at] = piece
            piece = rebuild(frame.node, children)
        return piece


def _in_place(node: Expression, children: Sequence[Expression]) -> Expression:
    match node:
        case Sum():
            return Sum(tuple(children))
        case Product():
            return Product(tuple(children))
        case FloorDivide():
            return FloorDivide(children[0], node.divisor)
        case CeilDivide():
            return CeilDivide(children[0], node.divisor)
        case Modulo():
            return Modulo(children[0], node.divisor)
    return type(node)(*children) if children else Constant(0)
