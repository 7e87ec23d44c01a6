"""Forms of ops that move, create or convert elements."""

from __future__ import annotations

from .setup import Preset, Setup

SETUPS = (
    Setup(
        "concatenate",
        {"inputs": ("2x3xi32:iota", "2x2xi32:counting")},
        {"dimension": 1},
        title="Side by side",
        sentence="One input after the other along dimension 1.",
        presets=(
            Preset(
                "One below the other",
                "Along dimension 0, three of them.",
                {"inputs": ("1x4xi32:iota", "2x4xi32:counting", "1x4xi32:ones")},
                {"dimension": 0},
            ),
        ),
    ),
    Setup(
        "transpose",
        {"operand": "2x3x4xi32:iota"},
        {"permutation": [2, 0, 1]},
        title="Three dimensions",
        sentence="Dimension 0 of the result is dimension 2 of the operand, and so on.",
        presets=(
            Preset("A matrix", "Rows become columns.", {"operand": "3x5xi32:iota"}, {"permutation": [1, 0]}),
        ),
    ),
    Setup(
        "reshape",
        {"operand": "3x4xi32:iota"},
        {"result": "2x6x="},
        title="Rows of another length",
        sentence="The elements keep their order, row by row.",
        presets=(
            Preset(
                "Folded in two",
                "A dimension is cut into two: its map divides.",
                {"operand": "12xi32:iota"},
                {"result": "3x4x="},
            ),
            Preset("Flat", "Two dimensions become one: its map multiplies and adds.", {}, {"result": "12x="}),
        ),
    ),
    Setup(
        "broadcast_in_dim",
        {"operand": "4xi32:iota"},
        {"broadcast_dimensions": [1], "result": "3x4x="},
        title="A row, several times",
        sentence="Dimension 0 of the operand becomes dimension 1 of the result.",
        presets=(
            Preset(
                "A column", "The elements run down.", {"operand": "3xi32:iota"}, {"broadcast_dimensions": [0]}
            ),
            Preset(
                "A dimension of size 1",
                "It is repeated.",
                {"operand": "3x1xi32:iota"},
                {"broadcast_dimensions": [0, 1]},
            ),
            Preset("A scalar", "One element everywhere.", {"operand": "i32:7"}, {"broadcast_dimensions": []}),
        ),
    ),
    Setup(
        "reverse",
        {"operand": "3x5xi32:iota"},
        {"dimensions": [1]},
        title="Rows backwards",
        sentence="Dimension 1 is turned around.",
        presets=(Preset("Both dimensions", "Turned by half a turn.", {}, {"dimensions": [0, 1]}),),
    ),
    Setup(
        "dynamic_reshape",
        {"operand": "3x4xi32:iota", "output_shape": "2xi64:2,6"},
        title="Rows of another length",
        sentence="reshape, with the shape in an operand.",
    ),
    Setup(
        "dynamic_iota",
        {"output_shape": "2xi64:3,5"},
        {"iota_dimension": 1, "result": "=xi32"},
        title="Counts along a dimension",
        sentence="iota, with the shape in an operand.",
    ),
    Setup(
        "set_dimension_size",
        {"operand": "8xi32:iota", "size": "i32:5"},
        {"dimension": 0},
        title="Shorter",
        sentence="The first five elements are left.",
    ),
    Setup(
        "bitcast_convert",
        {"operand": "3x2xi32:iota"},
        {"result": "=xi16"},
        title="In halves",
        sentence="Each element becomes two of half the size, along a new last dimension.",
        presets=(
            Preset(
                "Joined",
                "Two elements become one of twice the size.",
                {"operand": "3x2xi16:iota"},
                {"result": "=xi32"},
            ),
            Preset("Of the same size", "The bits stay, the type changes.", {}, {"result": "=xf32"}),
        ),
    ),
    Setup(
        "select",
        {
            "pred": "2x3xi1:true,false,true,false,true,false",
            "on_true": "2x3xi32:iota",
            "on_false": "=x=:counting",
        },
        goes_with={"on_false": "on_true"},
        title="By a mask",
        sentence="Each element of one or of the other.",
    ),
    Setup(
        "clamp",
        {"min": "=x=:2", "operand": "2x6xi32:iota", "max": "=x=:8"},
        goes_with={"min": "operand", "max": "operand"},
        title="Between two scalars",
        sentence="Both limits are for all elements.",
    ),
    Setup(
        "rng_bit_generator",
        {"initial_state": "2xui64:1,2"},
        {"rng_algorithm": "THREE_FRY", "result": "2x3xui32"},
        title="Random bits",
        sentence="Every bit depends on the whole state.",
    ),
)
