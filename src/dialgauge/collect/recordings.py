"""Recordings of dialogues: .wav files within the study, known by what is in them."""

import hashlib
from pathlib import Path

from dialgauge.errors import StudyError
from dialgauge.llm import Audio
from dialgauge.model import Dialogue

LARGEST_WAV = 25_000_000
"""Bytes of a recording; endpoints refuse more."""


def read_recording(dialogue: Dialogue, root: Path) -> Audio:
    """Return the recording of ``dialogue``, whose path is relative to the folder ``root``.

    Raises StudyError where there is none, it lies outside the folder, is no .wav file or too large, and where it is not
    what it was when the dialogue was first put before raters.
    """
    if dialogue.audio is None:
        msg = f"the target {dialogue.id!r} has no audio for a rater that listens; give one, or set audio = false"
        raise StudyError(msg)
    what = f"{dialogue.audio}, the audio of target {dialogue.id!r},"
    path = (root / dialogue.audio).resolve()
    if not path.is_relative_to(root.resolve()):
        msg = f"{what} lies outside the study; put it into its folder"
        raise StudyError(msg)
    if path.exists() and not path.is_file():
        msg = f"{what} is no file; check the path"
        raise StudyError(msg)
    try:
        with path.open("rb") as stream:
            wav = stream.read(LARGEST_WAV + 1)
    except OSError as error:
        msg = f"{what} cannot be read ({error.strerror}); check the path"
        raise StudyError(msg) from None
    if len(wav) > LARGEST_WAV:
        msg = f"{what} has more than {LARGEST_WAV:,} bytes; cut the recording to the segment"
        raise StudyError(msg)
    if wav[:4] != b"RIFF" or wav[8:12] != b"WAVE":
        msg = f"{what} is not a .wav file; convert it"
        raise StudyError(msg)
    if dialogue.audio_sha256 not in {None, hashlib.sha256(wav).hexdigest()}:
        msg = f"{what} is another recording than the one that was rated; give the new one a dialogue of its own"
        raise StudyError(msg)
    return Audio(wav)


def with_recording(dialogue: Dialogue, root: Path) -> Dialogue:
    """Return ``dialogue`` with the hash of its recording, if it has one; raises what `read_recording` raises."""
    if dialogue.audio is None:
        return dialogue
    found = hashlib.sha256(read_recording(dialogue, root).wav).hexdigest()
    return dialogue.model_copy(update={"audio_sha256": found})
