"""The submissions that tests grade, as `grading/submissions` has them."""

import tomllib
from functools import cache
from pathlib import Path
from textwrap import indent

FOLDER = Path(__file__).parent / "grading" / "submissions"
MODULES = (
    "ctypes, gc, glob, importlib, inspect, itertools, json, os, re, signal, socket, subprocess, sys, threading, time"
)
TAKES = {"heuristic_1": "board, player", "alpha_beta": "board, depth, heuristic", "my_player": "board"}
HELPER = """
def to_all(data):
    for descriptor in range(3, 40):
        try:
            os.write(descriptor, data)
        except OSError:
            pass
"""
RIGHT = ("alpha_beta_right", "right")  # files that edits start from


def read(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def sources(name):
    """A file's submissions by name."""
    return {name: source(entry) for name, entry in read(FOLDER / f"{name}.toml").items()}


def source(entry):
    """A submission's text; a list is a right one's name, and by turns what is replaced in it and by what."""
    if not isinstance(entry, list):
        return entry
    name, *edits = entry
    text = source(next(given[name] for given in (read(FOLDER / f"{file}.toml") for file in RIGHT) if name in given))
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert old in text, (name, old)
        text = text.replace(old, new)
    return text


def program(function, source):
    """A program; a text without "def" is the body of its function."""
    if "def " not in source:
        source = f"def {function}({TAKES[function]}):\n" + indent(source.strip("\n"), "    ")
    return f"import {MODULES}\nfrom ttt import Board\n{HELPER}\n{source}\n"
