"""Every way in which a call can fail: what it is called, whether it may be tried again, and what is recorded."""

import asyncio
import gzip
import json
import re
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from tests.llm.server import ChatServer, Reply, error

from dialgauge.llm import Audio, CallFailedError, Message, Request
from dialgauge.llm.failures import read_delay
from dialgauge.llm.openai import MAX_BYTES, OpenAICompatible

FULL = Request(
    messages=(Message("user", ("Listen.", Audio(b"RIFF"))),),
    temperature=1.0,
    top_p=0.9,
    seed=1,
    max_tokens=9,
    schema={"type": "object"},
    top_logprobs=5,
)


def fail(url: str, request: Request | None = None, *, timeout: float = 10.0, key: str | None = None) -> CallFailedError:
    """Make one call that must fail, and return how."""

    async def run() -> CallFailedError:
        model = OpenAICompatible(url, "m", timeout=timeout, key=key, key_env=None if key is None else "MY_KEY")
        try:
            with pytest.raises(CallFailedError) as caught:
                await model.complete(request or Request(messages=(Message("user", ("Rate.",)),)))
        finally:
            await model.close()
        return caught.value

    failure = asyncio.run(run())
    assert "\n" not in str(failure)
    assert json.loads(failure.sent)["model"] == "m"
    return failure


def fail_by(reply: Reply, request: Request | None = None, *, timeout: float = 10.0) -> CallFailedError:
    with ChatServer(reply) as server:
        return fail(server.url, request, timeout=timeout)


def test_a_server_that_is_not_there_may_come_back() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    failure = fail(f"http://127.0.0.1:{port}/v1")
    assert failure.retriable
    assert not failure.throttled
    assert (failure.reason, failure.status, failure.received) == ("error", None, None)
    assert f"127.0.0.1:{port}" in str(failure)
    assert "cannot be reached" in str(failure)


def test_a_reset_connection_may_hold_the_next_time() -> None:
    failure = fail_by(Reply(reset=True))
    assert failure.retriable
    assert failure.reason == "error"
    assert "broke off" in str(failure)


def test_a_body_that_breaks_off_is_kept_as_far_as_it_came() -> None:
    failure = fail_by(Reply(hang_up=True))
    assert failure.retriable
    assert failure.status == 200
    assert str(failure.received).startswith('{"id"')


