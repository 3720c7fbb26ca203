"""Who asks: the cookie of a visit, and what its forms bear."""

from starlette.requests import Request
from starlette.responses import Response

from dialgauge.collect.web.signing import LIFETIME, Signer, Visit


class TurnedAwayError(Exception):
    """A request that is not answered as it is; ``status`` is that of the answer, the text what the person is told."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Door:
    """Knows visitors by their cookie."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def visit_of(self, request: Request) -> Visit | None:
        """Return the visit that the cookie of ``request`` tells of, if it is one of ours."""
        cookie = request.cookies.get(self._signer.cookie)
        return None if cookie is None else self._signer.read(cookie)

    def rater_of(self, request: Request) -> tuple[Visit, str]:
        """Return the visit and its rater; TurnedAwayError (401) where nobody has entered a code."""
        visit = self.visit_of(request)
        if visit is None or visit.rater is None:
            raise TurnedAwayError(401, "Please enter your code first. What was saved is kept.")
        return visit, visit.rater

    def check_form(self, visit: Visit | None, token: object) -> None:
        """Raise TurnedAwayError (403) where a form does not come from a page that ``visit`` was shown."""
        if visit is None:
            message = "Your browser did not send the cookie of this page back. Please allow cookies, and begin again."
            raise TurnedAwayError(403, message)
        if not (isinstance(token, str) and self._signer.is_form_token(token, visit)):
            message = "This page was opened before you entered your code, or under another one. Please begin again."
            raise TurnedAwayError(403, message)

    def token_for(self, visit: Visit) -> str:
        """Return the token for the forms of ``visit``."""
        return self._signer.form_token(visit)

    def remember(self, response: Response, visit: Visit, request: Request) -> None:
        """Set the cookie of ``visit``: not for scripts, not from other sites, and encrypted where the page is."""
        response.set_cookie(
            self._signer.cookie,
            self._signer.write(visit),
            max_age=LIFETIME,
            path="/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )

    def forget(self, response: Response) -> None:
        """Take the cookie back."""
        response.delete_cookie(self._signer.cookie, path="/", httponly=True, samesite="lax")
