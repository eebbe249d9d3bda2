"""Planning tasks in PDDL by Budge's engines, beside other planners: what is proven within a limit.

    python benchmarks/pddl_tasks.py FOLDER --solvers auto,astar,cp-sat,lmcut,blind,symk --time-limit 60 --out FILE

FOLDER is searched for problems with their domains. `lmcut` and `blind` are A* of Fast Downward (`up-fast-downward` on
PyPI), `symk` is `up-symk`. Each run is a process of its own on one core, with its grounding. The limit is processor
time of all its processes, as in the planning competitions, and so are the seconds in the table. A run that was stopped
makes the lines that are missing when it is started again. At the end there is a table of the tasks proven by domain,
and a line for every two solvers that disagree.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import psutil
from budge.models.families.pddl.files import files_of
from budge.models.library import expand
from heading import heading

COLUMNS = "domain task solver status cost bound seconds"
MIB = 1 << 20


def budge(engine: str, files: tuple[Path, Path], options: argparse.Namespace) -> tuple[str, str, str]:
    """Status, cost and bound by an engine of Budge."""
    command = [sys.executable, "-m", "budge", "solve", *map(str, files), "--engine", engine, "--json", "--quiet"]
    command += ["--time-limit", f"{20 * options.time_limit}s", "--memory-limit", f"{options.memory_limit}M"]
    with tempfile.TemporaryFile("w+") as output:
        with subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL) as process:
            _interrupt_after(options.time_limit, process)
        output.seek(0)
        found = json.loads(output.read() or "{}")
    if found.get("status") in (None, "error"):
        return "error", "-", "-"
    return found["status"], _first(found.get("cost")), _first(found.get("lower_bound"))


def _interrupt_after(seconds: float, process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has ended; interrupt it once it and its children have used these seconds of processor
    time: it then tells the bounds that it has. What has not ended with half as much again is killed.
    """
    spent: dict[int, float] = {}
    interrupted = False
    while process.poll() is None:
        with contextlib.suppress(psutil.Error):
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            for member in family:
                with contextlib.suppress(psutil.Error):
                    spent[member.pid] = sum(member.cpu_times()[:2])
            if sum(spent.values()) > 1.5 * seconds:
                for member in family:
                    member.kill()
            elif not interrupted and sum(spent.values()) > seconds:
                interrupted = True
                process.send_signal(signal.SIGINT)
        time.sleep(0.2)


def _first(cost: object) -> str:
    return "-" if cost is None else str(cost[0] if isinstance(cost, list) else cost)


def downward(package: str, script: str, search: str, files: tuple[Path, Path], options: argparse.Namespace) -> str:
    """The output of a planner that is built on Fast Downward."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"install `{package}` first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(spec.submodule_search_locations[0]) / script
        command = [sys.executable, str(path), "--overall-time-limit", f"{options.time_limit}s"]
        command += ["--overall-memory-limit", f"{options.memory_limit}M", "--plan-file", "plan"]
        command += [*[str(file.resolve()) for file in files], "--search", search]
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, preexec_fn=_limited).stdout


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def planner(name: str, files: tuple[Path, Path], options: argparse.Namespace) -> tuple[str, str, str]:
    """Status, cost and bound by another planner."""
    if name == "symk":
        text = downward("up_symk", "symk/fast-downward.py", "sym_bd()", files, options)
    else:
        text = downward("up_fast_downward", "downward/fast-downward.py", f"astar({name}())", files, options)
    costs = re.findall(r"Plan cost: (\d+)", text)
    if costs:
        return "optimal", costs[-1], costs[-1]
    return ("unsolvable" if "Completely explored state space" in text else "open"), "-", "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--solvers", default="auto,astar,lmcut,blind")
    parser.add_argument("--time-limit", type=int, default=60, help="seconds of processor time")
    parser.add_argument("--memory-limit", type=int, default=4096, help="MiB")
    parser.add_argument("--only", default="", help="a regular expression that tasks have to match")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = _rows(options.out)
    if not rows:
        options.out.write_text(f"{heading()}\n{COLUMNS.replace(' ', chr(9))}\n")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for name in expand(options.folders):
        files = files_of(name)
        if files is None or not re.search(options.only, name):
            continue
        for solver in options.solvers.split(","):
            key = files[1].parent.name, files[1].stem, solver
            if key in rows:
                continue
            began = sum(os.times()[2:4])
            run = planner if solver in ("lmcut", "blind", "symk") else budge
            rows[key] = (*run(solver, files, options), f"{sum(os.times()[2:4]) - began:.2f}")
            with options.out.open("a") as out:
                out.write("\t".join((*key, *rows[key])) + "\n")
    print(table(rows))


Rows = dict[tuple[str, str, str], tuple[str, ...]]


def _rows(path: Path) -> Rows:
    if not path.exists():
        return {}
    lines = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith(("#", "domain\t"))]
    return {(line[0], line[1], line[2]): tuple(line[3:]) for line in lines}


def table(rows: Rows) -> str:
    """How many tasks of each domain each solver has proven, and where two disagree."""
    solvers = list(dict.fromkeys(solver for _, _, solver in rows))
    proven: dict[tuple[str, str], int] = defaultdict(int)
    costs: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    tasks: dict[str, set[str]] = defaultdict(set)
    for (domain, task, solver), (status, cost, _, _) in rows.items():
        tasks[domain].add(task)
        if status in ("optimal", "unsolvable"):
            proven[domain, solver] += 1
            costs[domain, task][solver] = cost
    lines = [f"{'domain':32} tasks " + " ".join(f"{solver:>8}" for solver in solvers)]
    for domain in sorted(tasks):
        numbers = " ".join(f"{proven[domain, solver]:8}" for solver in solvers)
        lines.append(f"{domain:32} {len(tasks[domain]):5} {numbers}")
    sums = " ".join(f"{sum(proven[domain, solver] for domain in tasks):8}" for solver in solvers)
    lines.append(f"{'together':32} {sum(map(len, tasks.values())):5} {sums}")
    for (domain, task), found in costs.items():
        if len(set(found.values())) > 1:
            lines.append(f"WRONG {domain} {task}: {found}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
