"""Texts of puzzles, each with a mistake and with the error expected"""

from __future__ import annotations

HEAD = "format: 1\nfamily: rush-hour\n"


BOARD = "board: |\n  ..B...\n  ..B...\n  AAB...\n  ......\n"


GOOD = HEAD + BOARD


Expected = list[tuple[str, str]]


BOARDS: dict[str, tuple[str, Expected]] = {
    "ragged": (
        "board: |\n  ......\n  AA....\n  ‸.....\n  ......\n",
        [("row 3 of `board` has 5 cells, the other rows have 6", "equally long")],
    ),
    "two ragged rows": (
        "board: |\n  ......\n  ‸AA.....\n  ......\n  ‸....\n",
        [("row 2 of `board` has 7 cells", "equally long"), ("row 4 of `board` has 4 cells", "equally long")],
    ),
    "piece in two parts": (
        "board: |\n  BB.‸BB.\n  AA....\n",
        [("piece B is in two parts, the second one here", "a letter of its own")],
    ),
    "piece in three parts": (
        "board: |\n  BB....\n  AA.‸BB.\n  ......\n  BB....\n",
        [("piece B is in 3 parts, the second one here", "a letter of its own")],
    ),
    "piece around a corner": (
        "board: |\n  BB....\n  .‸B....\n  AA....\n",
        [("piece B is not a straight line of cells", "the family `sliding-block`")],
    ),
    "underscores for empty cells": (
        "board: |\n  AA____\n  ‸______\n",
        [("piece _ is not a straight line of cells", "write `.` for an empty cell")],
    ),
    "one cell, no orientation": (
        "board: |\n  ..‸K...\n  AA....\n",
        [("piece K has one cell", "add `orientation: {K: horizontal}` or `vertical`")],
    ),
    "blank": (
        "board: |\n  ..‸ ...\n  AA....\n",
        [("a space in `board`", "write `.` for an empty cell")],
    ),
    "cells with blanks between them": (
        "board: |\n  .‸ . . .\n  A A . .\n",
        [("a space in `board`", "side by side")],
    ),
    "no-break space": (
        "board: |\n  ......\n  AA.‸\u00a0..\n",
        [("a space in `board`", "write `.` for an empty cell")],
    ),
    "zero width space": (
        "board: |\n  ......\n  AA.‸\u200b..\n",
        [("an invisible or combining character in `board`, U+200B", "one visible character")],
    ),
    "tab between cells": (
        "board: |\n  ......\n  AA‸\t..\n",
        [("a tab in `board`", "use spaces")],
    ),
    "`.` and `o`": (
        "board: |\n  ..‸oo..\n  AA....\n",
        [("`o` means an empty cell, as `.` does", "if `o` is a piece, give it another letter")],
    ),
    "`#` and `x`": (
        "board: |\n  #.‸xx..\n  AA....\n",
        [("`x` means a wall, as `#` does", "if `x` is a piece, give it another letter")],
    ),
    "one line of 35": (
        "board: ‸..B.CC..B...AAB...DDD..E.....E.....\n",
        [("a one-line board has 36 characters (6 rows of 6), this one has 35", "write `board: |`")],
    ),
    "empty": ("‸board:\n", [("`board` has no value", "write `board: |`")]),
    "empty text": ('board: ‸""\n', [("`board` is empty", "write `board: |`")]),
    "empty block": ("board: ‸|\n\ngoal: {exit: right}\n", [("`board` is empty", "the rows below it, indented")]),
    "no piece": ("board: ‸|\n  ......\n  ......\n", [("no piece on the board", "a run of equal letters")]),
    "mapping": ("board: ‸{a: 1}\n", [("`board` must be a drawing, not `key: value` pairs", "write `board: |`")]),
    "list of lists": (
        "board:\n  - ‸[., ., .]\n  - ‸[A, A, .]\n",
        [("a row of `board` must be one line of text, not a list", "write `board: |`")] * 2,
    ),
    "folded": (
        "board: ‸>\n  ......\n  AA....\n",
        [("`>` joins the rows of `board` into one line", "write `board: |`")],
    ),
    "plain rows": (
        "board:\n  ‸......\n  AA....\n",
        [("YAML joins the rows of `board` into one line", "write `board: |`")],
    ),
    "rows in quotes": (
        'board: ‸"......\n  AA...."\n',
        [("YAML joins the rows of `board` into one line", "write `board: |`")],
    ),
    "plain rows, some lost": (
        "board:\n  ......\n  ‸#....#\n  AA....\n",
        [("this row is lost: YAML takes `#` for a comment", "write `board: |` in line 3")],
    ),
    "list of rows without quotes": (
        "board:\n  - ‸#....#\n  - AA....\n  - ......\n",
        [("this value is lost: YAML takes `#` for a comment", "write `'#....#'`")],
    ),
    "one line without quotes": (
        "board: ‸#.B.CC..B...AAB...DDD..E.....E.....E\n",
        [("this value is lost: YAML takes `#` for a comment", "put the value in quotes")],
    ),
    "first row indented more": (
        "board: |\n  ‸  ....\n  ‸##....\n  AA....\n",
        [
            ("a space in `board`", "write `.` for an empty cell"),
            ("this row is lost: it is indented less than the first row", "write `board: |2` in line 3"),
        ],
    ),
    "rows not indented": (
        "board: |\n‸......\nAA....\n",
        [("this line is neither a key nor a row of the block", "indent all rows below `board: |`")],
    ),
    "walls not indented": (
        "board: |\n‸######\n#AA..#\n######\n",
        [("this row is lost: it is not indented", "indent all rows by 2 spaces and write `board: |2`")],
    ),
    "rows in the line of the key": (
        "board: | ‸AA....\n  ......\n",
        [("text cannot stand in the line of the `|`", "write the rows below `board: |`")],
    ),
}


