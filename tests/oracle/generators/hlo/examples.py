"""Opcodes that XLA does not run on the CPU, each with the reason, and programs of theirs that it reads and verifies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unrun:
    """Why nothing of an opcode is compared, and texts that are legal all the same."""

    reason: str
    texts: tuple[str, ...]


_NO_CODE = "XLA's backend for the CPU has no code for it: frameworks hand over what it is made of"
_NO_FUTURES = "XLA's backend for the CPU starts nothing that it does not end at once"
_NOBODY = "there is nobody at the other end"


def _entry(*lines: str, before: str = "") -> str:
    return f"HloModule example\n\n{before}ENTRY main {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _unary(opcode: str) -> Unrun:
    texts = [
        _entry(f"p = {found}[2,3] parameter(0)", f"ROOT r = {found}[2,3] {opcode}(p)")
        for found in ("f32", "f64", "bf16", "c64")
    ]
    return Unrun(_NO_CODE, tuple(texts))


_ASYNCHRONOUS = (
    _entry(
        "p = f32[2,3] parameter(0)",
        "s = ((f32[2,3]), f32[2,3], s32[]) negate-start(p)",
        "ROOT r = f32[2,3] negate-done(s)",
    ),
    _entry(
        "%p = f32[2]{0} parameter(0)",
        "%s = ((f32[2]{0}, f32[2]{0}), f32[2]{0}, u32[]) async-start(%p, %p), calls=%both",
        "%u = ((f32[2]{0}, f32[2]{0}), f32[2]{0}, u32[]) async-update(%s)",
        "ROOT %r = f32[2]{0} async-done(%u)",
        before="%both {\n  %x = f32[2]{0} parameter(0)\n  %y = f32[2]{0} parameter(1)\n"
        "  ROOT %z = f32[2]{0} multiply(%x, %y)\n}\n\n",
    ),
    _entry(
        "p = s32[4] parameter(0)",
        's = ((s32[4]), s32[2], s32[]) slice-start(p), slice={[0:2]}, async_execution_thread="parallel"',
        "u = ((s32[4]), s32[2], s32[]) slice-update(s)",
        "ROOT r = s32[2] slice-done(u)",
    ),
)
_COPIES = (
    _entry(
        "p = f32[2,3] parameter(0)",
        "s = (f32[2,3]{0,1}, f32[2,3], u32[]) copy-start(p)",
        "d = f32[2,3]{0,1} copy-done(s)",
        "ROOT r = f32[2,3] copy(d)",
    ),
)
_FEEDS = (
    _entry(
        "t = token[] after-all()",
        "i = (f32[4], token[]) infeed(t)",
        "ROOT r = f32[4] get-tuple-element(i), index=0",
    ),
    _entry(
        "t = token[] after-all()",
        'i = ((f32[4], s32[]), token[]) infeed(t), infeed_config="queue"',
        "d = (f32[4], s32[]) get-tuple-element(i), index=0",
        "ROOT r = f32[4] get-tuple-element(d), index=0",
    ),
)
_OUTFEEDS = (
    _entry(
        "p = f32[4] parameter(0)",
        "t = token[] after-all()",
        "o = token[] outfeed(p, t), outfeed_shape=f32[4]",
        "ROOT r = f32[4] add-dependency(p, o)",
    ),
)
_MESSAGES = (
    _entry(
        "p = f32[4] parameter(0)",
        "t = token[] after-all()",
        "s = (f32[4], u32[], token[]) send(p, t), channel_id=1, is_host_transfer=true",
        "d = token[] send-done(s), channel_id=1, is_host_transfer=true",
        "ROOT r = f32[4] add-dependency(p, d)",
    ),
    _entry(
        "t = token[] after-all()",
        "s = (f32[4], u32[], token[]) recv(t), channel_id=2, is_host_transfer=true",
        "d = (f32[4], token[]) recv-done(s), channel_id=2, is_host_transfer=true",
        "ROOT r = f32[4] get-tuple-element(d), index=0",
    ),
)
_RAGGED_DOTS = (
    _entry(
        "p = f32[4,2] parameter(0)",
        "q = f32[2,2,3] parameter(1)",
        "g = s32[2] parameter(2)",
        "ROOT r = f32[4,3] ragged-dot(p, q, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
        "lhs_ragged_dims={0}, rhs_group_dims={0}",
    ),
    _entry(
        "p = f32[4,6] parameter(0)",
        "q = f32[6,3] parameter(1)",
        "g = s32[2] parameter(2)",
        "ROOT r = f32[2,4,3] ragged-dot(p, q, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
        "lhs_ragged_dims={1}",
    ),
)
_RAGGED_EXCHANGES = (
    _entry(
        "p = f32[4] parameter(0)",
        "q = f32[4] parameter(1)",
        "i = s32[1] parameter(2)",
        "ROOT r = f32[4] ragged-all-to-all(p, q, i, i, i, i), replica_groups={{0}}",
    ),
)
_SCALED = (
    _entry(
        "p = f8e4m3fn[4,64] parameter(0)",
        "q = f8e4m3fn[64,8] parameter(1)",
        "s = f8e8m0fnu[4,2] parameter(2)",
        "t = f8e8m0fnu[2,8] parameter(3)",
        "ROOT r = f32[4,8] scaled-dot(p, q, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    ),
)
_BROADCASTS = (
    _entry("p = f32[4] parameter(0)", "ROOT r = f32[4] collective-broadcast(p), replica_groups={{0}}"),
)

WITHOUT_CPU: dict[str, Unrun] = {
    **{name: _unary(name) for name in ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh")},
    **{f"async-{part}": Unrun(_NO_FUTURES, _ASYNCHRONOUS) for part in ("start", "update", "done")},
    **{f"copy-{part}": Unrun(_NO_FUTURES, _COPIES) for part in ("start", "done")},
    "infeed": Unrun("it waits for data that no test can send", _FEEDS),
    "outfeed": Unrun("it waits for somebody to take its data", _OUTFEEDS),
    **{name: Unrun(_NOBODY, _MESSAGES) for name in ("send", "send-done", "recv", "recv-done")},
    "ragged-dot": Unrun(_NO_CODE, _RAGGED_DOTS),
    "ragged-all-to-all": Unrun(
        "XLA's importer makes a call of it that waits for other processes", _RAGGED_EXCHANGES
    ),
    "scaled-dot": Unrun("XLA's importer does not know it", _SCALED),
    "collective-broadcast": Unrun("XLA's backend for the CPU has no code for it", _BROADCASTS),
}
"""Opcodes of XLA's own list that have no generator."""

