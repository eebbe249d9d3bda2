"""Times and sizes as people write them."""

from __future__ import annotations

from typing import Any

import pytest
from budge.runtime.budget import mebibytes, seconds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (10, 10.0),
        (0.5, 0.5),
        ("10", 10.0),
        ("1e3", 1000.0),
        ("10s", 10.0),
        (" 10 sec ", 10.0),
        ("2m", 120.0),
        ("2 min", 120.0),
        ("1.5h", 5400.0),
        ("1h30m", 5400.0),
        ("1m 30s", 90.0),
        ("2M", 120.0),
    ],
)
def test_seconds(text: float | str, number: float) -> None:
    assert seconds(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (512, 512),
        ("512", 512),
        ("512M", 512),
        ("512 MiB", 512),
        ("4G", 4096),
        ("4gb", 4096),
        ("1.5G", 1536),
        ("1T", 1048576),
        ("2048K", 2),
    ],
)
def test_mebibytes(text: float | str, number: int) -> None:
    assert mebibytes(text) == number


BAD_EVERYWHERE = [
    "",
    "abc",
    "- 3",
    "nan",
    "inf",
    "1e999",
    "5 apples",
    "1 2",
    "٣",
    float("nan"),
    float("inf"),
]


@pytest.mark.parametrize("value", [*BAD_EVERYWHERE, "4G", "m", "10sm", "1m2"])
def test_what_is_no_time(value: Any) -> None:
    with pytest.raises(ValueError, match=r"needs a number of seconds, such as 10, 10s or 2m \(got `"):
        seconds(value)


@pytest.mark.parametrize("value", [*BAD_EVERYWHERE, "10s", "G"])
def test_what_is_no_size(value: Any) -> None:
    with pytest.raises(ValueError, match=r"needs a number of MiB, such as 512, 512M or 4G \(got `"):
        mebibytes(value)


@pytest.mark.parametrize("read", [seconds, mebibytes])
@pytest.mark.parametrize("value", ["-3", "0", "0.0", -1, 0, 0.0])
def test_what_is_not_more_than_nothing(read: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r"must be more than 0 \(got `"):
        read(value)


@pytest.mark.parametrize("value", ["100K", "0.5", 0.5])
def test_what_is_too_small_a_size(value: Any) -> None:
    with pytest.raises(ValueError, match=r"must be at least 1 MiB \(got `"):
        mebibytes(value)


@pytest.mark.parametrize("read", [seconds, mebibytes])
@pytest.mark.parametrize("value", [None, True, [3], {}, b"10"])
def test_other_types(read: Any, value: Any) -> None:
    with pytest.raises(TypeError, match="needs a number of"):
        read(value)