GOALS: dict[str, tuple[str, Expected]] = {
    "no such piece": (
        "goal: {piece: ‸Z, exit: right}\n",
        [("no piece `Z` on the board to drive out; the pieces are A, B", "goal: {piece: A, exit: right}")],
    ),
    "piece is a list": ("goal: {piece: ‸[A]}\n", [("`piece` must be text, not a list", "write `piece: A`")]),
    "side that does not fit the axis": (
        "goal: {piece: A, exit: ‸top}\n",
        [
            (
                "piece A moves horizontally and cannot leave at the top",
                "write `goal: {piece: A, exit: right}` (or `left`)",
            )
        ],
    ),
    "default side does not fit": (
        "goal: ‸{piece: B}\n",
        [
            (
                "piece B moves vertically and cannot leave at the right",
                "write `goal: {piece: B, exit: top}` (or `bottom`)",
            )
        ],
    ),
    "unknown side": ("goal: {exit: ‸rigth}\n", [("`exit` cannot be `rigth`", "did you mean `right`?")]),
    "cell outside": (
        "goal: {exit: ‸{row: 3, col: 7}}\n",
        [("row 3, column 7 is outside the board, which has 4 rows and 6 columns", "count from 1")],
    ),
    "cell off the lane": (
        "goal: {exit: ‸{row: 4, col: 6}}\n",
        [("piece A moves in row 3 and never reaches row 4, column 6", "write `row: 3`")],
    ),
    "column off the lane": (
        "goal: {piece: B, exit: ‸{row: 4, col: 6}}\n",
        [("piece B moves in column 3 and never reaches row 4, column 6", "write `col: 3`")],
    ),
    "cell counted from 0": (
        "goal: {exit: {row: 3, col: ‸0}}\n",
        [("`col` must be at least 1, not `0`", "from 1 to")],
    ),
    "cell without a column": ("goal: {exit: ‸{row: 3}}\n", [("`exit` needs the key `col`", "add `col: 6`")]),
    "cell with x and y": (
        "goal: {exit: ‸‸{‸x: 6, ‸y: 3}}\n",
        [
            ("`exit` needs the key `row`", "add `row: 3`"),
            ("`exit` needs the key `col`", "add `col: 6`"),
            ("unknown key `x` in `exit`", "choose one of `row`, `col`"),
            ("unknown key `y` in `exit`", "choose one of `row`, `col`"),
        ],
    ),
    "no blank behind the colon": (
        "goal: {‸piece:A}\n",
        [("unknown key `piece:A` in `goal`", "put a space behind the colon: `piece: A`")],
    ),
    "not a mapping": ("goal: ‸right\n", [("`goal` must be a mapping, not `right`", "goal: {piece: A, exit: right}")]),
    "empty": ("‸goal:\n", [("`goal` has no value", "goal: {piece: A, exit: right}")]),
    "orientation of a piece that is not there": (
        "orientation: {‸Q: vertical}\n",
        [("no piece `Q` on the board", "choose one of `B`, `A`")],
    ),
    "orientation against the board": (
        "orientation: {‸B: horizontal}\n",
        [("piece B lies vertically on the board", "remove this entry")],
    ),
    "unknown orientation": (
        "orientation: {B: ‸verticle}\n",
        [("an orientation cannot be `verticle`", "did you mean `vertical`?")],
    ),
    "orientation is no mapping": (
        "orientation: ‸vertical\n",
        [("`orientation` must be a mapping, not `vertical`", "write `orientation: {K: vertical}`")],
    ),
}


