"""The cheap value classes behave like the standard frozen, slotted dataclasses that type checkers see."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from harness_guard import records


@records.dataclass(frozen=True, slots=True)
class Point:
    """Two fields, one with a default, and behaviour."""

    x: int
    y: int = 0

    @property
    def total(self) -> int:
        return self.x + self.y

    @classmethod
    def origin(cls) -> Point:
        return cls(0)


@records.dataclass(frozen=True, slots=True)
class Named(Point):
    """A record that extends another."""

    name: str = "n"


@records.dataclass(frozen=True, slots=True)
class Checked:
    """A record that checks itself."""

    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative")


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """What the standard library makes of the same body."""

    x: int
    y: int = 0


def test_fields_by_position_and_by_name() -> None:
    assert (Point(1, 2).x, Point(1, 2).y) == (1, 2)
    assert (Point(y=2, x=1).x, Point(1).y) == (1, 0)
    assert Point.origin() == Point(0, 0)
    assert Point(1, 2).total == 3


def test_it_looks_like_the_standard_form() -> None:
    assert repr(Point(1, 2)) == repr(Standard(1, 2)).replace("Standard", "Point")
    assert Point.__match_args__ == Standard.__match_args__
    assert not hasattr(Point(1), "__dict__")
    match Point(3, 4):
        case Point(x, y):
            assert (x, y) == (3, 4)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {}, "Point needs a value for x"),
        ((1, 2, 3), {}, "Point takes 2 values, 3 were given"),
        ((1,), {"x": 2}, "Point got two values for x"),
        ((1,), {"z": 2}, "Point has no field z"),
    ],
)
def test_wrong_arguments(args: tuple[int, ...], named: dict[str, int], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Point(*args, **named)
    with pytest.raises(TypeError):
        Standard(*args, **named)


def test_equality_is_by_class_and_values() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(2, 1)
    assert Point(1, 2) != (1, 2)  # type: ignore[comparison-overlap]  # the point of the line
    assert Point(1, 2) != Named(1, 2)
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_nothing_changes_once_it_is_made() -> None:
    point = Point(1)
    for name in ("x", "z"):
        with pytest.raises(AttributeError, match="Point is frozen"):
            setattr(point, name, 2)
    with pytest.raises(AttributeError, match="Point is frozen"):
        delattr(point, "x")
    assert point == Point(1)


def test_a_record_may_extend_another() -> None:
    assert Named.__match_args__ == ("x", "y", "name")
    assert repr(Named(1)) == "Named(x=1, y=0, name='n')"
    assert Named(1, 2, "m").total == 3


def test_post_init_runs() -> None:
    assert Checked(1).value == 1
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)
    with pytest.raises(ValueError, match="negative"):
        records.replace(Checked(1), value=-1)


def test_replace() -> None:
    point = Point(1, 2)
    assert records.replace(point, y=5) == Point(1, 5)
    assert point == Point(1, 2)
    with pytest.raises(TypeError, match="Point has no field z"):
        records.replace(point, z=1)  # type: ignore[call-arg]  # the point of the line


def test_copies() -> None:
    assert copy.deepcopy(Named(1)) == Named(1)
    assert copy.copy(Point(1)) == Point(1)
    reduced = Point(1, 2).__reduce__()
    assert reduced == (Point, (1, 2))
    assert pickle.loads(pickle.dumps(Checked)) is Checked


@pytest.mark.parametrize("form", [{"frozen": False, "slots": True}, {"frozen": True, "slots": False}])
def test_no_other_form_is_made(form: dict[str, bool]) -> None:
    with pytest.raises(TypeError, match="only frozen, slotted"):
        records.dataclass(**form)
