"""Optimised text as long and as varied as dumps of production: 700 bytes an instruction, no two of them alike.

The instructions are those of `optimised_hlo`. Each has the path of its op through transformations and modules and its
place in a library; each instruction of the entry computation has a backend configuration, and some a sharding too.
Layers take turns in the two forms of a place, a line of a file and a stack frame.
"""

from __future__ import annotations

import re

from .optimised_hlo import STACK_FRAMES, optimised_hlo

_INSTRUCTION = re.compile(
    r'^  (?:ROOT )?%(?P<name>\S+) = .*?(?P<end>, metadata=\{op_name="(?P<op>[^"]*)".*|$)', re.MULTILINE
)
_MODULES = ("self_attention", "mlp", "pre_attention_norm", "pre_mlp_norm")
_PARTS = (
    "query_key_value/blm,mhk->blhk",
    "attention_weights/bqhk,bshk->bhqs",
    "output/blhk,hkm->blm",
    "scale",
)
_FILES = ("flax/linen/transformer/attention.py", "flax/linen/linear.py", "flax/linen/normalization.py")
_SHARDINGS = ("devices=[8,1,16]<=[128]", "devices=[1,16,8]<=[8,16]T(1,0)", "devices=[8,1,1,16]<=[128]")


def production_hlo(instructions: int) -> str:
    """A module of about so many instructions."""
    return optimised_hlo(round(instructions * 1.51), _finished)


def _finished(text: str, layer: int) -> str:
    return _INSTRUCTION.sub(lambda found: _instruction(found, layer), text)


def _instruction(found: re.Match[str], layer: int) -> str:
    seed = layer * 7919 + found.start()
    written = found[0].removesuffix(found["end"])
    in_entry = " parameter(" not in written and found["name"].count(".") == 1
    if in_entry and seed % 3 == 0:
        written += f", sharding={{{_SHARDINGS[seed % 7 % 3]}}}"
    if seed % 2 and " constant(" not in written:
        written += f", frontend_attributes={{{_frontend_attributes(seed)}}}"
    written += _metadata(found["name"], (found["op"] or "parameter").rpartition("/")[2], layer, seed)
    return written + (_backend_config(seed) if in_entry else "")


def _metadata(name: str, op: str, layer: int, seed: int) -> str:
    path = (
        f"jit(train_step)/jit(main)/transpose(jvp(DecoderOnlyTransformer))/decoder/layers_{layer}/while/body"
        "/closed_call/checkpoint/rematted_computation"
        f"/{_MODULES[seed % 4]}/{_PARTS[seed % 5 % 4]}/{op}"
    )
    line = seed % 1900 + 1
    if layer % 2:
        place = f'scheduling_name="{name}" stack_frame_id={seed % STACK_FRAMES + 1}'
    else:
        place = (
            f'source_file="/opt/venvs/training-2026/lib/python3.12/site-packages/{_FILES[seed % 3]}" '
            f"source_line={line} source_end_line={line + seed % 4} source_column={seed % 24 + 4} source_end_column=62"
        )
    return f', metadata={{op_name="{path}" {place}}}'


def _frontend_attributes(seed: int) -> str:
    axes = ("data", "fsdp", "tensor")
    mesh = (
        rf"<@mesh, [{{\"{axes[seed % 3]}\", \"{axes[seed % 5 % 3]}\"}}, {{}}, {{\"{axes[seed % 7 % 3]}\"}}]>"
    )
    return f'_scheduling_group_id="{seed % 4096}",xla.sdy.sharding="#sdy.sharding_per_value<[{mesh}]>"'


def _backend_config(seed: int) -> str:
    bounds, cycles = f'["{seed % 16 + 1}","{seed % 5 * 8}"]', seed % 100_000
    window = (
        f'{{"kernel_window_bounds":[],"output_window_bounds":{bounds},"input_window_bounds":[],'
        f'"estimated_cycles":"{cycles}","iteration_bounds":{bounds},"cost_model_type":"COST_MODEL_TYPE_INVALID"}}'
    )
    memory = f'[{{"memory_space":"1","offset":"{seed % 4096 * 512}","size":"{cycles * 8}"}}]'
    tiles = f'[{{"sizes":{bounds}}}]'
    return (
        f', backend_config={{"flag_configs":[],"window_config":{window},"scoped_memory_configs":{memory},'
        f'"used_scoped_memory_configs":{memory},"operation_queue_id":"0","force_earliest_schedule":false,'
        '"reification_cost":[],"device_type":"DEVICE_TYPE_INVALID",'
        f'"fusion_backend_config":{{"kind":"__triton","block_level_fusion_config":{{"num_warps":"{seed % 8 + 1}",'
        f'"output_tiles":{tiles},"num_ctas":1,"num_stages":{seed % 4 + 1},"is_tma_allowed":false}}}},'
        f'"convolution_algorithm_config":{{"emitter":"EmitterAllBatchInSublanes","window":{window}}},'
        f'"megacore_config":{{"megacore_split_dim":"{seed % 3}","megacore_allocations":{memory}}},'
        '"aliasing_operands":{"lists":[]},"retry_config":{"retry_count":"0"}}'
    )
