"""Opcodes whose results come from outside the program: custom-call and random numbers."""

from ....ir.attributes import (
    ArrayAttribute,
    DictionaryAttribute,
    IntegerAttribute,
    StringAttribute,
    SymbolAttribute,
)
from ....ir.module import Operation
from ..attributes.backend_configs import read_config
from ..attributes.dim_labels import read_dim_labels
from ..attributes.window_fields import read_window, window_properties_of_custom_call
from ..fields import Flag, Integer, Text, Word, Written, integer
from ..instruction_draft import Draft
from ..opcode_forms import Form

_VERSIONS = {
    "API_VERSION_ORIGINAL": 1,
    "API_VERSION_STATUS_RETURNING": 2,
    "API_VERSION_STATUS_RETURNING_UNIFIED": 3,
    "API_VERSION_TYPED_FFI": 4,
}


class Version:
    """`api_version=API_VERSION_TYPED_FFI`."""

    keys = ("api_version",)

    def read(self, draft: Draft) -> None:
        """Read StableHLO's number of the version."""
        word = draft.value("api_version", lambda cursor: cursor.word("a version"))
        if word is not None and word not in _VERSIONS:
            draft.fail_attribute("api_version", f"{word} is none of {', '.join(_VERSIONS)}")
        draft.properties["api_version"] = integer(_VERSIONS[word or "API_VERSION_ORIGINAL"], 32)

    def write(self, operation: Operation) -> Written:
        """Yield the version, unless it is the original one."""
        found = operation.properties.get("api_version")
        number = found.value if isinstance(found, IntegerAttribute) else 1
        word = next((word for word, version in _VERSIONS.items() if version == number), None)
        if word is not None and number != 1:
            yield "api_version", word


class Config:
    """`backend_config`: a string, JSON or an MLIR dictionary; its text is kept as well."""

    keys = ("backend_config",)

    def read(self, draft: Draft) -> None:
        """Read a string for the older versions and a dictionary for the newest, as StableHLO does."""
        text = draft.text("backend_config")
        if text is None:
            return
        draft.keep("backend_config")
        found = read_config(text)
        if isinstance(found, StringAttribute | DictionaryAttribute):
            draft.properties["hlo_backend_config"] = found

    def write(self, operation: Operation) -> Written:
        """Nothing: the text read from HLO is printed unchanged."""
        return iter(())


class Called:
    """`called_computations={a, b}`, or `to_apply=a`."""

    keys = ("called_computations", "to_apply")

    def read(self, draft: Draft) -> None:
        for key in ("called_computations", "to_apply"):
            if draft.has(key):
                names = tuple(SymbolAttribute(found.name) for found in draft.computations(key))
                draft.properties["called_computations"] = ArrayAttribute(names)

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get("called_computations")
        names = found.elements if isinstance(found, ArrayAttribute) else ()
        if names:
            listed = ", ".join(f"%{name.root}" for name in names if isinstance(name, SymbolAttribute))
            yield "called_computations", f"{{{listed}}}"


class CalledConvolution:
    """`window` and `dim_labels` of custom calls that are convolutions; their text is kept as well."""

    keys = ("dim_labels", "window")

    def read(self, draft: Draft) -> None:
        """Read them as for a convolution."""
        labels = draft.value("dim_labels", read_dim_labels)
        window = draft.value("window", read_window)
        if labels is not None:
            draft.properties["dimension_numbers"] = labels
        if window is not None:
            draft.properties |= window_properties_of_custom_call(window)
        draft.keep("dim_labels")
        draft.keep("window")

    def write(self, operation: Operation) -> Written:
        """Nothing: the text read from HLO is printed unchanged."""
        return iter(())


_DISTRIBUTIONS = {"rng_uniform": "UNIFORM", "rng_normal": "NORMAL"}
_ALGORITHMS = {"rng_default": "DEFAULT", "rng_three_fry": "THREE_FRY", "rng_philox": "PHILOX"}

FORMS: tuple[Form, ...] = (
    Form(
        "custom-call",
        "stablehlo.custom_call",
        (
            Text("custom_call_target", "call_target_name", needed=True),
            Called(),
            CalledConvolution(),
            Integer("feature_group_count", "feature_group_count", default=1),
            Integer("batch_group_count", "batch_group_count", default=1),
            Flag("custom_call_has_side_effect", "has_side_effect"),
            Version(),
            Config(),
        ),
    ),
    Form("rng", "hlo.rng", (Word("distribution", "rng_distribution", "rng_distribution", _DISTRIBUTIONS),)),
    Form(
        "rng-bit-generator",
        "stablehlo.rng_bit_generator",
        (Word("algorithm", "rng_algorithm", "rng_algorithm", _ALGORITHMS),),
    ),
    Form("rng-get-and-update-state", "hlo.rng_get_and_update_state", (Integer("delta", "delta"),)),
)
