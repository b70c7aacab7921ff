"""The system calls denied to a sandboxed process, by name, and the seccomp filter that denies them."""

import platform
import re
import struct

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # as the kernel's audit numbers name them

# What is denied, by purpose: each call with its numbers on x86_64 and aarch64, which lacks some.
CALLS = """
start another process (clone is refused below unless it starts a thread): fork 57 -, vfork 58 -
look into other processes: ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271
reach the network, or other processes through a socket: socket 41 198, socketpair 53 199
hold memory that no limit counts: memfd_create 319 279, memfd_secret 447 447,
    mq_open 240 180, msgget 68 186, semget 64 190, shmget 29 194
change what the process sees of the file system and of the machine: chroot 161 51, mount 165 40, pivot_root 155 41,
    umount2 166 39, fsopen 430 430, mount_setattr 442 442, move_mount 429 429, open_tree 428 428,
    setns 308 268, unshare 272 97
change the kernel or restart the machine: delete_module 176 106, finit_module 313 273, init_module 175 105,
    kexec_file_load 320 294, kexec_load 246 104, reboot 169 142
reach the kernel's key store: add_key 248 217, keyctl 250 219, request_key 249 218
rarely needed, and a way around filters before: bpf 321 280, perf_event_open 298 241, userfaultfd 323 282,
    io_uring_enter 426 426, io_uring_register 427 427, io_uring_setup 425 425
"""
REFUSED_CALLS = {
    name: tuple(None if number == "-" else int(number) for number in numbers)
    for name, *numbers in re.findall(r"(\w+) (\d+) (\d+|-)", CALLS)
}
CLONE = (56, 220)
CLONE3 = (435, 435)
CLONE_THREAD = 0x10000  # the flag that makes clone start a thread
X32 = 0x40000000  # set in the numbers of x86_64's 32-bit variant of the calls

# The kernel's packet-filter language: instructions, offsets of the data they test, and return values.
LOAD, IS, IS_AT_LEAST, HAS_BITS, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
CALL_NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
ALLOW, KILL, NOT_PERMITTED, NOT_IMPLEMENTED = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def known() -> bool:
    """Whether the table has this machine's system call numbers."""
    return platform.system() == "Linux" and platform.machine() in MACHINES


def seccomp_filter() -> bytes:
    """The filter for this machine. clone is allowed only to start a thread.

    clone3 hides its flags behind a pointer: it is reported as not implemented, and the C library falls back to clone.
    """
    column = list(MACHINES).index(platform.machine())
    program = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IS, 1, 0, MACHINES[platform.machine()]),  # if so, skip one instruction
        (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, CALL_NUMBER),
        (IS_AT_LEAST, 0, 1, X32),  # if not, skip one instruction
        (ANSWER, 0, 0, KILL),
    ]
    for numbers in REFUSED_CALLS.values():
        number = numbers[column]
        if number is not None:
            program += [(IS, 0, 1, number), (ANSWER, 0, 0, NOT_PERMITTED)]
    program += [
        (IS, 0, 1, CLONE3[column]),
        (ANSWER, 0, 0, NOT_IMPLEMENTED),
        (IS, 0, 3, CLONE[column]),  # if not, skip to the last instruction
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (HAS_BITS, 1, 0, CLONE_THREAD),
        (ANSWER, 0, 0, NOT_PERMITTED),
        (ANSWER, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)
