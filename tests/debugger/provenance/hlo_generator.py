"""Random HLO text of functions in functions that take and give nested tuples, on processes that send with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

VALUE = "f32[2,3]"
PAIR = f"({VALUE}, {VALUE})"
ALL = f"({VALUE}, ({VALUE}, s32[]))"
TURN = f"(s32[], {PAIR}, s32[])"
DEEPEST = 2


class HloGenerator:
    """Writes one module; its inputs are two arrays and a number that chooses, and counts turns."""

    def __init__(self, seed: int, processes: int) -> None:
        self.random, self.processes = Random(seed), processes
        self.names = 0
        self.functions: list[str] = []
        lines, values = self._ops(["x", "y"], self.random.randint(4, 8), 0)
        root = f"ROOT out = ({PAIR}, {VALUE}) tuple(in, {self._pick(values)})"
        ends = [f"in = {PAIR} tuple({values[-1]}, {values[-2]})", root]
        inputs = [
            f"{n} = {t} parameter({k})"
            for k, (n, t) in enumerate((("x", VALUE), ("y", VALUE), ("i", "s32[]")))
        ]
        main = "\n".join(f"  {line}" for line in (*inputs, *lines, *ends))
        head = f"HloModule generated, replica_count={processes}"
        self.text = "\n\n".join([head, *self.functions, f"ENTRY main {{\n{main}\n}}", ""])

    def _name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def _pick(self, values: Sequence[str]) -> str:
        return self.random.choice(values[-4:])

    def _ops(self, values: Sequence[str], count: int, depth: int) -> tuple[list[str], list[str]]:
        """Lines, and the values that there are then."""
        lines, known = list[str](), list(values)
        for _ in range(count):
            makers = [self._plain, self._tuples, self._slice]
            if depth < DEEPEST:
                makers += [self._fusion, self._started, self._conditional, self._loop]
            if depth == 0 and self.processes > 1:
                makers += [self._message] * 3
            name = self._name()
            lines += self.random.choice(makers)(name, known, depth)
            known.append(name)
        return lines, known

    def _function(self, inputs: Sequence[str], values: Sequence[str], count: int, depth: int) -> str:
        """One that gives two values of those that it makes; its name."""
        lines, known = self._ops(values, count, depth + 1)
        root = f"ROOT out = {PAIR} tuple({known[-1]}, {self._pick(known)})"
        return self._stated([*inputs, *lines, root])

    def _stated(self, lines: Sequence[str]) -> str:
        name = f"f{self._name()}"
        self.functions.append(f"{name} {{\n" + "\n".join(f"  {line}" for line in lines) + "\n}")
        return name

    def _first(self, name: str, pair: str) -> str:
        return f"{name} = {VALUE} get-tuple-element({pair}), index={self.random.randrange(2)}"

    # Ops

    def _plain(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        one, other = self._pick(values), self._pick(values)
        made = (f"tanh({one})", f"subtract({one}, {other})", f"reverse({one}), dimensions={{1}}")
        return [f"{name} = {VALUE} {self.random.choice(made)}"]

    def _tuples(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        return [
            f"{name}p = {PAIR} tuple({self._pick(values)}, {self._pick(values)})",
            f"{name}t = ({VALUE}, {PAIR}) tuple({self._pick(values)}, {name}p)",
            f"{name}q = {PAIR} get-tuple-element({name}t), index=1",
            self._first(name, f"{name}q"),
        ]

    def _slice(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        return [
            f"{name}z = s32[] constant(0)",
            f"{name}s = f32[1,3] dynamic-slice({self._pick(values)}, i, {name}z), dynamic_slice_sizes={{1,3}}",
            f"{name} = {VALUE} dynamic-update-slice({self._pick(values)}, {name}s, {name}z, i)",
        ]

    # Functions

    def _of_three(self, depth: int) -> str:
        inputs = [f"x = {VALUE} parameter(0)", f"y = {VALUE} parameter(1)", "i = s32[] parameter(2)"]
        return self._function(inputs, ["x", "y"], self.random.randint(1, 3), depth)

    def _fusion(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        kind = self.random.choice(("kLoop", "kInput", "kOutput", "kCustom"))
        given = f"{self._pick(values)}, {self._pick(values)}, i"
        made = f"{name}p = {PAIR} fusion({given}), kind={kind}, calls={self._of_three(depth)}"
        return [made, self._first(name, f"{name}p")]

    def _started(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        stated, given = (
            f"(({VALUE}, {VALUE}, s32[]), {PAIR}, u32[])",
            f"{self._pick(values)}, {self._pick(values)}, i",
        )
        return [
            f"{name}s = {stated} async-start({given}), calls={self._of_three(depth)}",
            f"{name}u = {stated} async-update({name}s)",
            f"{name}p = {PAIR} async-done({name}u)",
            self._first(name, f"{name}p"),
        ]

    def _conditional(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        inputs = [
            f"t = {ALL} parameter(0)",
            f"x = {VALUE} get-tuple-element(t), index=0",
            f"u = ({VALUE}, s32[]) get-tuple-element(t), index=1",
            f"y = {VALUE} get-tuple-element(u), index=0",
            "i = s32[] get-tuple-element(u), index=1",
        ]
        branches = [self._function(inputs, ["x", "y"], self.random.randint(0, 2), depth) for _ in range(2)]
        named = [self.random.choice(branches) for _ in range(3)]
        lines = []
        for k in range(3):
            lines += [
                f"{name}u{k} = ({VALUE}, s32[]) tuple({self._pick(values)}, i)",
                f"{name}t{k} = {ALL} tuple({self._pick(values)}, {name}u{k})",
            ]
        given = ", ".join(f"{name}t{k}" for k in range(3))
        made = f"{name}p = {PAIR} conditional(i, {given}), branch_computations={{{', '.join(named)}}}"
        return [*lines, made, self._first(name, f"{name}p")]

    def _loop(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        """Of at most three turns."""
        taken = [
            f"t = {TURN} parameter(0)",
            "k = s32[] get-tuple-element(t), index=0",
            "i = s32[] get-tuple-element(t), index=2",
        ]
        pair = [
            f"p = {PAIR} get-tuple-element(t), index=1",
            f"x = {VALUE} get-tuple-element(p), index=0",
            f"y = {VALUE} get-tuple-element(p), index=1",
        ]
        lines, known = self._ops(["x", "y"], self.random.randint(1, 3), depth + 1)
        following = [
            "one = s32[] constant(1)",
            "more = s32[] add(k, one)",
            f"q = {PAIR} tuple({known[-1]}, x)",
        ]
        body = self._stated([*taken, *pair, *lines, *following, f"ROOT out = {TURN} tuple(more, q, i)"])
        limit = ["three = s32[] constant(3)", "m = s32[] minimum(i, three)"]
        condition = self._stated([*taken, *limit, "ROOT out = pred[] compare(k, m), direction=LT"])
        return [
            f"{name}z = s32[] constant(0)",
            f"{name}p = {PAIR} tuple({self._pick(values)}, {self._pick(values)})",
            f"{name}t = {TURN} tuple({name}z, {name}p, i)",
            f"{name}w = {TURN} while({name}t), condition={condition}, body={body}",
            f"{name}q = {PAIR} get-tuple-element({name}w), index=1",
            self._first(name, f"{name}q"),
        ]

    # Processes

    def _message(self, name: str, values: Sequence[str], depth: int) -> list[str]:
        """From some processes to some, perhaps to themselves."""
        everybody = range(self.processes)
        ends = zip(self.random.sample(everybody, 2), self.random.sample(everybody, 2), strict=True)
        pairs = ",".join(f"{{{source},{target}}}" for source, target in ends)
        channel = f"channel_id={self.names}"
        stated = f"{channel}, frontend_attributes={{_xla_send_recv_source_target_pairs={{{pairs}}}}}"
        future = f"({VALUE}, u32[], token[])"
        return [
            f"{name}k = token[] after-all()",
            f"{name}r = {future} recv({name}k), {stated}",
            f"{name}s = {future} send({self._pick(values)}, {name}k), {stated}",
            f"{name}e = token[] send-done({name}s), {channel}",
            f"{name}d = ({VALUE}, token[]) recv-done({name}r), {channel}",
            f"{name}a = {VALUE} get-tuple-element({name}d), index=0",
            f"{name}b = {VALUE} get-tuple-element({name}s), index=0",
            f"{name} = {VALUE} subtract({name}a, {name}b)",
        ]
