"""A decision is driven to its end by whoever answers its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness_guard.kernel.questions import IsThere, RealPath, ask, drive

if TYPE_CHECKING:
    from harness_guard.kernel.questions import Asking


def _decision() -> Asking[tuple[str, bool]]:
    real = yield from ask(RealPath("a"))
    return real, (yield from ask(IsThere(real)))


def test_each_question_gets_its_answer() -> None:
    asked: list[object] = []

    def answer(question: object) -> object:
        asked.append(question)
        return "/a" if isinstance(question, RealPath) else True

    assert drive(_decision(), answer) == ("/a", True)
    assert asked == [RealPath("a"), IsThere("/a")]


def test_what_the_answer_raises_ends_it() -> None:
    def answer(_question: object) -> object:
        raise LookupError

    with pytest.raises(LookupError):
        drive(_decision(), answer)