def test_what_is_no_http_may_be_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        async def babble() -> CallFailedError:
            async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writer.write(b"\x00\x01 hello\r\n\r\n")
                writer.close()

            server = await asyncio.start_server(handle, sock=listener)
            async with server:
                model = OpenAICompatible(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", "m")
                with pytest.raises(CallFailedError) as caught:
                    await model.complete(Request(messages=(Message("user", ("Rate.",)),)))
                await model.close()
            return caught.value

        failure = asyncio.run(babble())
    assert failure.retriable
    assert failure.reason == "error"


@pytest.mark.parametrize(
    "reply", [Reply(seconds=20.0), Reply(byte_seconds=0.1), Reply(status=500, byte_seconds=0.1)], ids=repr
)
def test_the_time_limit_is_that_of_the_whole_call(reply: Reply) -> None:
    start = time.perf_counter()
    failure = fail_by(reply, timeout=0.4)
    assert failure.reason == "timeout"
    assert failure.retriable
    assert 0.4 <= failure.seconds < 3.0
    assert time.perf_counter() - start < 5.0
    assert "within 0.4 s" in str(failure)
    assert (failure.received is None) == (reply.seconds > 0.0)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_an_endpoint_that_asks_for_less_is_heard(status: int) -> None:
    failure = fail_by(error(status, "Slow down, please.", retry_after="7"))
    assert failure.throttled
    assert failure.retriable
    assert failure.retry_after == 7.0
    assert failure.status == status
    assert "Slow down, please." in str(failure)
    assert "Slow down" in str(failure.received)


def test_a_used_up_quota_does_not_come_back_by_waiting() -> None:
    failure = fail_by(error(429, "You exceeded your current quota.", code="insufficient_quota"))
    assert not failure.retriable
    assert not failure.throttled


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0", 0.0), ("1.5", 1.5), (" 20 ", 20.0), ("-1", None), ("nan", None), ("inf", None), ("soon", None), ("", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert read_delay({"retry-after": value}) == seconds


def test_retry_after_as_a_date_is_counted_from_the_servers_own_clock() -> None:
    there = datetime(2026, 1, 1, 12, tzinfo=UTC)
    headers = {
        "date": format_datetime(there, usegmt=True),
        "retry-after": format_datetime(there + timedelta(seconds=90), usegmt=True),
    }
    assert read_delay(headers) == 90.0


def test_retry_after_as_a_date_without_a_clock_is_counted_from_now_and_never_negative() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert read_delay({"retry-after": soon}) == pytest.approx(60.0, abs=5.0)
    assert read_delay({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0.0


@pytest.mark.parametrize("status", [500, 502, 504, 408, 409])
def test_an_endpoint_that_fails_may_recover(status: int) -> None:
    failure = fail_by(error(status, "Internal trouble."))
    assert failure.retriable
    assert not failure.throttled
    assert f"failed ({status}: Internal trouble.)" in str(failure)


@pytest.mark.parametrize("status", [400, 402, 404, 413, 422])
def test_a_call_that_is_refused_is_refused_for_good_in_the_endpoints_own_words(status: int) -> None:
    failure = fail_by(error(status, "The model 'm' does not\nexist."))
    assert not failure.retriable
    assert "The model 'm' does not exist." in str(failure)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_the_variable_that_holds_it(status: int) -> None:
    with ChatServer(error(status, "Incorrect API key.")) as server:
        with_key, without = fail(server.url, key="sk-0123456789"), fail(server.url)
    assert not with_key.retriable
    assert "check the key in the environment variable MY_KEY" in str(with_key)
    assert "`key_env`" in str(without)


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (error(400, "Unsupported parameter: 'seed' is not supported."), "send_seed = false"),
        (error(400, "Unsupported value.", param="seed"), "send_seed = false"),
        (error(400, "'response_format' of type 'json_schema' is not supported"), 'answers = "free"'),
        (error(400, "Failed to parse grammar"), 'answers = "free"'),
        (error(422, "logprobs are not available"), 'scoring = "sampled"'),
        (error(400, "Unsupported value: 'temperature' must be 1"), "`temperature`"),
        (error(400, "top_p is deprecated"), "`top_p`"),
        (error(400, "max_tokens is too large"), "`max_tokens`"),
        (error(400, "input_audio is not supported by this model"), "audio = false"),
        (
            Reply(status=422, body=b'{"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]}'),
            "send_seed = false",
        ),
    ],
)
def test_a_refused_setting_names_what_to_change_in_the_study(reply: Reply, remedy: str) -> None:
    failure = fail_by(reply, FULL)
    assert not failure.retriable
    assert remedy in str(failure)
    assert "study.toml" in str(failure)


def test_a_setting_that_was_not_sent_is_not_blamed() -> None:
    assert "send_seed" not in str(fail_by(error(400, "This is about the seed.")))


def test_a_redirect_is_not_followed() -> None:
    with ChatServer() as elsewhere:
        failure = fail_by(Reply(status=307, headers={"location": elsewhere.url}, body=b""))
        assert elsewhere.received == []
        assert f"redirects (307) to {elsewhere.url}" in str(failure)
    assert not failure.retriable


UNREADABLE = {
    "truncated": (Reply(cut=40), "no JSON"),
    "empty": (Reply(body=b""), "no JSON"),
    "page": (Reply(body=b"<html>Welcome</html>", content_type="text/html"), "no JSON"),
    "list": (Reply(body=b"[1, 2]"), "no object: list"),
    "no choices": (Reply(body=b'{"choices": []}'), "no choices"),
    "choices of nothing": (Reply(body=b'{"choices": [null]}'), "first choice is no object"),
    "no message": (Reply(body=b'{"choices": [{}]}'), "no message"),
    "content": (Reply(body=b'{"choices": [{"message": {"content": 4}}]}'), "content is neither"),
    "own sentence": (Reply(body=b'{"error": {"message": "Out of luck."}}'), "Out of luck."),
    "deep": (Reply(body=b'{"a":' * 100_000), "nested too deep"),
    "digits": (Reply(body=b'{"a": ' + b"9" * 5000 + b"}"), "no JSON"),
    "bytes": (Reply(body=b'{"choices": "\xff\xfe"}'), "no UTF-8, from byte 13 on"),
}


@pytest.mark.parametrize(("reply", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_success_that_cannot_be_read_is_a_failure_that_may_be_tried_again(reply: Reply, said: str) -> None:
    failure = fail_by(reply)
    assert failure.retriable
    assert failure.status == 200
    assert said in str(failure)
    assert failure.received is not None


def test_a_wrong_content_type_does_not_matter_where_the_body_is_a_completion() -> None:
    async def run(url: str) -> str:
        model = OpenAICompatible(url, "m")
        answer = await model.complete(FULL)
        await model.close()
        return answer.text

    with ChatServer(Reply(text="4", content_type="text/plain")) as server:
        assert asyncio.run(run(server.url)) == "4"


def test_a_huge_body_is_given_up_and_kept_up_to_the_limit() -> None:
    failure = fail_by(Reply(body=b" " * (2 * MAX_BYTES)))
    assert not failure.retriable
    assert "more than 4,000,000 bytes" in str(failure)
    assert len(str(failure.received)) == MAX_BYTES


def test_an_endless_sentence_of_an_endpoint_is_cut_and_its_control_signs_are_left_out() -> None:
    failure = fail_by(Reply(status=500, body=b"\x1b[31m" + b"word " * 10_000))
    assert len(str(failure)) < 500
    assert re.search(r"[\x00-\x1f]", str(failure)) is None


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "GZIP, gzip"])
def test_a_packed_answer_is_refused_before_it_is_unpacked(coding: str) -> None:
    bomb = gzip.compress(b"[" * 50_000_000)
    began = time.process_time()
    failure = fail_by(Reply(body=bomb, headers={"content-encoding": coding}))
    assert time.process_time() - began < 5.0
    assert not failure.retriable
    assert f"sent a packed answer (content-encoding {coding.lower()}), and a plain one was asked for" in str(failure)
    assert failure.received == ""


def test_a_packed_failure_is_told_by_its_status() -> None:
    failure = fail_by(
        Reply(status=429, body=gzip.compress(b"{}"), headers={"content-encoding": "gzip", "retry-after": "7"})
    )
    assert (failure.throttled, failure.retry_after, failure.received) == (True, 7.0, "")


def test_an_answer_that_says_that_it_is_plain_is_read() -> None:
    with ChatServer(Reply(text="4", headers={"content-encoding": "identity"})) as server:

        async def run() -> str:
            model = OpenAICompatible(server.url, "m")
            try:
                return (await model.complete(Request(messages=(Message("user", ("Rate.",)),)))).text
            finally:
                await model.close()

        assert asyncio.run(run()) == "4"


KEY = "sk-SECRET+key/1234567890"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=302, headers={"location": f"http://x/{'a' * 275}{KEY}"}, body=b""),
        error(401, f"{'a' * 285}{KEY}"),
        Reply(body=('{"error": "' + "a" * 250 + KEY.replace("+", "\\u002B").replace("/", "\\/") + '"}').encode()),
        Reply(body=f'{{"choices": "{KEY}'.encode(), cut=24),
    ],
)
def test_a_key_is_hidden_before_a_message_is_cut(reply: Reply) -> None:
    with ChatServer(reply) as server:
        failure = fail(server.url, key=KEY)
    assert "SECRET" not in f"{failure} {failure.received}"


