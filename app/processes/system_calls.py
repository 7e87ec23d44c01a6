"""A filter of system calls for processes that run strangers' programs (Linux, seccomp).

A program is data, and no op needs these calls. If one nevertheless makes a worker run foreign code, that code reaches no
network, starts no other program, and signals or traces no other process. Files that the server may read are not refused.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from ..base.libc import libc

ACTIONS = Path("/proc/sys/kernel/seccomp/actions_avail")
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
LOAD, IS_EQUAL, IS_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions of the filter: load a word of the call, compare it with a number, return a verdict."""
NUMBER, ARCHITECTURE = 0, 4
"""Offsets of the call's number and of the architecture."""
OTHER_NUMBERS = 0x40000000
"""First number of the calls of another interface of the same processor."""


@dataclass(frozen=True)
class _Processor:
    architecture: int
    refused: tuple[int, ...]


_EVERYWHERE = (424, 425, 426, 427, 438)
"""pidfd_send_signal, io_uring_setup, io_uring_enter, io_uring_register, pidfd_getfd."""
_PROCESSORS = {
    "x86_64": _Processor(
        0xC000003E,
        (
            41, 42, 43, 49, 50, 288,  # socket, connect, accept, bind, listen, accept4
            59, 322,  # execve, execveat
            62, 200, 234,  # kill, tkill, tgkill
            101, 310, 311,  # ptrace, process_vm_readv, process_vm_writev
            155, 161, 165, 166, 272, 308,  # pivot_root, chroot, mount, umount2, unshare, setns
            175, 246, 313, 321,  # init_module, kexec_load, finit_module, bpf
            248, 249, 250, 298, 323,  # add_key, request_key, keyctl, perf_event_open, userfaultfd
        ),
    ),
    "aarch64": _Processor(
        0xC00000B7,
        (
            198, 200, 201, 202, 203, 242,  # socket, bind, listen, accept, connect, accept4
            221, 281,  # execve, execveat
            129, 130, 131,  # kill, tkill, tgkill
            117, 270, 271,  # ptrace, process_vm_readv, process_vm_writev
            39, 40, 41, 51, 97, 268,  # umount2, mount, pivot_root, chroot, unshare, setns
            104, 105, 273, 280,  # kexec_load, init_module, finit_module, bpf
            217, 218, 219, 241, 282,  # add_key, request_key, keyctl, perf_event_open, userfaultfd
        ),
    ),
}  # fmt: skip


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort), ("if_true", ctypes.c_ubyte), ("if_false", ctypes.c_ubyte), ("k", ctypes.c_uint),
    )  # fmt: skip


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


def can_refuse() -> bool:
    """Whether this system has such filters, and this processor's calls are known."""
    return sys.platform == "linux" and platform.machine() in _PROCESSORS and ACTIONS.exists()


def refuse_system_calls() -> None:
    """Refuse these calls to this process from now on, with `EPERM`, where the system can.

    The process must have given up new privileges before.
    """
    if not can_refuse():
        return
    processor = _PROCESSORS[platform.machine()]
    instructions = _instructions(processor)
    program = _Filter(len(instructions), (_Instruction * len(instructions))(*instructions))
    libc().prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)


def _instructions(processor: _Processor) -> list[_Instruction]:
    refused = (*processor.refused, *_EVERYWHERE)
    # Each comparison that holds jumps to the last instruction, which refuses.
    return [
        _Instruction(LOAD, 0, 0, ARCHITECTURE),
        _Instruction(IS_EQUAL, 0, len(refused) + 3, processor.architecture),
        _Instruction(LOAD, 0, 0, NUMBER),
        _Instruction(IS_AT_LEAST, len(refused) + 1, 0, OTHER_NUMBERS),
        *(_Instruction(IS_EQUAL, len(refused) - at, 0, number) for at, number in enumerate(refused)),
        _Instruction(RETURN, 0, 0, ALLOW),
        _Instruction(RETURN, 0, 0, REFUSE),
    ]
