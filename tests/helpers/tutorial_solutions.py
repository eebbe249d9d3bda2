"""One solution of each exercise of the tutorial, in order, by notebook."""

from __future__ import annotations

SOLUTIONS = {
    "1-task": [
        """
def is_goal(board):
    return any(row.endswith("A") for row in board)
""",
        """
def slides(board):
    for cells in cars(board).values():
        across = cells[0][0] == cells[1][0]
        for way in (1, -1):
            here, where = board, cells
            while (here := moved(here, where, *((0, way) if across else (way, 0)))) is not None:
                yield here
                where = [(r, c + way) if across else (r + way, c) for r, c in where]
""",
        """
depth = breadth_first(budge.load("bird-2").board(), steps)
states, farthest = len(depth), max(depth.values())
""",
    ],
    "2-formula": [
        """
def refuted(horizon):
    model = cp_model.CpModel()
    layers = [[model.new_int_var(0, most, "") for most in (3, 1, 1)] for _ in range(horizon + 1)]
    for variable in layers[0]:
        model.add(variable == 0)
    model.add(layers[-1][0] == 3)
    for before, after in zip(layers, layers[1:]):
        by = [model.new_int_var(0, 1, "") for _ in before]
        for one, other, change in zip(before, after, by):
            model.add_abs_equality(change, one - other)
        model.add(sum(by) == 1)
    for a, b, c in layers:
        left_b, left_c = model.new_bool_var(""), model.new_bool_var("")
        model.add(b == 1).only_enforce_if(left_b)
        model.add(c == 1).only_enforce_if(left_c)
        model.add(a <= 1).only_enforce_if(~left_b)
        model.add(a <= 2).only_enforce_if(~left_c)
    return cp_model.CpSolver().solve(model) == cp_model.INFEASIBLE
""",
        """
def some_at_a_time(model, task, o):
    for step in o:
        for i, one in enumerate(task.operators):
            for j, other in enumerate(task.operators):
                if i != j and set(one.delete) & {*other.pre, *other.add}:
                    model.add_at_most_one(step[i], step[j])


def parallel(horizon):
    model, x, o = layers(task, horizon)
    some_at_a_time(model, task, o)
    frame(model, task, x, o)
    return solved(model) is not None


from itertools import count

fewest = next(horizon for horizon in count(1) if parallel(horizon))
""",
    ],
    "3-bounds": [
        """
out = pattern(("F", "X"))


def better(state):
    return max(blockers(state), out(state))
""",
        """
one, two = pattern(("D", "E", "F", "G", "X")), pattern(("C", "D", "F", "I", "X"))
(_, first), (_, second) = astar(one), astar(two)
_, both = astar(lambda state: max(one(state), two(state)))
""",
    ],
    "4-family": [
        'text = text.replace("0..4", "0..5").replace("size[k]", "size[j]").replace("water[big]", "water[large]")',
        '''
text = """
format: 1
family: custom
name: Lamps in a row
grid: "*****"
legend: {"*": lit, ".": floor}
state:
  lit: {of: cell}
actions:
  press:
    with: {c: cell}
    set:
      lit[c]: not lit[c]
      lit[n] for n in neighbours(c): not lit[n]
goal: not any(lit)
"""
''',
    ],
    "5-certificates": [
        """
def replay(problem, plan):
    names, state, goals, actions = [], {}, [], {}
    for line in problem.splitlines():
        word, *rest = line.split()
        if word == "var":
            names.append(rest[0])
        elif word == "start":
            state = dict(zip(names, rest))
        elif word == "goal":
            goals += rest
        elif word == "act":
            needs, effects = rest[2:], []
            at = needs.index("then")
            actions[rest[0]] = [need for need in needs[:at] if need != "if"], needs[at + 1 :]

    def holds(condition):
        name, values = condition.replace("!", "").split("=")
        return (state[name] in values.split(",")) != ("!" in condition)

    for line in plan.splitlines():
        if line not in actions or not all(map(holds, actions[line][0])):
            return False
        state |= dict(effect.split("=") for effect in actions[line][1])
    return all(map(holds, goals))
""",
        'weaker = budge.certify(LOT, folder / "weaker", at_least=4).folder',
    ],
}
