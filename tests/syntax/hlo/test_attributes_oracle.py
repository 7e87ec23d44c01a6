"""XLA's own parser accepts the attributes that we print, and prints them identically."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import StringAttribute
from hloscope.engine.sharding.notation.hlo_shardings import read_sharding
from hloscope.engine.syntax.hlo.attributes.backend_configs import (
    print_frontend_attributes,
    read_config,
    read_frontend_attributes,
)
from hloscope.engine.syntax.hlo.attributes.device_ids import (
    print_pairs,
    print_replica_groups,
    read_pairs,
    read_replica_groups,
)
from hloscope.engine.syntax.hlo.attributes.dim_labels import print_dim_labels, read_dim_labels
from hloscope.engine.syntax.hlo.attributes.precision import (
    print_algorithm,
    print_precision,
    print_result_accuracy,
    read_algorithm,
    read_precision,
    read_result_accuracy,
)
from hloscope.engine.syntax.hlo.attributes.window_fields import (
    Window,
    print_padding,
    print_window,
    read_padding,
    read_window,
)
from hloscope.engine.syntax.hlo.metadata import Metadata, read_metadata
from tests.each import for_each

from ...oracle.client import Oracle
from . import test_configs as of_configs
from . import test_groups as of_groups
from . import test_metadata as of_metadata
from . import test_precision as of_precision
from . import test_shardings as of_shardings
from . import test_windows as of_windows
from .printing import print_config, print_metadata
from .reading import cursor

pytestmark = pytest.mark.oracle
FEW = settings(max_examples=50, deadline=None)

MODULE = """HloModule m, replica_count=8, num_partitions=2

f {{
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}}

ENTRY main {{
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  z = f32[] constant(0)
  ROOT r = {}
}}
"""


def instruction(oracle: Oracle, text: str, attribute: str) -> str | None:
    """XLA's text of one attribute of the instruction, or `None` if XLA omits it."""
    printed = oracle.parse_hlo(MODULE.format(text))
    line = next(line for line in printed.split("\n") if line.startswith("  ROOT %r "))
    match = re.search(rf", {attribute}=", line)
    if match is None:
        return None
    reading = cursor(line)
    reading.move(match.end())
    span = reading.skip_value()
    return line[span.start : span.end]


def in_window(oracle: Oracle, text: str) -> str | None:
    return instruction(oracle, f"f32[8] reduce-window(p, z), window={text}, to_apply=f", "window")


@pytest.mark.parametrize("text", [*of_windows.AS_WRITTEN, *of_windows.NORMALISED])
def test_windows(oracle: Oracle, text: str) -> None:
    if not text.startswith("{ "):  # we accept blanks around `=`, XLA does not
        ours = print_window(read_window(cursor(text)))
        assert (in_window(oracle, text) or "{}") == ours == (in_window(oracle, ours) or "{}")


@FEW
@given(of_windows.windows())
def test_any_window(oracle: Oracle, window: Window) -> None:
    ours = print_window(window)
    assert (in_window(oracle, ours) or "{}") == ours


@pytest.mark.parametrize("text", of_windows.LABELS)
def test_labels(oracle: Oracle, text: str) -> None:
    ours = print_dim_labels(read_dim_labels(cursor(text)))
    assert instruction(oracle, f"f32[8] convolution(p, q), dim_labels={text}", "dim_labels") == ours


@pytest.mark.parametrize("text", [text for text in of_windows.PADDED if text])
def test_padding(oracle: Oracle, text: str) -> None:
    ours = print_padding(*read_padding(cursor(text)))
    assert instruction(oracle, f"f32[8] pad(p, z), padding={text}", "padding") == ours


def in_groups(oracle: Oracle, text: str) -> str | None:
    return instruction(oracle, f"f32[8] all-reduce(p), replica_groups={text}, to_apply=f", "replica_groups")


@for_each("text", of_groups.GROUPS)
def test_groups(oracle: Oracle, text: str) -> None:
    if text == "mesh['a'=2,'b'=2] {}":
        return  # XLA has no groups of one process in this spelling
    assert in_groups(oracle, text) is not None
    ours = print_replica_groups(read_replica_groups(cursor(text)))
    assert in_groups(oracle, ours) == ours


def test_pairs(oracle: Oracle) -> None:
    text = "{{0,1},{1,2}}"
    ours = print_pairs(read_pairs(cursor(text)))
    line = f"f32[8] collective-permute(p), source_target_pairs={ours}"
    assert instruction(oracle, line, "source_target_pairs") == ours == text


