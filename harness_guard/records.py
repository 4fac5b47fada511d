"""Frozen, slotted value classes that cost next to nothing to define.

Every tool call of a guarded run starts a fresh interpreter, so what is imported is what is paid. The standard
``dataclasses`` module costs more than a bare interpreter start (it loads ``inspect`` and compiles source for each
class); this module gives the same semantics for the one form used here, ``@dataclass(frozen=True, slots=True)``
with immutable defaults. Type checkers see the standard decorator. See docs/adr/0002-cold-start.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  the form that exports a name again
    from dataclasses import replace as replace  # noqa: PLC0414  as above
else:
    _set = object.__setattr__

    def _init(self, *args, **named):
        cls = type(self)
        names = cls.__match_args__
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} takes {len(names)} values, {len(args)} were given")
        for name, value in zip(names, args, strict=False):
            if name in named:
                raise TypeError(f"{cls.__name__} got two values for {name}")
            _set(self, name, value)
        defaults = cls._defaults
        for name in names[len(args) :]:
            if name in named:
                _set(self, name, named.pop(name))
            elif name in defaults:
                _set(self, name, defaults[name])
            else:
                raise TypeError(f"{cls.__name__} needs a value for {name}")
        if named:
            raise TypeError(f"{cls.__name__} has no field {next(iter(named))}")
        after = getattr(self, "__post_init__", None)
        if after is not None:
            after()

    def _values(self):
        return tuple(getattr(self, name) for name in type(self).__match_args__)

    def _equal(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return _values(self) == _values(other)

    def _hash(self):
        return hash((type(self).__name__, _values(self)))

    def _repr(self):
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__qualname__}({inner})"

    def _frozen(self, name, _value=None):
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot change")

    def _reduce(self):
        return (type(self), _values(self))

    def dataclass(*, frozen, slots):
        """Make a frozen, slotted value class of a class body with annotated fields.

        Args:
            frozen: Must be true; there is no other form.
            slots: Must be true; there is no other form.

        Returns:
            The decorator.

        Raises:
            TypeError: If another form is asked for.
        """
        if not (frozen and slots):
            raise TypeError("only frozen, slotted classes are made here")

        def build(cls):
            # Read from the class itself: what ``inspect`` offers for it costs more than a bare start.
            kinds = cls.__dict__.get("__annotations__", {})  # noqa: RUF063  see above
            own = [name for name, kind in kinds.items() if "ClassVar" not in str(kind)]
            names, defaults = [], {}
            for base in reversed(cls.__mro__[1:]):
                names += [name for name in base.__dict__.get("__match_args__", ()) if name not in names]
                defaults.update(base.__dict__.get("_defaults", {}))
            defaults.update({name: cls.__dict__[name] for name in own if name in cls.__dict__})
            body = {key: value for key, value in cls.__dict__.items() if key not in own}
            body.pop("__dict__", None)
            body.pop("__weakref__", None)
            body.update(
                __slots__=tuple(name for name in own if name not in names),
                __match_args__=tuple(names + [name for name in own if name not in names]),
                _defaults=defaults,
                __init__=_init,
                __eq__=_equal,
                __hash__=_hash,
                __repr__=_repr,
                __setattr__=_frozen,
                __delattr__=_frozen,
                __reduce__=_reduce,
            )
            return type(cls)(cls.__name__, cls.__bases__, body)

        return build

    def replace(value, /, **changes):
        """Give a copy of ``value`` with some fields changed.

        Raises:
            TypeError: If a name is no field of it.
        """
        fields = {name: getattr(value, name) for name in type(value).__match_args__}
        unknown = changes.keys() - fields.keys()
        if unknown:
            raise TypeError(f"{type(value).__name__} has no field {min(unknown)}")
        return type(value)(**{**fields, **changes})
