"""The facet for HLO text: the opcode, and what HLO writes or means differently."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HloSpelling:
    """The op in HLO text and in XLA's operation semantics. An op without a twin in HLO keeps the defaults."""

    opcode: str | None = None
    """The opcode in HLO text: `add`."""
    xla_name: str | None = None
    """The name in XLA's operation semantics: `Add`."""
    packs_results: bool = False
    """Whether HLO text returns several results as one tuple."""
    note: str = ""
    """Differences between HLO text and StableHLO, in sentences for the op's page."""
    is_lenient: bool = False
    """Whether HLO text may break the op's `cautions`; XLA refuses them elsewhere."""
