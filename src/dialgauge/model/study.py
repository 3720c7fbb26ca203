"""A study: what is rated by whom, how often, and within which limits. The contents of ``study.toml``."""

import re
from difflib import get_close_matches
from ipaddress import ip_address
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from dialgauge.errors import StudyError
from dialgauge.model.instrument import Name

ENDPOINTS = ("fake", "local", "vendor")
"""Those that are no URL."""

CODE_PARAMETER = r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
"""What the part of an address may be called that bears a person's code."""

_URL = re.compile(r"https?://[^/]", re.IGNORECASE)

PerCall = Literal["one", "all"] | Annotated[int, Field(ge=1)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Price(_Table):
    """What a million tokens cost, in the currency of the budget."""

    input: float = Field(ge=0.0)
    output: float = Field(ge=0.0)


def price_at(endpoint: str) -> Price | None:
    """Return the price of a model at ``endpoint`` where none is given: nothing on this machine, else unknown."""
    free = endpoint in {"fake", "local"} or _is_loopback(endpoint)
    return Price(input=0.0, output=0.0) if free else None


def _is_loopback(endpoint: str) -> bool:
    try:
        host = urlsplit(endpoint).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class FakeSettings(_Table):
    """How the built-in fake model answers: all on the scale's own range, 0 to 1.

    ``spread`` is the standard deviation of the true values, ``bias`` shifts every answer, ``noise`` is the standard
    deviation of replicates, ``drift`` the shift per 1,000 calls; ``garbage``, ``refusals`` and ``failures`` are shares
    of the calls. ``seconds`` is how long an answer takes. ``shift_by_occasion`` holds the shift of every answer on the
    occasions 1, 2, ... on which an anchor set is rated; the last one stays.
    """

    spread: float = Field(default=0.25, ge=0.0, le=100.0)
    bias: float = Field(default=0.0, ge=-100.0, le=100.0)
    noise: float = Field(default=0.1, ge=0.0, le=100.0)
    drift: float = Field(default=0.0, ge=-100.0, le=100.0)
    shift_by_occasion: tuple[float, ...] = ()
    garbage: float = Field(default=0.0, ge=0.0, le=1.0)
    refusals: float = Field(default=0.0, ge=0.0, le=1.0)
    failures: float = Field(default=0.0, ge=0.0, le=1.0)
    seconds: float = Field(default=0.0, ge=0.0)
    seed: int = 0


class LlmRater(_Table):
    """A language model as a rater.

    ``endpoint`` is the base URL of an OpenAI-compatible interface (``http://127.0.0.1:8080/v1``), ``local`` for a GGUF
    file (or the name of fetched weights) inside the process, ``vendor`` for the extra ``[models]``, or ``fake``.
    ``key_env`` names the environment variable that holds the key. ``scoring`` "sampled" takes the answer as the
    rating, "expected" the mean of the scale under the model's probabilities, in one call. ``answers`` "schema"
    constrains the answer to the scale, "free" only asks for it. With ``rationale`` the model writes a reason before the
    value. ``threads`` compute where the model is local. ``replicates`` overrides that of the study. ``own_systems`` are
    the systems under test that are built on the same model or its family: whether the rater prefers them can be
    checked.
    """

    name: Name
    kind: Literal["llm"]
    model: Name
    endpoint: Name = "local"
    key_env: str | None = None
    temperature: float = Field(default=1.0, ge=0.0)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    max_tokens: int = Field(default=300, ge=1)
    send_seed: bool = True
    scoring: Literal["sampled", "expected"] = "sampled"
    answers: Literal["schema", "free"] = "schema"
    rationale: bool = False
    audio: bool = False
    concurrency: int | None = Field(default=None, ge=1, le=1024)
    threads: int = Field(default=1, ge=1, le=1024)
    replicates: int | None = Field(default=None, ge=1, le=1000)
    price: Price | None = None
    own_systems: tuple[Name, ...] = ()
    fake: FakeSettings | None = None

    @property
    def known_price(self) -> Price | None:
        """The price that is given, else that of its endpoint; None where it is not known."""
        return self.price or price_at(self.endpoint)

    @model_validator(mode="after")
    def _check_fit(self) -> Self:
        if self.scoring == "expected" and self.rationale:
            msg = f"the rater {self.name!r} gives expected scores, without room for a rationale; drop one of the two"
            raise ValueError(msg)
        if self.fake is not None and self.endpoint != "fake":
            msg = f"the rater {self.name!r} has settings of the fake model but another endpoint; set endpoint = 'fake'"
            raise ValueError(msg)
        if self.threads > 1 and self.endpoint != "local":
            msg = f"the rater {self.name!r} has threads but another endpoint than 'local'; drop threads"
            raise ValueError(msg)
        return self

    @field_validator("endpoint")
    @classmethod
    def _check_endpoint(cls, endpoint: str) -> str:
        if endpoint in ENDPOINTS or _URL.match(endpoint):
            return endpoint
        near = get_close_matches(endpoint, ENDPOINTS, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else "write it whole, such as 'http://127.0.0.1:8080/v1'"
        if "://" in endpoint:
            remedy = "write http:// or https://"
        shown = "it" if "@" in endpoint else repr(endpoint)  # there may be a password in it
        msg = f"{shown} is neither a URL nor one of {', '.join(ENDPOINTS)}; {remedy}"
        raise ValueError(msg)


class CodeRater(_Table):
    """Code as a rater.

    Without ``function`` it gives the built-in measures named in ``measures`` (all of them when empty), which are the
    dimensions of the instrument ``measures``. ``function`` is a Python callable, ``module:name`` or the name of an
    entry point in the group ``dialgauge.raters``: it takes a dialogue and a dimension, and returns a number or None.
    Code is asked once for each target and dimension.
    """

    name: Name
    kind: Literal["code"]
    function: Name | None = None
    measures: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if self.function is not None and self.measures:
            msg = f"the code rater {self.name!r} has a function and measures; give one of the two"
            raise ValueError(msg)
        return self


class PromptSettings(_Table):
    """How dimensions are put to a model: how many in one call, in which order, and by which template file."""

    dimensions_per_call: PerCall = "one"
    order: Literal["fixed", "shuffled"] = "fixed"
    template: str | None = None


class PeopleSettings(_Table):
    """How people rate: each target by ``per_target`` of them, no one seeing what the others answered.

    A target that somebody was given is held for them for ``reservation_minutes`` after their last answer; then it goes
    to somebody else. ``most_per_rater`` is how many targets one person may rate; None is no limit. ``instructions`` is
    a text file beside ``study.toml``, ``consent`` another to which people agree before they begin, ``codes`` a third
    with the codes that may enter, one a line. ``title`` is what stands above the page in place of the study's name.
    With ``show_names`` the page tells what each dimension is called; with ``shuffle`` each rater has the questions in
    an order of their own. ``code_parameter`` is the part of the address that bears the code. ``completion_code`` is
    shown from ``least_per_rater`` completed targets on (None: to those who did all there is for them), ``no_task_code``
    to those for whom there was nothing.
    """

    per_target: int = Field(default=3, ge=1, le=1000)
    reservation_minutes: float = Field(default=30.0, gt=0.0, le=43_200.0)
    most_per_rater: int | None = Field(default=None, ge=1)
    least_per_rater: int | None = Field(default=None, ge=1)
    instructions: Name | None = None
    consent: Name | None = None
    codes: Name | None = None
    title: Name | None = None
    show_names: bool = False
    shuffle: bool = True
    code_parameter: str = Field(default="code", pattern=CODE_PARAMETER)
    completion_code: Name | None = None
    no_task_code: Name | None = None

    @model_validator(mode="after")
    def _check_least(self) -> Self:
        least, most = self.least_per_rater, self.most_per_rater
        if least is not None and most is not None and least > most:
            msg = f"least_per_rater is {least} and most_per_rater {most}, so that nobody can do enough; lower the first"
            raise ValueError(msg)
        return self


class Budget(_Table):
    """What a study may cost at most: in money (of ``currency``) and in tokens; None is no cap."""

    cost: float | None = Field(default=None, ge=0.0)
    tokens: int | None = Field(default=None, ge=0)
    currency: str = "USD"

    def check(self, price: Price | None, *, of: str) -> None:
        """Raise StudyError where a cap in money cannot be kept because the price ``of`` somebody is not known."""
        if self.cost is not None and price is None:
            raise StudyError(
                f"the budget is {self.cost:g} {self.currency}, and the price of {of} is not known; add price = "
                "{ input = ..., output = ... } for a million tokens to its rater in study.toml, or cap budget.tokens"
            )


class Limits(_Table):
    """How hard endpoints may be pressed, and how much may be missing.

    ``concurrency`` calls in flight at most for each rater, ``timeout`` seconds a call, ``attempts`` calls at most for
    one answer where the call failed, ``reask`` further calls at most where an answer could not be read.
    ``allowed_missing`` is the share of ratings that may be missing before the command ends with code 1.
    """

    concurrency: int = Field(default=8, ge=1, le=1024)
    timeout: float = Field(default=60.0, gt=0.0)
    attempts: int = Field(default=4, ge=1, le=20)
    reask: int = Field(default=0, ge=0, le=10)
    allowed_missing: float = Field(default=0.05, ge=0.0, le=1.0)


class Study(_Table):
    """Who rates what, how often, within which limits.

    ``dimensions`` chooses from the instrument (empty: all of it). ``targets`` is a file of dialogues, beside
    ``study.toml``. ``store`` is a file name for SQLite, or a database URL. With ``people`` there may be no other
    ``raters``.
    """

    name: Name
    instrument: Name
    dimensions: tuple[Name, ...] = ()
    targets: Name = "targets.jsonl"
    replicates: int = Field(default=4, ge=1, le=1000)
    seed: int = Field(default=1, ge=-(2**63), lt=2**63)
    store: Name = "study.db"
    raters: tuple[Annotated[LlmRater | CodeRater, Field(discriminator="kind")], ...] = ()
    people: PeopleSettings | None = None
    prompt: PromptSettings = PromptSettings()
    budget: Budget = Budget()
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _check_somebody_rates(self) -> Self:
        if not self.raters and self.people is None:
            state = "empty" if "raters" in self.model_fields_set else "missing"
            msg = f"raters is {state}; add a table [[raters]] for a model or code, or [people] where people rate"
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for what, names in (("rater", [rater.name for rater in self.raters]), ("dimension", list(self.dimensions))):
            doubled = [name for i, name in enumerate(names) if name in names[:i]]
            if doubled:
                msg = f"the {what} {doubled[0]!r} is named twice; each needs a name of its own"
                raise ValueError(msg)
        return self
