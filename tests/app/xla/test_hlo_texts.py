"""HLO text as XLA prints it, told apart without XLA."""

from __future__ import annotations

import pytest

from hloscope.app.comparing.hlo_texts import is_optimised

ENTRY = "\n\nENTRY main {\n  ROOT a = f32[3] parameter(0)\n}\n"


@pytest.mark.parametrize(
    ("head", "is_scheduled"),
    [
        ("HloModule m, is_scheduled=true, entry_computation_layout={(f32[3]{0})->f32[3]{0}}", True),
        ("// seed 0\n/* of a dump */\nHloModule m, is_scheduled=true", True),
        ("HloModule m", False),
        ("// is_scheduled=true\nHloModule m", False),
    ],
)
def test_scheduled_text_says_so_in_its_header(head: str, is_scheduled: bool) -> None:
    assert is_optimised(head + ENTRY) == is_scheduled


def test_stablehlo_is_not_scheduled() -> None:
    assert not is_optimised("// HloModule m, is_scheduled=true\nfunc.func @main() { return }\n")
