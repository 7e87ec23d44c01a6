"""Forms of gather, scatter, and slices at positions that operands hold."""

from __future__ import annotations

from .setup import Preset, Setup

_ROWS = {
    "offset_dims": [1],
    "collapsed_slice_dims": [0],
    "operand_batching_dims": [],
    "start_indices_batching_dims": [],
    "start_index_map": [0],
    "index_vector_dim": 1,
    "slice_sizes": [1, 4],
}
_SCATTER = {
    "update_window_dims": [1],
    "inserted_window_dims": [0],
    "input_batching_dims": [],
    "scatter_indices_batching_dims": [],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
    "update_computation": "add",
    "indices_are_sorted": False,
    "unique_indices": False,
}

SETUPS = (
    Setup(
        "gather",
        presets=(
            Preset(
                "Rows of a table",
                "An embedding lookup: each index picks a row; the last one is outside, and gives the last row.",
                {"operand": "6x4xi32:iota", "start_indices": "5x1xi64:3,0,3,5,8"},
                _ROWS,
            ),
            Preset(
                "Columns of a table",
                "The index names a column: dimension 1 is collapsed, and the slices are whole columns.",
                {"operand": "3x6xi32:iota", "start_indices": "4xi64:5,0,2,2"},
                _ROWS
                | {
                    "offset_dims": [0],
                    "collapsed_slice_dims": [1],
                    "start_index_map": [1],
                    "slice_sizes": [3, 1],
                },
            ),
            Preset(
                "Single elements",
                "Each index vector names one element: both dimensions are collapsed.",
                {"operand": "4x5xi32:iota", "start_indices": "6x2xi64:0,0,1,3,3,4,2,2,2,2,3,0"},
                _ROWS
                | {
                    "offset_dims": [],
                    "collapsed_slice_dims": [0, 1],
                    "start_index_map": [0, 1],
                    "slice_sizes": [1, 1],
                },
            ),
            Preset(
                "Windows, clamped",
                "Windows of 2×3; starts outside are moved so that the whole window lies inside: (-2, 1), (3, 4), (9, 9).",
                {"operand": "4x6xi32:iota", "start_indices": "4x2xi32:-2,1,3,4,9,9,1,0"},
                _ROWS
                | {
                    "offset_dims": [1, 2],
                    "collapsed_slice_dims": [],
                    "start_index_map": [0, 1],
                    "slice_sizes": [2, 3],
                },
            ),
            Preset(
                "Vectors along dimension 0",
                "index_vector_dim is 0: each column of start_indices is an index vector, and its first number is for dimension 1.",
                {"operand": "4x5xi32:iota", "start_indices": "2x3xi32:4,0,2,3,1,0"},
                _ROWS
                | {
                    "offset_dims": [],
                    "collapsed_slice_dims": [0, 1],
                    "start_index_map": [1, 0],
                    "index_vector_dim": 0,
                    "slice_sizes": [1, 1],
                },
            ),
            Preset(
                "One element of each batch",
                "take_along_axis: batching dimension 0 goes along, the index chooses in dimension 1.",
                {"operand": "3x4xi32:iota", "start_indices": "3x2x1xi32:0,3,1,1,2,0"},
                _ROWS
                | {
                    "offset_dims": [],
                    "collapsed_slice_dims": [1],
                    "operand_batching_dims": [0],
                    "start_indices_batching_dims": [0],
                    "start_index_map": [1],
                    "index_vector_dim": 2,
                    "slice_sizes": [1, 1],
                },
            ),
        ),
    ),
    Setup(
        "scatter",
        {
            "inputs": ("6x4xi32:zeros",),
            "scatter_indices": "4x1xi64:1,4,1,9",
            "updates": ("=x=:counting",),
        },
        _SCATTER,
        title="Rows that add up",
        sentence="Two updates go to row 1 and are added up; the last would go to row 9, and is dropped.",
        presets=(
            Preset(
                "Rows overwritten",
                "The body returns the update: of two updates for row 1 the later one stays.",
                {"inputs": ("6x4xi32:iota",), "updates": ("=x=:counting",)},
                {"update_computation": "replace"},
            ),
            Preset(
                "A histogram",
                "Each update is 1 and has a single place; 3 is met four times.",
                {
                    "inputs": ("8xi32:zeros",),
                    "scatter_indices": "10x1xi32:3,1,3,0,7,3,1,3,5,9",
                    "updates": ("=x=:ones",),
                },
                {"update_window_dims": []},
            ),
            Preset(
                "Windows, cut off at the edge",
                "Windows of 2×2 are not moved: what of them lies outside is dropped, the rest is written.",
                {
                    "inputs": ("4x5xi32:zeros",),
                    "scatter_indices": "3x2xi32:0,0,3,4,-1,2",
                    "updates": ("3x2x2xi32:counting",),
                },
                {
                    "update_window_dims": [1, 2],
                    "inserted_window_dims": [],
                    "scatter_dims_to_operand_dims": [0, 1],
                },
            ),
        ),
    ),
    Setup(
        "dynamic_slice",
        {"operand": "4x6xi32:iota", "start_indices": ("i32:1", "i32:5")},
        {"slice_sizes": [2, 3]},
        scalars="start_indices",
        title="Moved inside",
        sentence="A slice of 2×3 from (1, 5) would reach over the edge: it starts at (1, 3).",
        presets=(
            Preset(
                "Inside", "A slice that fits is taken where it starts.", {"start_indices": ("i32:1", "i32:2")}
            ),
            Preset("Below 0", "Starts below 0 count as 0.", {"start_indices": ("i32:-3", "i32:2")}),
        ),
    ),
    Setup(
        "dynamic_update_slice",
        {"operand": "4x6xi32:iota", "update": "2x3x=:ones", "start_indices": ("i32:1", "i32:5")},
        scalars="start_indices",
        title="Moved inside",
        sentence="An update of 2×3 at (1, 5) would reach over the edge: it is written at (1, 3).",
        presets=(
            Preset(
                "Inside",
                "An update that fits is written where it starts.",
                {"start_indices": ("i32:2", "i32:1")},
            ),
        ),
    ),
    Setup(
        "torch_index_select",
        {"operand": "5x4xi32:iota", "index": "3xi64:4,0,4"},
        {"dim": 0, "batch_dims": 0},
        title="Rows",
        sentence="Each index picks a whole row.",
        presets=(
            Preset("Columns", "Along dimension 1, columns are picked.", {"index": "3xi64:3,0,1"}, {"dim": 1}),
        ),
    ),
)
