"""Text as XLA's CPU compiler leaves it: fusions with computations of their own, layouts, metadata, stack frames.

Each layer is attention and a network as they stand in a training step that was dumped after all passes: normalised,
in heads, softmax, tanh; every fusion with its computation, every reduction with its region.
"""

from __future__ import annotations

from collections.abc import Callable

WEIGHTS = 12
"""As many layers have weights of their own; those after them take the same again."""
STACK_FRAMES = 40

SHAPES = {
    "X": "f32[2,32,64]{2,1,0}",
    "ROW": "f32[2,32]{1,0}",
    "FLAT": "f32[64,64]{1,0}",
    "THREE": "f32[64,192]{1,0}",
    "WIDE": "f32[64,256]{1,0}",
    "BACK": "f32[256,64]{1,0}",
    "HEAD": "f32[2,32,4,16]{3,2,1,0}",
    "QUERY": "f32[2,4,32,16]{3,2,1,0}",
    "KEY": "f32[2,4,16,32]{3,2,1,0}",
    "SCORE": "f32[2,4,32,32]{3,2,1,0}",
    "SUM": "f32[2,4,32]{2,1,0}",
}

# A computation: its name, the shapes that it takes and gives, its instructions, each with the name of its op after
# a bar; `p0` is the first parameter, `@` the number of the layer.
COMPUTATIONS = """
mean = X S -> ROW
  ROOT reduce_sum ROW reduce(p0, p1), dimensions={2}, to_apply=%region_add.@ | reduce_sum

centre = X ROW -> X
  div S constant(0.015625)
  div_b ROW broadcast(div), dimensions={} | div
  div_m ROW multiply(p1, div_b) | div
  sub_b X broadcast(div_m), dimensions={0,1} | sub
  ROOT sub X subtract(p0, sub_b) | sub

spread = X S -> ROW
  integer_pow X multiply(p0, p0) | integer_pow
  ROOT reduce_sum ROW reduce(integer_pow, p1), dimensions={2}, to_apply=%region_add.@ | reduce_sum

rsqrt = ROW -> ROW
  div S constant(0.015625)
  div_b ROW broadcast(div), dimensions={} | div
  div_m ROW multiply(p0, div_b) | div
  eps S constant(1e-05)
  eps_b ROW broadcast(eps), dimensions={} | add
  add ROW add(div_m, eps_b) | add
  ROOT rsqrt ROW rsqrt(add) | rsqrt

scale = ROW X -> FLAT
  mul_b X broadcast(p0), dimensions={0,1} | mul
  mul X multiply(p1, mul_b) | mul
  ROOT bitcast FLAT bitcast(mul) | reshape

qkv = FLAT THREE -> THREE
  ROOT dot THREE dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0} | dot_general

query = THREE -> QUERY
  slice FLAT slice(p0), slice={[0:64], [0:64]} | slice
  bitcast HEAD bitcast(slice) | squeeze
  ROOT transpose QUERY transpose(bitcast), dimensions={0,2,1,3} | transpose

key = THREE -> KEY
  slice FLAT slice(p0), slice={[0:64], [64:128]} | slice
  bitcast HEAD bitcast(slice) | squeeze
  ROOT transpose KEY transpose(bitcast), dimensions={0,2,3,1} | transpose

value = THREE -> QUERY
  slice FLAT slice(p0), slice={[0:64], [128:192]} | slice
  bitcast HEAD bitcast(slice) | squeeze
  ROOT transpose QUERY transpose(bitcast), dimensions={0,2,1,3} | transpose

scores = QUERY KEY -> SCORE
  dot SCORE dot(p0, p1), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2} | dot_general
  div S constant(0.25)
  div_b SCORE broadcast(div), dimensions={} | div
  ROOT mul SCORE multiply(dot, div_b) | div

largest = SCORE S -> SUM
  ROOT reduce_max SUM reduce(p0, p1), dimensions={3}, to_apply=%region_max.@ | reduce_max

powers = SCORE SUM -> SCORE
  sub_b SCORE broadcast(p1), dimensions={0,1,2} | sub
  sub SCORE subtract(p0, sub_b) | sub
  ROOT exp SCORE exponential(sub) | exp

total = SCORE S -> SUM
  ROOT reduce_sum SUM reduce(p0, p1), dimensions={3}, to_apply=%region_add.@ | reduce_sum

weights = SCORE SUM -> SCORE
  one S constant(1)
  one_b SUM broadcast(one), dimensions={} | div
  div SUM divide(one_b, p1) | div
  div_b SCORE broadcast(div), dimensions={0,1,2} | div
  ROOT mul SCORE multiply(p0, div_b) | div

mixed = SCORE QUERY -> QUERY
  ROOT dot QUERY dot(p0, p1), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2} | dot_general

joined = QUERY -> FLAT
  transpose HEAD transpose(p0), dimensions={0,2,1,3} | transpose
  copy HEAD copy(transpose) | transpose
  ROOT bitcast FLAT bitcast(copy) | reshape

residual = X FLAT -> X
  bitcast X bitcast(p1) | dot_general
  ROOT add X add(p0, bitcast) | add

hidden = WIDE -> WIDE
  half S constant(0.5)
  half_b WIDE broadcast(half), dimensions={} | mul
  mul WIDE multiply(p0, half_b) | mul
  tanh WIDE tanh(mul) | tanh
  one S constant(1)
  one_b WIDE broadcast(one), dimensions={} | add
  add WIDE add(tanh, one_b) | add
  ROOT gate WIDE multiply(add, tanh) | mul
"""

