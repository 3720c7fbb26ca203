"""The code with which a person enters."""

import re

from dialgauge.errors import InputError

LONGEST = 64

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]*")


def check_code(text: str) -> str:
    """Return a code without the blanks around it; InputError that says how codes are written."""
    code = text.strip()
    if not code:
        raise InputError("please enter your code")
    if len(code) > LONGEST:
        raise InputError(f"a code has at most {LONGEST} characters, and this one has {len(code):,}; please check it")
    if not _CODE.fullmatch(code):
        raise InputError("a code has only letters a to z, digits, and . _ - + @ between them; please check it")
    return code