@pytest.mark.parametrize(
    ("reply", "billable"),
    [
        (Reply(body=b"no JSON"), True),
        (Reply(hang_up=True), True),
        (Reply(reset=True), True),
        (Reply(seconds=9.0), True),
        (error(500, "oops"), True),
        (error(408, "slow"), True),
        (error(429, "busy"), False),
        (error(503, "busy"), False),
        (error(400, "wrong"), False),
        (error(401, "who?"), False),
        (Reply(status=302), False),
    ],
)
def test_a_failure_tells_whether_the_endpoint_may_charge_for_it(reply: Reply, billable: bool) -> None:
    assert fail_by(reply, timeout=0.5).billable == billable


def test_a_call_that_never_left_is_not_charged() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert not fail(f"http://127.0.0.1:{free.getsockname()[1]}/v1").billable


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 400, "completion_tokens": 4}, (400, 4)),
        ({"prompt_tokens": True, "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": 10**30}, (None, None)),
        ([1], (None, None)),
    ],
)
def test_tokens_that_a_failure_counts_are_kept(usage: object, tokens: tuple[int | None, int | None]) -> None:
    failure = fail_by(Reply(body=json.dumps({"choices": [], "usage": usage}).encode()))
    assert (failure.input_tokens, failure.output_tokens) == tokens