# An instruction of the entry computation: its shape, the computation that it calls or the op, its operands.
# `$` is what the layer before has made.
ENTRY = """
mean_fusion ROW mean($, zero)
subtract_fusion X centre($, mean_fusion)
spread_fusion ROW spread(subtract_fusion, zero)
rsqrt_fusion ROW rsqrt(spread_fusion)
multiply_bitcast_fusion FLAT scale(rsqrt_fusion, subtract_fusion)
qkv_fusion THREE qkv(multiply_bitcast_fusion, W0)
query_fusion QUERY query(qkv_fusion)
key_fusion KEY key(qkv_fusion)
value_fusion QUERY value(qkv_fusion)
scores_fusion SCORE scores(query_fusion, key_fusion)
largest_fusion SUM largest(scores_fusion, low)
exponential_fusion SCORE powers(scores_fusion, largest_fusion)
total_fusion SUM total(exponential_fusion, zero)
divide_fusion SCORE weights(exponential_fusion, total_fusion)
mixed_fusion QUERY mixed(divide_fusion, value_fusion)
copy_bitcast_fusion FLAT joined(mixed_fusion)
out_dot FLAT =dot(copy_bitcast_fusion, W1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
add_fusion X residual($, out_dot)
flat_bitcast FLAT =bitcast(add_fusion)
wide_dot WIDE =dot(flat_bitcast, W2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
gate_fusion WIDE hidden(wide_dot)
back_dot FLAT =dot(gate_fusion, W3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
out_fusion X residual(add_fusion, back_dot)
"""

WEIGHT_SHAPES = ("THREE", "FLAT", "WIDE", "BACK")
TAIL = ', backend_config={"outer_dimension_partitions":[],"fusion_config":{"kind":"__ynn_fusion"}}'


