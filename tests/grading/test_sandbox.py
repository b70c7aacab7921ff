"""The sandbox: the system calls that are refused, and what a process inside sees of the file system."""

import platform
import re
import struct
from pathlib import Path

import pytest

from ttt.grading import sandbox, syscalls

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),  # which aarch64 uses as it is
}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_of_the_system_calls_are_the_kernels(machine):
    if not HEADERS[machine].exists():
        pytest.skip("needs the kernel's headers")
    found = re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", HEADERS[machine].read_text())
    numbers = {name: int(number) for name, number in found}
    column = list(syscalls.MACHINES).index(machine)
    named = syscalls.REFUSED | {"clone": syscalls.CLONE, "clone3": syscalls.CLONE3}
    assert {name: numbers.get(name) for name in named} == {name: both[column] for name, both in named.items()}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_filter_refuses_each_of_them_and_kills_what_calls_for_another_machine(machine, monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    column = list(syscalls.MACHINES).index(machine)

    def answer(number, flags=0, architecture=syscalls.MACHINES[machine]):
        """What the filter answers to a system call, by the rules of the kernel's packet-filter language."""
        shown = {syscalls.CALL_NUMBER: number, syscalls.ARCHITECTURE: architecture, syscalls.FIRST_ARGUMENT: flags}
        program, place, loaded = list(struct.iter_unpack("HBBI", syscalls.seccomp_filter())), 0, 0
        while True:
            code, if_so, if_not, value = program[place]
            place += 1
            if code == syscalls.ANSWER:
                return value
            if code == syscalls.LOAD:
                loaded = shown[value]
                continue
            tests = {syscalls.IS: loaded == value, syscalls.IS_AT_LEAST: loaded >= value}
            place += if_so if tests.get(code, loaded & value) else if_not

    for numbers in syscalls.REFUSED.values():
        if numbers[column] is not None:
            assert answer(numbers[column]) == syscalls.NOT_PERMITTED
    assert answer(syscalls.CLONE[column]) == syscalls.NOT_PERMITTED
    assert answer(syscalls.CLONE[column], syscalls.CLONE_THREAD) == syscalls.ALLOW
    assert answer(syscalls.CLONE3[column]) == syscalls.NOT_IMPLEMENTED
    assert answer(63) == syscalls.ALLOW
    assert answer(63, architecture=0x40000003) == answer(syscalls.X32 | 1) == syscalls.KILL


def test_a_level_must_be_one_of_the_three():
    with pytest.raises(ValueError, match="not 'some'"):
        sandbox.require("some")