HEADERS: dict[str, tuple[str, Expected]] = {
    "unknown key": ("‸bord: 1\n", [("unknown key `bord` in a puzzle", "did you mean `board`?")]),
    "unknown key, another word for a known one": (
        "‸title: Card\n",
        [("unknown key `title` in a puzzle", "did you mean `name`?")],
    ),
    "unknown key, nothing like it": ("‸zzz: 1\n", [("unknown key `zzz` in a puzzle", "choose one of `format`")]),
    "duplicate key": (
        "metric: steps\n‸metric: slides\n",
        [("`metric` appears twice; the first is in line 8", "keep one of the two")],
    ),
    "unknown metric": ("metric: ‸slide\n", [("`metric` cannot be `slide`", "did you mean `slides`?")]),
    "metric of another family": (
        "metric: ‸[steps, moves]\n",
        [("`metric` cannot be `[steps, moves]`", "did you mean `steps`?")],
    ),
    "name is a list": ("name: ‸[1]\n", [("`name` must be text, not a list", "in quotes")]),
    "name cut off at #": (
        "name: Card ‸#3\n",
        [("the rest of this value is lost: YAML takes ` #` for a comment", "write `'Card #3'`")],
    ),
    "name with a colon": ("name: Card‸: easy\n", [("a second `: ` in this line", "write `'Card: easy'`")]),
    "expect is a number": ("expect: ‸16\n", [("`expect` must be a mapping, not `16`", "expect: {cost: 16}")]),
    "expect: nothing": ("‸expect:\n", [("`expect` has no value", "write `expect: {cost: 16}`")]),
    "metric: nothing": ("‸metric:\n", [("`metric` has no value", "write `metric: slides`")]),
    "name: nothing": ("‸name:\n", [("`name` has no value", "write a value behind the `:`, or remove the key")]),
    "expect: unknown metric": (
        "expect: {‸stps: 16}\n",
        [("unknown key `stps` in `expect`", "did you mean `steps`?")],
    ),
    "expect: negative": ("expect: {cost: ‸-1}\n", [("`cost` must be at least 0, not `-1`", "from 0 to")]),
    "expect: text": ("expect: {steps: ‸many}\n", [("`steps` must be a whole number, not `many`", "0 or more")]),
    "expect: float": ("expect: {cost: ‸16.5}\n", [("`cost` must be a whole number, not `16.5`", "0 or more")]),
    "expect: in quotes": (
        'expect: {cost: ‸"16"}\n',
        [("`cost` must be a whole number, not `16`", "remove the quotes")],
    ),
    "expect: two numbers": ("expect: {cost: ‸[1, 2]}\n", [("`cost` needs one number, not 2", "write `cost: 16`")]),
    "expect: too many digits": (
        "expect: {cost: ‸" + "9" * 5000 + "}\n",
        [("`cost` must be a whole number, not `999", "0 or more")],
    ),
    "expect: too large": (
        "expect: {cost: ‸9999999999999999999}\n",
        [("`cost` must be at most 4,611,686,018,427,387,904", "from 0 to")],
    ),
    "expect: twice": (
        "expect: {slides: 3, ‸cost: 3}\n",
        [("the cost in `slides` is given twice", "keep one of the two")],
    ),
    "expect: cost and unsolvable": (
        "expect: {unsolvable: true, ‸cost: 3}\n",
        [("an unsolvable puzzle has no cost", "keep `unsolvable: true` or the cost")],
    ),
    "expect: yes is no truth value": (
        "expect: {unsolvable: ‸yes}\n",
        [("`unsolvable` must be `true` or `false`, not `yes`", "unsolvable: true")],
    ),
    "two documents": ("‸---\nformat: 1\n", [("a second document starts here", "a file of its own")]),
    "alias": (
        "name: ‸&n Card\nauthor: ‸*n\n",
        [("`&n` is a YAML anchor", "remove `&n`"), ("`*n` is a YAML alias", "write the value again")],
    ),
    "tag": ("goal: ‸!goal {piece: A}\n", [("`!goal` is a YAML tag", "remove `!goal`")]),
    "tag on text": ("name: ‸!important\n", [("text that starts with `!` must be in quotes", "write `'!important'`")]),
    "alias that is text": ("name: ‸*star\n", [("text that starts with `*` must be in quotes", "write `'*star'`")]),
    "`#:` as a key": (
        "orientation:\n  ‸‸#: vertical\n",
        [("this key is lost", 'write `"#":`'), ("no piece `#` on the board", "choose one of")],
    ),
    "`#:` in brackets": (
        "orientation: {‸‸#: vertical}\n",
        [("this key is lost", 'write `"#":`'), ("no piece `#` on the board", "choose one of")],
    ),
    "`@:` as a key": (
        "orientation:\n  ‸‸@: vertical\n",
        [("`@` cannot be a key as it stands", 'write `"@":`'), ("no piece `@` on the board", "choose one of")],
    ),
    "`*:` as a key": (
        "orientation: {‸‸*: vertical}\n",
        [("`*` cannot be a key as it stands", 'write `"*":`'), ("no piece `*` on the board", "choose one of")],
    ),
    "tab for indentation": (
        "goal:\n‸\tpiece: A\n",
        [("a tab cannot be used for indentation", "use spaces")],
    ),
    "unclosed quote": ('name: ‸"Card\n', [("the quote that opens here is never closed", 'add the closing `"`')]),
    "unclosed quote before another": (
        'name: ‸"Card\nauthor: "me"\n',
        [("the quote that opens here is closed only in line 9", 'add the closing `"` in line 8')],
    ),
    "apostrophe in single quotes": (
        "name: 'Rob'‸s card'\n",
        [("text behind the closing quote", "write `''` for an apostrophe")],
    ),
    "unclosed bracket": (
        "goal: ‸{piece: A\nmetric: steps\n",
        [("the `{` that opens here is not closed before line 9", "add the `}`")],
    ),
    "missing comma": ("goal: {piece: A exit‸: right}\n", [("expected `,` or `}` here", "put `,` between")]),
    "bracket too many": ("metric: [steps]‸]\n", [("this `]` closes nothing", "remove it")]),
    "key without a value": (
        "‸metric\nname: x\n",
        [("neither a key nor a row of the block in line 3", "a key ends with `:`")],
    ),
    "no blank behind the colon": ("metric‸:steps\nname: x\n", [("a space is missing", "write `metric: steps`")]),
    "key indented": (
        "name: x\n  ‸metric: steps\n",
        [("this key is indented more than the key in line 8", "start it in column 1")],
    ),
    "`%:` as a key": (
        "‸‸%: vertical\n",
        [("`%` cannot be a key as it stands", 'write `"%":`'), ("unknown key `%`", "choose one of")],
    ),
    "end of the document": ("...\n‸metric: steps\n", [("ends above this line, with `...`", "remove the `...`")]),
    "open bracket at the end": ("metric: [‸", [("the file ends where a value is expected", "close the bracket")]),
    "no value in brackets": ("metric: [‸:]\n", [("a value is expected here", "check the brackets and quotes")]),
    "value missing between commas": ("metric: [steps,‸, slides]\n", [("a value is missing here", "remove the comma")]),
    "list among keys": ("‸- metric\n", [("an item of a list among keys", "indent the list below its key")]),
    "key missing": ("‸: steps\n", [("the key before this `:` is missing", "for a space")]),
    "key indented less": (
        "goal:\n    piece: A\n  ‸exit: right\n",
        [("this line starts in column 3", "in the same column")],
    ),
    "escape": ('name: "C:‸\\dir"\n', [("starts an escape that YAML does not know", "use single quotes")]),
    "a list as a key": ("? ‸[a, b]\n: 1\n", [("a key must be a word", "put the key in quotes")]),
    "merge key": ("‸<<: {metric: steps}\n", [("unknown key `<<` in a puzzle", "choose one of")]),
    "control character": ("name: a‸\x07b\n", [("control character U+0007", "remove it")]),
    "hidden line break": ("name: a‸\u2028b\n", [("control character U+2028", "remove it")]),
    "nested too deeply": (
        "notes: " + "[" * 49 + "‸[]" + "]" * 49 + "\n",
        [("nested more than 50 deep", "check what the file is")],
    ),
}


