"""Forms of products and reductions: dot_general, its predecessors, reduce, map, sort, solvers.

Normalisations and transforms belong here too.
"""

from __future__ import annotations

from .setup import Preset, Setup

_DOT = {
    "lhs_batching_dimensions": [],
    "rhs_batching_dimensions": [],
    "lhs_contracting_dimensions": [1],
    "rhs_contracting_dimensions": [0],
    "precision_config": ["DEFAULT", "DEFAULT"],
}
_IMAGE = "2x3x4xf32:random"
_SOLVE = {"left_side": True, "lower": True, "unit_diagonal": False, "transpose_a": "NO_TRANSPOSE"}

SETUPS = (
    Setup(
        "dot_general",
        {"lhs": "3x4xi32:counting", "rhs": "4x5x=:counting"},
        _DOT,
        title="A matrix product",
        sentence="A row times a column.",
        presets=(
            Preset(
                "Batched",
                "Two products side by side: dimension 0 goes along.",
                {"lhs": "2x3x4xi32:counting", "rhs": "2x4x2xi32:counting"},
                {
                    "lhs_batching_dimensions": [0],
                    "rhs_batching_dimensions": [0],
                    "lhs_contracting_dimensions": [2],
                    "rhs_contracting_dimensions": [1],
                },
            ),
            Preset(
                "Rows times rows",
                "Both last dimensions are contracted, as attention scores are computed.",
                {"lhs": "3x4xi32:counting", "rhs": "5x4xi32:counting"},
                {"rhs_contracting_dimensions": [1]},
            ),
            Preset(
                "Two dimensions at once",
                "Each result is a sum over a whole matrix.",
                {"lhs": "2x3x2xi32:counting", "rhs": "3x2x3xi32:counting"},
                {"lhs_contracting_dimensions": [1, 2], "rhs_contracting_dimensions": [0, 1]},
            ),
            Preset(
                "Outer product",
                "Nothing is contracted: each element meets each.",
                {"lhs": "4xi32:counting", "rhs": "5xi32:counting"},
                {"lhs_contracting_dimensions": [], "rhs_contracting_dimensions": []},
            ),
        ),
    ),
    Setup(
        "dot",
        {"lhs": "3x4xi32:counting", "rhs": "4x5xi32:counting"},
        {"precision_config": ["DEFAULT", "DEFAULT"]},
        title="A matrix product",
        sentence="The last dimension of lhs is contracted with the first of rhs.",
        presets=(Preset("A matrix and a vector", "rhs has one dimension.", {"rhs": "4xi32:counting"}),),
    ),
    Setup(
        "einsum",
        {"lhs": "3x4xi32:counting", "rhs": "4x5xi32:counting"},
        {"einsum_config": "ij,jk->ik"},
        title="A matrix product",
        sentence="What is not behind the arrow is summed over.",
        presets=(
            Preset(
                "A trace of a product",
                "Both letters are summed over.",
                {"rhs": "4x3xi32:counting"},
                {"einsum_config": "ij,ji->"},
            ),
        ),
    ),
    Setup(
        "unary_einsum",
        {"operand": "3x4xi32:counting"},
        {"einsum_config": "ij->i"},
        title="Sums of rows",
        sentence="What is not behind the arrow is summed over.",
        presets=(
            Preset(
                "A diagonal",
                "A letter that is there twice walks along the diagonal.",
                {"operand": "4x4xi32:iota"},
                {"einsum_config": "ii->i"},
            ),
        ),
    ),
    Setup(
        "reduce",
        {"inputs": ("3x4xi32:counting",), "init_values": ("=x=:zeros",)},
        {"dimensions": [1], "body": "add"},
        title="Sums of rows",
        sentence="Dimension 1 is added up.",
        presets=(
            Preset("All of it", "Both dimensions: one sum.", {}, {"dimensions": [0, 1]}),
            Preset(
                "Maxima of columns",
                "Dimension 0, the largest.",
                {"init_values": ("=x=:-999",)},
                {"dimensions": [0], "body": "maximum"},
            ),
            Preset(
                "Position of the largest",
                "Two inputs: values and their places; the body keeps the pair of the larger value.",
                {
                    "inputs": ("3x4xi32:3,1,4,1,5,9,2,6,5,3,5,8", "3x4xi32:0,1,2,3,0,1,2,3,0,1,2,3"),
                    "init_values": ("i32:-999", "i32:-1"),
                },
                {"dimensions": [1], "body": "argmax"},
            ),
        ),
    ),
    Setup(
        "sort",
        {"inputs": ("2x6xi32:3,1,4,1,5,9,2,6,5,3,5,8",)},
        {"dimension": 1, "is_stable": True, "comparator": "LT"},
        title="Rows",
        sentence="Each row for itself; which element goes where depends on the values.",
        presets=(
            Preset(
                "Keys and values",
                "The second input goes along with the first.",
                {"inputs": ("6xi32:3,1,4,1,5,9", "6xi32:iota")},
                {"dimension": 0},
            ),
            Preset(
                "Columns, descending",
                "Dimension 0, the largest first.",
                {},
                {"dimension": 0, "comparator": "GT"},
            ),
        ),
    ),
    Setup(
        "fft",
        {"operand": "2x4xcomplex<f32>:iota"},
        {"fft_type": "FFT", "fft_length": [4]},
        title="Rows",
        sentence="Every element of a row goes into every element of its transform.",
        presets=(
            Preset(
                "Both dimensions",
                "A transform of matrices.",
                {"operand": "4x4xcomplex<f32>:iota"},
                {"fft_length": [4, 4]},
            ),
            Preset(
                "Of real numbers",
                "RFFT: half of the transform says it all.",
                {"operand": "2x8xf32:iota"},
                {"fft_type": "RFFT", "fft_length": [8]},
            ),
        ),
    ),
    Setup(
        "cholesky",
        {"a": "3x3xf32:1,2,3,2,20,26,3,26,70"},
        {"lower": True},
        title="A lower triangle",
        sentence="A triangle whose product with its transpose is the matrix; an element reads a leading part of it.",
        presets=(Preset("An upper triangle", "lower is false.", {}, {"lower": False}),),
    ),
    Setup(
        "triangular_solve",
        {"a": "3x3xf32:1,0,0,2,4,0,3,5,6", "b": "3x2xf32:2,1,4,8,6,10"},
        _SOLVE,
        title="From the top",
        sentence="A lower triangle: row i of the result reads the rows of b up to i, and as much of a.",
        presets=(
            Preset(
                "From the bottom",
                "An upper triangle: row i reads the rows from i on.",
                {"a": "3x3xf32:1,2,3,0,4,5,0,0,6"},
                {"lower": False},
            ),
            Preset(
                "From the right",
                "x times a is b: columns instead of rows.",
                {"b": "2x3xf32:2,1,4,8,6,10"},
                {"left_side": False},
            ),
            Preset("Transposed", "a is read along its columns.", {}, {"transpose_a": "TRANSPOSE"}),
        ),
    ),
)
