"""Calls to language models: one protocol, and whatever speaks it."""

from dialgauge.llm.protocol import Audio, CallFailedError, Completion, Message, Model, Request, Token

__all__ = ["Audio", "CallFailedError", "Completion", "Message", "Model", "Request", "Token"]