FILES: dict[str, tuple[str, Expected]] = {
    "no format": ("‸family: rush-hour\n" + BOARD, [("a puzzle needs the key `format`", "add `format: 1`")]),
    "format 2": ("format: ‸2\nfamily: rush-hour\n" + BOARD, [("format `2` is not known", "`format: 1`")]),
    "format true": ("format: ‸true\nfamily: rush-hour\n" + BOARD, [("format `true` (a truth value)", "`format: 1`")]),
    "no family": ("‸format: 1\n" + BOARD, [("a puzzle needs the key `family`", "rush-hour")]),
    "unknown family": (
        "format: 1\nfamily: ‸rushhour\n" + BOARD,
        [("family `rushhour` is not known", "did you mean `rush-hour`?")],
    ),
    "another name of a family": (
        "format: 1\nfamily: ‸klotski\n" + BOARD,
        [("family `klotski` is not known", "did you mean `sliding-block`?")],
    ),
    "Sokoban's map as a board": (
        "format: 1\nfamily: sokoban\n‸board: |\n  #####\n  #@$.#\n  #####\n",
        [("unknown key `board` in a puzzle", "did you mean `map`?")],
    ),
    "an n-puzzle's start as a board": (
        "format: 1\nfamily: n-puzzle\n‸board: |\n  1 2\n  3 .\n",
        [("unknown key `board` in a puzzle", "did you mean `start`?")],
    ),
    "a required key, mistyped": (
        "format: 1\nfamily: rush-hour\n‸bord: |\n  AA..\n",
        [("unknown key `bord` in a puzzle", "did you mean `board`?")],
    ),
    "a drawing as a mapping": (
        "format: 1\nfamily: sliding-block\nboard: |\n  A.\ngoal: ‸{piece: A}\n",
        [("`goal` must be a drawing, not `key: value` pairs", "write `goal: |` and the rows below it")],
    ),
    "no format, unknown family": (
        "‸family: ‸[rush-hour]\n" + BOARD,
        [("needs the key `format`", "add `format: 1`"), ("family a list is not known", "choose one of `rush-hour`")],
    ),
    "a list": (
        "‸- format: 1\n- family: rush-hour\n",
        [("is a mapping of keys to values, this is a list", "`format: 1`")],
    ),
    "a list, and keys below it": (
        "- format: 1\n‸family: rush-hour\n",
        [("this line belongs to nothing above it", "in the same column")],
    ),
    "text, and keys below it": (
        "‸rush hour\nformat: 1\n",
        [("a key without its `:`", "write `key: value`")],
    ),
    "text": ("‸rush hour\n", [("is a mapping of keys to values, this is `rush hour`", "`format: 1`")]),
    "empty file": ("", [("the file is empty", "`format: 1`")]),
    "comments only": ("# nothing yet\n", [("the file is empty", "`format: 1`")]),
    "YAML 3": ("‸%YAML 3.0\n---\n" + GOOD, [("a line that starts with `%` is a YAML directive", "remove it")]),
    "no board": ("‸format: 1\nfamily: rush-hour\n", [("a puzzle needs the key `board`", "add `board: |`")]),
    "many at once": (
        "format: ‸one\nfamily: rush-hour\nname: Card ‸#3\nboard: |\n  BB.‸BB.\n  AA‸K...\n  CCC#.D\n"
        "  .‸x...D\ngoal: {piece: ‸Z}\n‸metrik: steps\nexpect:\n  ‸‸@: 3\n  cost: ‸-1\n‸name: x\n",
        [
            ("format `one` is not known", "`format: 1`"),
            ("the rest of this value is lost", "write `'Card #3'`"),
            ("piece B is in two parts", "a letter of its own"),
            ("piece K has one cell", "add `orientation: {K: horizontal}`"),
            ("`x` means a wall", "give it another letter"),
            ("no piece `Z` on the board", "goal: {piece: A"),
            ("unknown key `metrik`", "did you mean `metric`?"),
            ("`@` cannot be a key", 'write `"@":`'),
            ("unknown key `@` in `expect`", "choose one of `cost`"),
            ("`cost` must be at least 0", "from 0 to"),
            ("`name` appears twice; the first is in line 3", "keep one of the two"),
        ],
    ),
}


ALL = {
    **{f"board: {name}": (HEAD + text, expected) for name, (text, expected) in BOARDS.items()},
    **{f"goal: {name}": (GOOD + text, expected) for name, (text, expected) in GOALS.items()},
    **{name: (GOOD + text, expected) for name, (text, expected) in HEADERS.items()},
    **FILES,
}


def unmark(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its marks, and their lines and columns from 1."""
    places = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = line.split("‸")
        places += [(number, len("".join(parts[: i + 1])) + 1) for i in range(len(parts) - 1)]
    return text.replace("‸", ""), places