def in_metadata(oracle: Oracle, text: str) -> str | None:
    return instruction(oracle, f"f32[8] add(p, q), metadata={text}", "metadata")


PLAIN = st.text(alphabet="ab/(<.", max_size=5)


@FEW
@given(of_metadata.METADATA, PLAIN, PLAIN)
def test_any_metadata(oracle: Oracle, metadata: Metadata, one: str, other: str) -> None:
    """XLA drops frames missing from its tables and metadata without names, and leaves two texts unescaped."""
    unsure = {"stack_frame_id": 0, "profile_type": (), "deduplicated_name": one, "scheduling_name": other}
    known = Metadata(**{**vars(metadata), **unsure, "op_name": f"n{metadata.op_name}"})
    text = in_metadata(oracle, print_metadata(known))
    assert text is not None
    assert read_metadata(cursor(text)) == known


@pytest.mark.parametrize("text", [text for text in of_metadata.AS_WRITTEN if "later" not in text])
def test_metadata(oracle: Oracle, text: str) -> None:
    found = read_metadata(cursor(in_metadata(oracle, text) or "{}"))
    ours = read_metadata(cursor(text))
    assert found == Metadata(**{**vars(ours), "stack_frame_id": 0})


@pytest.mark.parametrize("text", [*of_precision.PRECISIONS, "{ Highest, DEFAULT }"])
def test_precisions(oracle: Oracle, text: str) -> None:
    ours = print_precision(read_precision(cursor(text)))
    line = (
        f"f32[] dot(p, q), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}, operand_precision={text}"
    )
    assert (instruction(oracle, line, "operand_precision") or "{}") == ours


@for_each("text", of_precision.ALGORITHMS)
def test_algorithms(oracle: Oracle, text: str) -> None:
    found = read_algorithm(cursor(text))
    assert found is not None
    line = f"f32[] dot(p, q), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}, algorithm={text}"
    assert instruction(oracle, line, "algorithm") == print_algorithm(found)


@pytest.mark.parametrize("text", [*of_precision.ACCURACIES, *of_precision.OTHER_SPELLINGS])
def test_accuracies(oracle: Oracle, text: str) -> None:
    ours = print_result_accuracy(read_result_accuracy(cursor(text.replace(" ", ""))))
    line = "f32[8] exponential(p), result_accuracy="
    theirs = instruction(oracle, line + ours, "result_accuracy") or "{mode=default}"
    # XLA prints six digits.
    assert theirs == ours.replace("0.30000000000000004", "0.3")


@for_each("text", of_shardings.SHARDINGS)
def test_shardings(oracle: Oracle, text: str) -> None:
    theirs = instruction(oracle, f"f32[8] add(p, q), sharding={text}", "sharding")
    assert theirs is not None
    found, ours = read_sharding(cursor(theirs)), read_sharding(cursor(text))
    assert (found.device, found.mesh, found.group) == (ours.device, ours.mesh, ours.group)
    assert found.dimension_axes == ours.dimension_axes
    if ours.last_tiles == ("replicated",):
        return  # XLA sorts the devices of one shard
    assert (found.kind, found.tile_dimensions) == (ours.kind, ours.tile_dimensions)
    assert found.last_tiles == ours.last_tiles
    assert found.device_order().tolist() == ours.device_order().tolist()


def in_config(oracle: Oracle, text: str) -> str | None:
    line = f'f32[8] custom-call(p), custom_call_target="t", backend_config={text}'
    return instruction(oracle, line, "backend_config")


@for_each("text", of_configs.CONFIGS)
def test_configurations(oracle: Oracle, text: str) -> None:
    found = read_config(text)
    assert found is not None
    assert read_config(in_config(oracle, print_config(found)) or '""') == found


@FEW
@given(st.text().filter(lambda text: "{" not in text))
def test_any_string(oracle: Oracle, text: str) -> None:
    found = StringAttribute(text)
    assert read_config(in_config(oracle, print_config(found)) or '""') == found


RESERVED = ("true", "false", "inf", "nan", "ROOT", "ENTRY", "token", "opaque", "manual", "maximal")
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,5}", fullmatch=True).filter(
    lambda name: name not in RESERVED
)


@FEW
@given(st.dictionaries(NAMES, st.text(max_size=5), max_size=3))
def test_any_frontend_attributes(oracle: Oracle, attributes: dict[str, str]) -> None:
    line = f"f32[8] add(p, q), frontend_attributes={print_frontend_attributes(attributes)}"
    text = instruction(oracle, line, "frontend_attributes") or "{}"
    assert read_frontend_attributes(text) == attributes
