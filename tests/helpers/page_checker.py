"""A reader of HTML that notices what is not closed."""

from __future__ import annotations

from html.parser import HTMLParser


class Checker(HTMLParser):
    """Whether every element is closed, in order, and nothing comes from elsewhere."""

    EMPTY = frozenset({"br", "path", "rect", "circle", "meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("link", "iframe", "img")
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        assert len({name for name, _ in attrs}) == len(attrs)
        self.seen.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    @classmethod
    def check(cls, text: str) -> list[str]:
        checker = cls()
        checker.feed(text)
        checker.close()
        assert checker.open == []
        return checker.seen
