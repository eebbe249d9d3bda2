"""Links with a puzzle in them: its text, packed, behind the `#` of the studio's address.

The part behind `#` is never sent to a server. The page hands it to the studio that it came from; so a link opens
in the reader's own studio and no one else learns what is in it.
"""

from __future__ import annotations

import base64
import binascii
import zlib

from ..models.errors import UsageError
from .reading import MAX_TEXT

MARK = "z="
"""The beginning of the fragment of such a link: raw deflate (RFC 1951) in base64url (RFC 4648)."""

MAX_PACKED = 64 * 1024
"""Characters of a packed text."""


def packed(text: str) -> str:
    """A text as the fragment of a link, without the `#`. Raises `UsageError` for one that is too long."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(text.encode()) + deflate.flush()
    code = MARK + base64.urlsafe_b64encode(data).decode().rstrip("=")
    if len(code) > MAX_PACKED:
        raise UsageError("the text is too long for a link; mail the file instead")
    return code


def unpacked(code: str) -> str:
    """The text of a fragment, or of a whole link. Raises `UsageError` for other text, or one that is too long.

    >>> unpacked("http://127.0.0.1:8427/#" + packed("format: 1"))
    'format: 1'
    """
    code = code.strip().rpartition("#")[2]
    try:
        if not code.startswith(MARK) or len(code) > MAX_PACKED:
            raise ValueError
        body = code.removeprefix(MARK)
        data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        inflate = zlib.decompressobj(-15)
        text = inflate.decompress(data, MAX_TEXT + 1)
        if len(text) > MAX_TEXT or not inflate.eof:
            raise ValueError
        return text.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise UsageError("this link holds no puzzle; it may have been cut when it was copied") from None
