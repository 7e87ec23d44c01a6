"""Windows that move over a tensor: convolution, reduce_window, select_and_scatter, pad."""

from __future__ import annotations

from .setup import Preset, Setup

_IMAGE = {
    "window_strides": [1, 1],
    "padding": [[0, 0], [0, 0]],
    "lhs_dilation": [1, 1],
    "rhs_dilation": [1, 1],
    "window_reversal": [False, False],
    "input_batch_dimension": 0,
    "input_feature_dimension": 3,
    "input_spatial_dimensions": [1, 2],
    "kernel_input_feature_dimension": 2,
    "kernel_output_feature_dimension": 3,
    "kernel_spatial_dimensions": [0, 1],
    "output_batch_dimension": 0,
    "output_feature_dimension": 3,
    "output_spatial_dimensions": [1, 2],
    "feature_group_count": 1,
    "batch_group_count": 1,
    "precision_config": ["DEFAULT", "DEFAULT"],
}
_POOL = {
    "window_dimensions": [2, 2],
    "window_strides": [2, 2],
    "base_dilations": [1, 1],
    "window_dilations": [1, 1],
    "padding": [[0, 0], [0, 0]],
    "body": "maximum",
}
_OPERANDS = {"lhs": "1x5x6x1xf32:iota", "rhs": "3x3x1x1xf32:ones"}

SETUPS = (
    Setup(
        "convolution",
        _OPERANDS,
        _IMAGE,
        title="A window of 3×3",
        sentence="Each result is a sum over a window of an image of 5×6 with one feature.",
        presets=(
            Preset(
                "Strided, padded",
                "Every second place, the image padded by one on all sides.",
                {},
                {"window_strides": [2, 2], "padding": [[1, 1], [1, 1]]},
            ),
            Preset(
                "Dilated kernel",
                "Elements of the window are two apart (atrous convolution).",
                {"lhs": "1x7x7x1xf32:iota"},
                {"rhs_dilation": [2, 2]},
            ),
            Preset(
                "Dilated input",
                "Gaps between the elements of the image, as a transposed convolution has them.",
                {"lhs": "1x3x3x1xf32:iota", "rhs": "2x2x1x1xf32:ones"},
                {"lhs_dilation": [2, 2], "padding": [[1, 1], [1, 1]]},
            ),
            Preset(
                "Grouped",
                "Four features in two groups: each result reads the two features of its own group only.",
                {"lhs": "1x4x4x4xf32:iota", "rhs": "2x2x2x4xf32:ones"},
                {"feature_group_count": 2},
            ),
            Preset(
                "Depthwise",
                "As many groups as features: each feature is convolved alone.",
                {"lhs": "1x4x4x3xf32:iota", "rhs": "3x3x1x3xf32:ones"},
                {"feature_group_count": 3},
            ),
            Preset(
                "Reversed",
                "The window is read backwards along both dimensions.",
                {"rhs": "3x3x1x1xf32:counting"},
                {"window_reversal": [True, True]},
            ),
            Preset(
                "One dimension, features first",
                "Batch, feature, position: the layout of a signal in PyTorch.",
                {"lhs": "1x2x8xf32:iota", "rhs": "3x2x3xf32:ones"},
                {
                    "window_strides": [1],
                    "padding": [[1, 1]],
                    "lhs_dilation": [1],
                    "rhs_dilation": [1],
                    "window_reversal": [False],
                    "input_feature_dimension": 1,
                    "input_spatial_dimensions": [2],
                    "kernel_input_feature_dimension": 1,
                    "kernel_output_feature_dimension": 0,
                    "kernel_spatial_dimensions": [2],
                    "output_feature_dimension": 1,
                    "output_spatial_dimensions": [2],
                },
            ),
            Preset(
                "Groups of the batch",
                "Two images and two batch groups: each half of the kernel's features sees one image.",
                {"lhs": "2x4x4x1xf32:iota", "rhs": "2x2x1x2xf32:ones"},
                {"batch_group_count": 2},
            ),
        ),
    ),
    Setup(
        "reduce_window",
        {"inputs": ("4x6xi32:iota",), "init_values": ("=x=:-999",)},
        _POOL,
        title="Pooling",
        sentence="The largest of each window of 2×2.",
        presets=(
            Preset(
                "Cumulative sum",
                "A window as wide as the rows, padded before them: each element is the sum of all up to it.",
                {"inputs": ("3x5xi32:counting",), "init_values": ("=x=:zeros",)},
                {
                    "window_dimensions": [1, 5],
                    "window_strides": [1, 1],
                    "padding": [[0, 0], [4, 0]],
                    "body": "add",
                },
            ),
            Preset(
                "Overlapping, padded",
                "Windows of 3×3, two apart, over an input with a padding of one.",
                {"inputs": ("5x5xi32:iota",)},
                {"window_dimensions": [3, 3], "padding": [[1, 1], [1, 1]]},
            ),
        ),
    ),
    Setup(
        "select_and_scatter",
        {
            "operand": "4x4xi32:1,5,2,3,4,0,7,1,9,2,2,6,3,8,4,5",
            "source": "=x=:counting",
            "init_value": "=x=:zeros",
        },
        {
            "window_dimensions": [2, 2],
            "window_strides": [2, 2],
            "padding": [[0, 0], [0, 0]],
            "select": "GE",
            "scatter": "add",
        },
        title="Gradient of pooling",
        sentence="Of each window the largest element is selected; the source is added where it stood.",
        presets=(
            Preset(
                "Windows that overlap",
                "One element may be selected by several windows: what they bring is added up.",
                {},
                {"window_strides": [1, 1]},
            ),
        ),
    ),
    Setup(
        "pad",
        presets=(
            Preset(
                "Negative and interior",
                "Negative padding cuts off what is there, interior padding included.",
                {"operand": "4x5xi32:counting"},
                {"edge_padding_low": [-1, 1], "edge_padding_high": [-1, -2], "interior_padding": [1, 1]},
            ),
            Preset(
                "A frame",
                "One element on each side.",
                {},
                {"edge_padding_low": [1, 1], "edge_padding_high": [1, 1], "interior_padding": [0, 0]},
            ),
        ),
    ),
)
