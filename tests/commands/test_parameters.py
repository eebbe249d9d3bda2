"""The table of parameters: commands, functions in Python and the page agree, as they read the same lines."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import budge
import pytest
from budge import parameters
from budge.studio.work import COMPARISON, RUN

FUNCTIONS = (
    *("solve", "compare", "verify", "explore", "hint", "explain", "plans"),
    *("convert", "export", "certify", "generate", "batch"),
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_defaults_of_its_command(name: str) -> None:
    """`def compare(..., jobs: int = 1)` and `--jobs N  runs at once (default 1: fair times)`."""
    signature = inspect.signature(getattr(budge, name)).parameters
    for line in parameters.lines(parameters.TABLE[name].parameters).values():
        flags, about = parameters.settings(line)
        dest = flags[0].strip("-").replace("-", "_")
        if about.get("default") and dest in signature and (name, dest) != ("generate", "time_limit"):
            in_python = getattr(parameters.read(name, {dest: signature[dest].default}), dest)
            assert about.get("type", str)(about["default"]) == in_python


def test_each_command_has_a_function_and_an_example() -> None:
    commands = {name: command for name, command in parameters.TABLE.items() if command.sentence}
    assert set(parameters.TABLE) - set(commands) == {"results, one of", RUN, COMPARISON}
    for name, command in commands.items():
        module = importlib.import_module(f"budge.commands.{command.module}")
        assert getattr(module, f"run_{name}").__doc__
        assert command.examples
        assert not re.search(r"\$|:$", command.parameters)


def test_a_line_says_what_an_argument_is() -> None:
    flags, about = parameters.settings("--length,-l N  random moves from it (default 60)")
    assert (flags, about["metavar"], about["default"]) == (["--length", "-l"], "N", "60")
    assert about["type"]("12") == 12
    assert parameters.settings("--from PUZZLE  play from it")[1]["dest"] == "from_"
    assert parameters.settings("--json  objects") == (["--json"], {"help": "objects", "action": "store_true"})
    assert list(parameters.lines("--json --metric\n--out DIR  where")) == ["--json", "--metric", "--out"]


def test_texts_and_values_mean_the_same() -> None:
    pairs: list[tuple[str, str, Any]] = [
        ("N", "3", 3),
        ("N,N", "1,2", [1, 2]),
        ("N-M", "4-6", (4, 6)),
        ("WxH", "6x5", (6, 5)),
        ("NAMES", "bfs,astar", ["bfs", "astar"]),
        ("TIME", "2m", 120),
        ("SIZE", "1G", 1024),
    ]
    for word, text, value in pairs:
        kind = parameters.KINDS[word]
        assert kind.of_text(text) == kind.of_value(value) == value


def test_the_page_gets_its_defaults_from_the_table() -> None:
    assert parameters.defaults(RUN) == {"time_limit": "60s", "memory_limit": "2G"}
    assert parameters.defaults(COMPARISON) == {"time_limit": "20s", "memory_limit": "2G"}
    asked = parameters.read(RUN, {"time_limit": "2m", "memory_limit": 512, "key": "x"})
    assert (asked.time_limit, asked.memory_limit, asked.key) == (120, 512, "x")
    with pytest.raises(TypeError, match="`time_limit` needs a number of seconds"):
        parameters.read(RUN, {"time_limit": []})