def optimised_hlo(lines: int = 60_000, finish: Callable[[str, int], str] = lambda text, layer: text) -> str:
    """A module of about so many lines, and no fewer; `finish` changes the text of each layer."""
    layer = _layer(0)
    layers = -(-(lines - STACK_FRAMES) // sum(text.count("\n") for text in layer))
    computations, entry = zip(
        *([finish(text, number) for text in _layer(number)] for number in range(layers)), strict=True
    )
    weights = [f"weights_{layer}_{k}" for layer in range(WEIGHTS) for k in range(4)]
    shapes = [SHAPES[WEIGHT_SHAPES[k]] for _ in range(WEIGHTS) for k in range(4)]
    named = [("x.1", SHAPES["X"]), *zip(weights, shapes, strict=True)]
    parameters = "".join(
        f'  %{name} = {shape} parameter({number}), metadata={{op_name="{name}"}}\n'
        for number, (name, shape) in enumerate(named)
    )
    taken = ", ".join(f"{name}: {shape.partition('{')[0]}" for name, shape in named)
    result = SHAPES["X"]
    return (
        f"HloModule jit_step, is_scheduled=true, entry_computation_layout={{({', '.join(s for _, s in named)})"
        f"->{result}}}\n\n{_stack_frames()}\n{''.join(computations)}"
        f"ENTRY %main.1 ({taken}) -> f32[2,32,64] {{\n{parameters}"
        "  %zero = f32[] constant(0)\n  %low = f32[] constant(-inf)\n"
        f"{''.join(entry)}  ROOT %copy.1 = {result} copy(%out_fusion.{layers - 1})\n}}\n"
    )


def _stack_frames() -> str:
    numbers = range(1, STACK_FRAMES + 1)
    places = "".join(
        f"{n} {{file_name_id=1 function_name_id=1 line={n} end_line={n} column=4 end_column=30}}\n"
        for n in numbers
    )
    frames = "".join(f"{n} {{file_location_id={n} parent_frame_id={max(1, n - 1)}}}\n" for n in numbers)
    return f'FileNames\n1 "train.py"\n\nFunctionNames\n1 "step"\n\nFileLocations\n{places}\nStackFrames\n{frames}'


def _layer(number: int) -> tuple[str, str]:
    """The computations of a layer, and its lines of the entry computation."""
    regions = "".join(
        _region(f"region_{name}.{number}", op) for name, op in (("add", "add"), ("max", "maximum"))
    )
    computations = "".join(_computation(text, number) for text in COMPUTATIONS.strip().split("\n\n"))
    entry = "".join(_entry_line(text, number) for text in ENTRY.strip().splitlines())
    return regions + computations, entry


def _region(name: str, op: str) -> str:
    return (
        f"%{name} (a.{name}: f32[], b.{name}: f32[]) -> f32[] {{\n"
        f'  %a.{name} = f32[] parameter(0), metadata={{op_name="reduce_{op}"}}\n'
        f'  %b.{name} = f32[] parameter(1), metadata={{op_name="reduce_{op}"}}\n'
        f"  ROOT %c.{name} = f32[] {op}(%a.{name}, %b.{name}){_metadata(op, len(name))}\n}}\n\n"
    )


def _metadata(op: str, frame: int) -> str:
    return f', metadata={{op_name="jit(step)/jvp()/{op}" stack_frame_id={frame % STACK_FRAMES + 1}}}'


def _shape(letters: str) -> str:
    return SHAPES.get(letters, "f32[]")


def _computation(text: str, number: int) -> str:
    head, *body = text.splitlines()
    name, _, signature = head.partition(" = ")
    taken, _, given = signature.partition(" -> ")
    shapes = [_shape(letters) for letters in taken.split()]
    plain = [f"p{k}.{name}.{number}: {shape.partition('{')[0]}" for k, shape in enumerate(shapes)]
    parameters = [f"  %p{k}.{name}.{number} = {shape} parameter({k})\n" for k, shape in enumerate(shapes)]
    lines = [_instruction(line.strip(), f".{name}.{number}", number) for line in body]
    opened = f"%{name}.{number} ({', '.join(plain)}) -> {_shape(given).partition('{')[0]} {{\n"
    return opened + "".join([*parameters, *lines]) + "}\n\n"


def _instruction(line: str, suffix: str, number: int) -> str:
    written, _, op = line.partition(" | ")
    root, written = ("ROOT ", written[5:]) if written.startswith("ROOT ") else ("", written)
    name, shape, rest = written.split(" ", 2)
    opcode, _, rest = rest.partition("(")
    operands, _, attributes = rest.partition(")")
    if opcode != "constant":
        operands = ", ".join(f"%{operand}{suffix}" for operand in operands.split(", "))
    told = _metadata(op, number + len(name)) if op else ""
    attributes = attributes.replace("@", str(number))
    return f"  {root}%{name}{suffix} = {_shape(shape)} {opcode}({operands}){attributes}{told}\n"


def _entry_line(line: str, number: int) -> str:
    name, shape, rest = line.split(" ", 2)
    called, _, rest = rest.partition("(")
    operands, _, attributes = rest.partition(")")
    named = ", ".join(_entry_operand(operand, number) for operand in operands.split(", "))
    if called.startswith("="):
        made = f"{called[1:]}({named}){attributes}{_metadata(called[1:], number)}"
    else:
        custom = number % 2 == 0
        kind = "kCustom" if custom else "kLoop"
        made = f"fusion({named}), kind={kind}, calls=%{called}.{number}{_metadata(called, number)}{TAIL * custom}"
    return f"  %{name}.{number} = {_shape(shape)} {made}\n"


def _entry_operand(operand: str, number: int) -> str:
    if operand in ("zero", "low"):
        return f"%{operand}"
    if operand == "$":
        return f"%out_fusion.{number - 1}" if number else "%x.1"
    if operand.startswith("W"):
        return f"%weights_{number % WEIGHTS}_{operand[1:]}"
    return f"%{operand}.{number}"
