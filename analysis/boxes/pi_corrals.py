"""Corral pruning: boxes that fence the player out must be pushed sooner or later, so push them now.

A *corral* is a part of the board that boxes fence off from the player (Junghanns and Schaeffer 2001). A *PI-corral*
(Brian Damgaard's, described on the Sokoban wiki's page "Solver", Corral pruning) is one whose boxes can all be pushed
inwards only, and now. Here it is found as a stubborn set (Valmari, *Stubborn sets for reduced state space generation*,
1991), so that the proof covers combined corrals too.

    ########     The box fences off two cells on the left. It can be pushed there, now, and nowhere else before that:
    #. $@  #     the push to the left is the only one that is expanded. The pushes of the other box wait: none of them
    ###  $.#     can change what the first box needs.
    ########

Let C be a set of boxes and R the cells that the player could reach if only C, and what cannot move before one of C
does, stood on the board. Suppose that each useful push of a member of C (1) is barred by another member or by what
cannot move before one, or leaves a freeze deadlock if only these stood there, or (2) must be made from outside R, or
(3) can be made now and leads to a cell outside R. Until a member moves, (1) and (2) stay as they are, and no other push
uses or fills a cell outside R. So if a plan has to move C at all, its first push of a member is one of (3), and making
it at once instead gives a plan of the same pushes, in another order, which leaves the same state. It is enough to
expand the pushes (3). If there are none, the state is a dead end. That needs a player who walks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...models.task import OperatorTask
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from .board import Board, BoardScratch, clear
from .box_board import BoxBoard, find_box_board
from .freeze import freezes, is_blocked

# How often a set of boxes may grow before it is given up as a corral.
ROUNDS = 12

# Marks of cells with boxes in `BoardScratch.tried`: in C; cannot move before a member of C does. 0: neither.
MEMBER, INERT = 1, 2

# Marks of cells in `BoardScratch.region`: in R; a member or an inert box stands there. 0: neither.
INSIDE, BOX = 1, 2

# Answers of `_grow` that are no number of pushes: boxes were added to C; no set with these boxes will do.
GROWN, NONE = -2, -1


@njit(inner=True)
def find_corral(board: Board, s: BoardScratch, t: BoardScratch, root: int) -> int:
    """The corral with the fewest pushes: how many; `NONE`: none was found; 0: a dead end. Its boxes are the ones that
    are `movable` then: all boxes if there is none.

    `s` is a position with its regions in `label`, the player in region `root`; `t` is scratch.
    """
    label, fewest = s.label, long(NONE)
    for i in range(len(s.box)):
        s.movable[i] = 1
    # 1. Regions that the player does not reach, each named by its smallest cell: each may become a corral.
    cells = len(label) - 1
    for part in range(cells):
        if label[part] == part and part != root:
            fewest = _better(board, s, t, root, part, part, fewest)
            if fewest == 0:
                return fewest
    # 2. Or two that a box lies between.
    for part in range(cells if fewest < 0 else 0):
        if label[part] != part or part == root:
            continue
        for other in range(part + 1, cells):
            if label[other] == other and other != root and _touch(board, s, part, other):
                fewest = _better(board, s, t, root, part, other, fewest)
                if fewest == 0:
                    return fewest
    return fewest


@njit(inner=True)
def _touch(board: Board, s: BoardScratch, part: int, other: int) -> bool:
    """Whether a box is next to both regions."""
    for c in s.box:
        one, two = False, False
        for d in range(4 if c >= 0 else 0):
            one = one or s.label[board.neighbour[c, d]] == part
            two = two or s.label[board.neighbour[c, d]] == other
        if one and two:
            return True
    return False


@njit(inner=True)
def _better(board: Board, s: BoardScratch, t: BoardScratch, root: int, part: int, other: int, fewest: int) -> int:
    """The pushes of the corral that grows from two regions, if it is one and has fewer than `fewest`; else `fewest`."""
    role = s.tried
    # 1. C: the boxes around the regions, and what their pushes ask for, until nothing is added.
    clear(role)
    role[len(role) - 1] = MEMBER  # the wall stands for ever
    _join(board, s, part)
    if other != part:
        _join(board, s, other)
    made = long(GROWN)
    for _ in range(ROUNDS):
        for c in s.box:
            if c >= 0 and role[c] == INERT:
                role[c] = 0
        # R depends on the inert boxes, and they on R: first R for the members alone, the largest.
        _reach(board, s, root)
        _mark_inert(board, s)
        _reach(board, s, root)
        made = _grow(board, s, t, root)
        if made != GROWN:
            break
    # 2. The best one so far, if the plan has to open it.
    if made < 0 or (fewest >= 0 and made >= fewest) or not _must_open(board, s):
        return fewest
    for i in range(len(s.box)):
        s.movable[i] = s.box[i] >= 0 and role[s.box[i]] == MEMBER
    return made


@njit(inner=True)
def _join(board: Board, s: BoardScratch, part: int) -> int:
    """Make the boxes next to a region members; gives the number of new members."""
    new = 0
    for c in s.box:
        if c < 0 or s.tried[c] == MEMBER:
            continue
        for d in range(4):
            if s.label[board.neighbour[c, d]] == part:
                s.tried[c] = MEMBER
                new += 1
                break
    return new


@njit(inner=True)
def _reach(board: Board, s: BoardScratch, root: int) -> None:
    """Mark in `region` the cells that the player reaches if only the members and the inert boxes are on the board."""
    region, stack, role = s.region, s.stack, s.tried
    for c in range(len(region)):
        region[c] = BOX if role[c] else 0
    region[root] = INSIDE
    stack[0] = root
    height = 1
    while height > 0:
        height -= 1
        c = stack[height]
        for d in range(4):
            other = board.neighbour[c, d]
            if region[other] == 0:
                region[other] = INSIDE
                stack[height] = other
                height += 1


@njit(inner=True)
def _mark_inert(board: Board, s: BoardScratch) -> None:
    """Mark the inert boxes: mark all that are not members, then unmark those that could move before a member does."""
    region, role = s.region, s.tried
    for c in s.box:
        if c >= 0 and role[c] != MEMBER:
            role[c] = INERT
    changed = True
    while changed:
        changed = False
        for c in s.box:
            if c < 0 or role[c] != INERT:
                continue
            for d in range(4):
                ahead, behind = board.neighbour[c, d], board.neighbour[c, d ^ 1]
                if board.live[ahead] and region[behind] == INSIDE and not role[ahead] and not role[behind]:
                    role[c] = 0
                    changed = True
                    break


@njit(inner=True)
def _is_deadly(board: Board, s: BoardScratch, t: BoardScratch, i: int, ahead: int) -> bool:
    """Whether pushing box i to a cell freezes it off the goals, or others, with members and inert boxes alone."""
    role, c = s.tried, s.box[i]
    before = role[c]
    role[c], role[ahead] = 0, MEMBER
    blocked = is_blocked(board.neighbour, board.live, role, ahead)
    if blocked:
        for cell in range(len(role)):
            t.occupied[cell] = role[cell] > 0
        for k in range(len(s.box)):
            t.box[k] = s.box[k] if s.box[k] >= 0 and role[s.box[k]] else -1
        t.box[i] = ahead
    role[c], role[ahead] = before, 0
    return blocked and freezes(board, t, ahead)


@njit(inner=True)
def _grow(board: Board, s: BoardScratch, t: BoardScratch, root: int) -> int:
    """Look at all pushes of members: the number that can be made now, or one of the answers `NONE` and `GROWN`."""
    region, role = s.region, s.tried
    made, added = long(0), long(0)
    for i in range(len(s.box)):
        c = s.box[i]
        if c < 0 or role[c] != MEMBER:
            continue
        for d in range(4):
            ahead, behind = board.neighbour[c, d], board.neighbour[c, d ^ 1]
            if not board.live[ahead] or region[behind] != INSIDE:
                continue  # (2), or never part of a plan
            if role[ahead] or (not s.occupied[ahead] and _is_deadly(board, s, t, i, ahead)):
                continue  # (1)
            if s.occupied[ahead] or s.occupied[behind]:  # barred by a box that may move first: a member too, then
                role[ahead if s.occupied[ahead] else behind] = MEMBER
                added += 1
            elif s.label[behind] == root:
                if region[ahead] == INSIDE:
                    return long(NONE)  # a push that leads outwards, or within R
                made += 1  # (3)
            else:  # the player is fenced out of the cell behind by others: members too
                new = _join(board, s, s.label[behind])
                if new == 0:
                    return long(NONE)
                added += new
    return long(GROWN) if added else made


@njit(inner=True)
def _must_open(board: Board, s: BoardScratch) -> bool:
    """Whether every plan moves a member: one, or what waits for one, is off the goals, or a goal is fenced off."""
    boxes, goals, fenced = 0, 0, False
    for c in s.box:
        boxes += c >= 0
        if c >= 0 and s.tried[c] and not board.goal[c]:
            return True
    for c in range(len(s.label) - 1):
        goals += board.goal[c]
        fenced = fenced or (board.goal[c] == 1 and not s.occupied[c] and s.region[c] == 0)
    return fenced and boxes == goals  # then every goal must be filled


# Doors: a box that stands in one is pushed on at once.
#
# A *door* is a cell that is no goal and has two neighbours, opposite each other: without the door, no way leads from
# one to the other.
#
#     #########    The box stands in a door, between the cells a and b. The player gets to a. Whatever else could be
#     #   #   #    pushed now, the box in the door comes first, to b. (Were a closed off by another box, that one would
#     # @a$b. #    have to be pushed first.)
#     #   #   #
#     #########
#
# Let S be a state with a box in a door, and let the walker get to a. On every plan from S the object leaves the
# door at some time, as it is no goal; the first push that moves it is made from a, since until then nobody gets to
# the other side. Let X be the pushes before that one. They are all of objects on the walker's side: none of them
# enters the door, nor the other side. So b is as free in S as it is after X, and the push to b can be made first.
# After it, X can be made from the door and the walker's side, where only more is free than before; then the walker,
# who in the plan came to a last, is in the same region as after the push from a. So some plan of the same length
# begins with that push, and by induction on the length there is one in which this is so in every state.
#
# Objects may stand in several doors with the walker at them: then one of these pushes comes first, that of the door
# with the smallest number, and the others stay possible. (That is the smallest case of PI-corral pruning, see
# `find_corral`, in which nothing depends on where other objects are; so a model can state it as a clause.)


@dataclass(frozen=True, slots=True)
class DoorPush:
    """If fact `box` is true, an object stands in the door, and the walker gets to `cell`, beside it, then operator
    `push` is next, or one of `before`: the pushes from doors with smaller numbers.
    """

    box: int
    cell: int
    push: int
    before: tuple[int, ...]


def find_doors(task: OperatorTask) -> tuple[DoorPush, ...]:
    """The pushes from doors, of a board with boxes whose player walks for nothing; else none."""
    board = find_box_board(task)
    if not isinstance(board, BoxBoard) or task.walker is None or any(task.walker.cost):
        return ()
    pushes: list[DoorPush] = []
    earlier: tuple[int, ...] = ()
    near = [set(cells) for cells in task.walker.neighbours]
    for cell, box in enumerate(board.box.tolist()):
        if box < 0 or cell in board.goals or not _separates(near, cell):
            continue
        leaving = sorted((int(op), d) for d, op in enumerate(board.push[cell]) if op >= 0)
        pushes += [DoorPush(box, int(board.neighbour[cell, d ^ 1]), op, earlier) for op, d in leaving]
        earlier += tuple(op for op, _ in leaving)
    return tuple(pushes)


def _separates(near: list[set[int]], cell: int) -> bool:
    """Whether a cell has two neighbours, and every way from one to the other goes through it."""
    if len(near[cell]) != 2:
        return False
    start, end = near[cell]
    seen, queue = {cell, start}, [start]
    for here in queue:
        new = near[here] - seen
        seen |= new
        queue += new
    return end not in seen
