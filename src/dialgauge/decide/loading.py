"""Read a policy from TOML, and say in one line what is wrong with a file."""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ValidationError

from dialgauge.decide.policy import Override, Policy, Use
from dialgauge.errors import PolicyError
from dialgauge.model.problems import explain

DEFAULT = "default"

LARGEST_FILE = 2_000_000
"""Bytes; a policy is a page of text."""

_RECORDS: Mapping[str, type[BaseModel]] = {"": Policy, "uses": Use, "overrides": Override}


def available_policies() -> tuple[str, ...]:
    """Return the names of the policies that ship with Dialgauge, sorted."""
    files = resources.files("dialgauge.decide").joinpath("policies").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def load_policy(name_or_path: str | Path = DEFAULT) -> Policy:
    """Return the policy that ships under this name, or that a TOML file holds.

    A ``Path``, and a text that ends in ``.toml`` or has a slash in it, is a file. Raises PolicyError when there is no
    such policy or file, and when the file is not TOML or not a policy; the message names file, key and remedy.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text or "\\" in text:
        return _parse(_read(Path(text)), text)
    known = available_policies()
    if text not in known:
        near = get_close_matches(text, known, n=1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        msg = f"there is no policy {text!r}{meant}; known are {', '.join(known)}, or give the path of a TOML file"
        raise PolicyError(msg)
    file = resources.files("dialgauge.decide") / "policies" / f"{text}.toml"
    return _parse(file.read_text(encoding="utf-8"), f"{text}.toml")


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            msg = f"{path} is too large for a policy ({path.stat().st_size:,} bytes); give a TOML file"
            raise PolicyError(msg)
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        msg = f"there is no policy file {path}; check the path, or leave --policy out to use the default one"
    except UnicodeDecodeError:
        msg = f"{path} is not UTF-8 text; save the policy as a UTF-8 TOML file"
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); give the path of a TOML file"
    raise PolicyError(msg) from None


def _parse(text: str, file: str) -> Policy:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error).replace("end of document", f"line {text.count(chr(10)) + 1}, the end of the file")
        msg = f"{file} is not valid TOML: {problem}; correct that line"
        raise PolicyError(msg) from None
    try:
        return Policy.model_validate(content)
    except ValidationError as error:
        msg = f"{file}: {explain(error, content, _RECORDS)}"
        raise PolicyError(msg) from None
