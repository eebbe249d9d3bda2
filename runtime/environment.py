"""On what a figure was measured: machine, system and versions, so that a result can be cited and measured again."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..version import __version__
from .budget import MIB

LIBRARIES = ("ortools", "numba", "numpy", "python-constraint2")
"""Distributions whose version can change a plan, a count or a time."""


@dataclass(frozen=True, slots=True)
class Environment:
    """`date` is UTC in ISO 8601 to the second; `memory_mib` and `cores` are what this process may use."""

    date: str
    budge: str
    python: str
    libraries: dict[str, str]
    system: str
    processor: str
    cores: int
    memory_mib: int

    def __str__(self) -> str:
        libraries = ", ".join(f"{name} {version}" for name, version in self.libraries.items())
        return (
            f"{self.date}, Budge {self.budge}, Python {self.python}, {libraries}\n"
            f"{self.system}, {self.processor}, {self.cores} cores, {self.memory_mib:,} MiB"
        )


def environment() -> Environment:
    """Look at this machine. Nothing that names its owner is read: no host name, user or path."""
    from importlib import metadata

    import psutil

    libraries = {}
    for name in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            libraries[name] = metadata.version(name)
    return Environment(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        budge=__version__,
        python=f"{platform.python_version()} ({platform.python_implementation()})",
        libraries=libraries,
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=processor(),
        cores=cores(),
        memory_mib=psutil.virtual_memory().total // MIB,
    )


def cores() -> int:
    """The processor cores that this process may run on, where the system lists them; else all cores."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def processor() -> str:
    """The processor's name. On Linux it is in /proc/cpuinfo, not in `platform`."""
    return _cpuinfo("model name") or platform.processor() or "unknown processor"


def instructions() -> str:
    """The instruction sets of the processor, as `avx2`, where the system lists them; processors of one name can
    differ.
    """
    return _cpuinfo("flags") or _cpuinfo("Features")


def _cpuinfo(wanted: str) -> str:
    """The value of a key in /proc/cpuinfo for the first core; empty where there is no such file."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == wanted:
                return " ".join(value.split())
    return ""
