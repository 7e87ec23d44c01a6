"""Opcodes that XLA does not run on the CPU, each with the reason; and pairs of instructions that it reads and verifies."""

from __future__ import annotations

_NO_CODE = "XLA's backend for the CPU has no code for it: frameworks hand over what it is made of"
_NO_FUTURES = "XLA's backend for the CPU starts nothing that it does not end at once"
_NOBODY = "there is nobody at the other end"


def _entry(*lines: str, before: str = "") -> str:
    return f"HloModule example\n\n{before}ENTRY main {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


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
WITHOUT_CPU: dict[str, str] = {
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh", "ragged-dot"), _NO_CODE),
    **dict.fromkeys(("async-start", "async-update", "async-done", "copy-start", "copy-done"), _NO_FUTURES),
    **dict.fromkeys(("send", "send-done", "recv", "recv-done"), _NOBODY),
    "infeed": "it waits for data that no test can send",
    "outfeed": "it waits for somebody to take its data",
    "ragged-all-to-all": "XLA's importer makes a call of it that waits for other processes",
    "scaled-dot": "XLA's importer does not know it",
    "collective-broadcast": "XLA's backend for the CPU has no code for it",
}
"""Opcodes of XLA's own list that have no generator."""

PAIRS = (*_ASYNCHRONOUS, *_COPIES, *_FEEDS, *_OUTFEEDS, *_MESSAGES)
"""Instructions that XLA verifies only together."""
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
