"""What the charts share: axes, legend and tooltips in the colours of the page."""

from __future__ import annotations

from typing import Any

Options = dict[str, Any]


def options(across: Options, up: Options, series: list[Options], dark: bool, tooltip: str) -> Options:
    """The options of a chart for ECharts. `tooltip`: a template: `{a}` the series, `{b}` the name, `{c}` the value."""
    ink, line = ("#b4bfcb", "#323b46") if dark else ("#4b5766", "#dfe4ea")
    text = {"axisLabel": {"color": ink}, "nameTextStyle": {"color": ink}, "axisLine": {"lineStyle": {"color": line}}}
    return {
        "animation": False,
        "backgroundColor": "transparent",
        "grid": {"left": 58, "right": 50, "top": 46, "bottom": 30},
        "legend": {"top": 0, "type": "scroll", "textStyle": {"color": ink}, "itemWidth": 18},
        "tooltip": {"trigger": "item", "formatter": tooltip, "confine": True},
        "xAxis": {**text, "splitLine": {"show": False}, **across},
        "yAxis": {
            "type": "value",
            "minInterval": 1,
            **text,
            "nameTextStyle": {"color": ink, "align": "left"},
            "splitLine": {"lineStyle": {"color": line}},
            **up,
        },
        "series": series,
        "aria": {"enabled": True},
    }