OLD_FORMS = (
    _entry(
        "p = f32[4,5] parameter(0)",
        "i = s32[2] parameter(1)",
        "ROOT r = f32[2,1] dynamic-slice(p, i), dynamic_slice_sizes={2,1}",
    ),
    _entry(
        "p = f32[4,5] parameter(0)",
        "q = f32[2,2] parameter(1)",
        "i = s32[2] parameter(2)",
        "ROOT r = f32[4,5] dynamic-update-slice(p, q, i)",
    ),
)
"""Legal, but what runs them does not survive it."""
OTHER_FUSIONS = (
    _entry(
        "p = f32[2,3] parameter(0)",
        "ROOT r = f32[2] fusion(p), kind=kInput, calls=f",
        before="a {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\n\n"
        "f {\n  q = f32[2,3] parameter(0)\n  c = f32[] constant(0)\n"
        "  ROOT s = f32[2] reduce(q, c), dimensions={1}, to_apply=a\n}\n\n",
    ),
    _entry(
        "p = f32[2,3] parameter(0)",
        "ROOT r = f32[2,3] fusion(p), kind=kCustom, calls=f",
        before="f {\n  q = f32[2,3] parameter(0)\n  ROOT s = f32[2,3] negate(q)\n}\n\n",
    ),
)
"""Kinds of fusion for other machines."""
