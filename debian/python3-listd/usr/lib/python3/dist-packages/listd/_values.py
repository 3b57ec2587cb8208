# SPDX-License-Identifier: Apache-2.0
"""Values of fields: conversions between Python's and D-Bus's types."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from sys import intern
from typing import Any, ClassVar, Self

from dbus_fast.signature import SignatureTree, SignatureType, Variant
from dbus_fast.validators import assert_object_path_valid

from ._errors import InvalidObject

#: The maximum nesting of D-Bus containers in a value.
DEEPEST = 32


class _Integer(int):
    """An integer that is sent as a D-Bus type other than ``x``."""

    signature: ClassVar[str]
    _bits: ClassVar[range]

    def __new__(cls, value: int = 0) -> Self:
        number = super().__new__(cls, value)
        # A range checks each of its numbers, so plain integers are tested first.
        if int(number) not in cls._bits:
            raise InvalidObject(f"{int(number)} does not fit into {cls.__name__}")
        return number

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self)})"


class Byte(_Integer):
    """An integer of 8 bits without a sign (D-Bus ``y``)."""

    signature = "y"
    _bits = range(2**8)


class Int16(_Integer):
    """An integer of 16 bits (D-Bus ``n``)."""

    signature = "n"
    _bits = range(-(2**15), 2**15)


class UInt16(_Integer):
    """An integer of 16 bits without a sign (D-Bus ``q``)."""

    signature = "q"
    _bits = range(2**16)


class Int32(_Integer):
    """An integer of 32 bits (D-Bus ``i``)."""

    signature = "i"
    _bits = range(-(2**31), 2**31)


class UInt32(_Integer):
    """An integer of 32 bits without a sign (D-Bus ``u``)."""

    signature = "u"
    _bits = range(2**32)


class UInt64(_Integer):
    """An integer of 64 bits without a sign (D-Bus ``t``)."""

    signature = "t"
    _bits = range(2**64)


class ObjectPath(str):
    """The path of a D-Bus object (``o``)."""

    signature: ClassVar[str] = "o"
    __slots__ = ()


class Signature(str):
    """A D-Bus signature (``g``)."""

    signature: ClassVar[str] = "g"
    __slots__ = ()


class Array(list[Any]):
    """A list whose elements all have one D-Bus type, such as ``Array("s", ["a", "b"])``; an ordinary list is ``av``."""

    __slots__ = ("signature",)
    #: The type of the whole: ``as`` for strings.
    signature: str

    def __init__(self, element: str, values: Iterable[Any] = ()) -> None:
        super().__init__(values)
        self.signature = "a" + element


class Struct(tuple[Any, ...]):
    """A D-Bus structure, such as ``Struct("(su)", ("a", 1))``; an ordinary tuple is sent like a list."""

    #: The type of the whole, with its parentheses.
    signature: str

    def __new__(cls, signature: str, values: Iterable[Any]) -> Self:
        made = super().__new__(cls, values)
        made.signature = signature
        return made

    def __getnewargs__(self) -> tuple[str, tuple[Any, ...]]:
        return self.signature, tuple(self)


class Dictionary(dict[Any, Any]):
    """A D-Bus dictionary of another type than ``a{sv}``, such as ``Dictionary("su", {"a": 1})``."""

    __slots__ = ("signature",)
    #: The type of the whole: ``a{su}``.
    signature: str

    def __init__(self, entry: str, values: Mapping[Any, Any] = {}) -> None:
        super().__init__(values)
        self.signature = "a{" + entry + "}"


_WRAPPERS: dict[str, type[_Integer] | type[ObjectPath] | type[Signature]] = {
    kind.signature: kind for kind in (Byte, Int16, UInt16, Int32, UInt32, UInt64, ObjectPath, Signature)
}
_RANGES: dict[str, range] = {
    "y": Byte._bits,
    "n": Int16._bits,
    "q": UInt16._bits,
    "i": Int32._bits,
    "u": UInt32._bits,
    "x": range(-(2**63), 2**63),
    "t": UInt64._bits,
}
_PLAIN = frozenset("sxdb")


# MARK: reading


def plain(variant: Variant) -> Any:
    """Returns the content of a variant as a Python value. The wrapper types above keep the D-Bus type."""
    signature: str = variant.signature
    value = variant.value
    if signature in _PLAIN:
        return value
    if signature == "av":
        return [plain(element) for element in value]
    if signature == "a{sv}":
        return fields_of(value)
    if signature == "ay":
        return bytes(value)
    if wrapper := _WRAPPERS.get(signature):
        return wrapper(value)
    return _typed(variant.type, value)


def _typed(kind: SignatureType, value: Any) -> Any:
    """Returns a value in a container with a declared content type. Only the outermost container is wrapped."""
    token = kind.token
    if token == "v":
        return plain(value)
    if token == "a":
        element = kind.children[0]
        if element.token == "y":
            return bytes(value)
        if element.token == "{":
            entry = "".join(child.signature for child in element.children)
            made = {_typed(element.children[0], k): _typed(element.children[1], v) for k, v in value.items()}
            return made if entry == "sv" else Dictionary(entry, made)
        return Array(element.signature, [_typed(element, member) for member in value])
    if token == "(":
        return Struct(kind.signature, [_typed(child, member) for child, member in zip(kind.children, value)])
    return value


def fields_of(raw: Mapping[str, Variant]) -> dict[str, Any]:
    """Converts an ``a{sv}`` to a Python dictionary. Keys repeat from object to object, so they are interned."""
    return {
        intern(key): variant.value if variant.signature in _PLAIN else plain(variant) for key, variant in raw.items()
    }


# MARK: writing

_TREES = {signature: SignatureTree(signature) for signature in ("s", "x", "t", "d", "b", "ay", "av", "a{sv}")}


def checked_text(text: str) -> str:
    """Checks that D-Bus can carry a string, and returns it.

    :raises InvalidObject: the string contains NUL or a surrogate.
    :raises TypeError: the value is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a string, not {repr(text)[:64]}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidObject("a string contains a surrogate, which is not a character") from None
    if "\0" in text:
        raise InvalidObject("a string contains NUL, which D-Bus cannot carry")
    return text


def checked_texts(name: str, texts: Iterable[str]) -> list[str]:
    """Checks that D-Bus can carry several strings, and returns them.

    :raises TypeError: the argument is a single string, or an element is not a string.
    """
    if isinstance(texts, str):
        raise TypeError(f"{name} is a list of keys: write [{texts!r}]")
    return [checked_text(text) for text in texts]


def variants_of(fields: Mapping[str, Any], depth: int = 0) -> dict[str, Variant]:
    """Converts fields to ``a{sv}``.

    :raises InvalidObject: D-Bus cannot carry a field; the message names it.
    """
    made = {}
    for key, value in fields.items():
        if not isinstance(key, str):
            raise InvalidObject(f"the key {key!r:.64} is not a string")
        try:
            made[checked_text(key)] = variant_of(value, depth)
        except InvalidObject as error:
            if depth:
                raise
            raise InvalidObject(f"field {key!r:.64}: {error.message}") from None
    return made


def variant_of(value: Any, depth: int = 0) -> Variant:
    """Converts a Python value to a variant.

    :raises InvalidObject: D-Bus cannot carry it.
    """
    kind = type(value)
    if kind is str:
        return Variant(_TREES["s"], checked_text(value), False)
    if kind is bool:
        return Variant(_TREES["b"], value, False)
    if kind is int:
        return _integer(value)
    if kind is float:
        return Variant(_TREES["d"], value, False)
    if kind is dict:
        return Variant(_TREES["a{sv}"], variants_of(value, _deeper(depth, 3)), False)
    if kind is list or kind is tuple:
        depth = _deeper(depth, 2)
        return Variant(_TREES["av"], [variant_of(element, depth) for element in value], False)
    return _other(value, depth)


def _integer(value: int) -> Variant:
    if value in _RANGES["x"]:
        return Variant(_TREES["x"], value, False)
    if value in _RANGES["t"]:
        return Variant(_TREES["t"], value, False)
    raise InvalidObject("an integer is beyond 64 bits")


def _other(value: Any, depth: int) -> Variant:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Variant(_TREES["ay"], bytes(value), False)
    if isinstance(value, (_Integer, ObjectPath, Signature, Array, Struct, Dictionary)):
        return _wrapped(value, depth)
    if isinstance(value, str):
        return Variant(_TREES["s"], checked_text(str(value)), False)
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return Variant(_TREES["d"], float(value), False)
    if isinstance(value, Mapping):
        return variant_of(dict(value), depth)
    if value is None:
        raise InvalidObject("None is not a value of a field: leave the key out")
    raise InvalidObject(f"D-Bus cannot carry {type(value).__name__}")


def _wrapped(value: _Integer | ObjectPath | Signature | Array | Struct | Dictionary, depth: int) -> Variant:
    try:
        tree = SignatureTree(value.signature)
    except Exception:
        raise InvalidObject(f"{value.signature!r:.64} is not a D-Bus type") from None
    if len(tree.types) != 1:
        raise InvalidObject(f"{value.signature!r:.64} is not a single D-Bus type")
    encoded = _encoded(tree.types[0], value, depth)
    variant = Variant(tree, encoded, False)
    if isinstance(value, (ObjectPath, Signature)):
        try:
            if isinstance(value, Signature):
                SignatureTree(str(value))
            else:
                assert_object_path_valid(encoded)
        except Exception:
            raise InvalidObject(f"{str(value)!r:.64} is not a valid {type(value).__name__}") from None
    return variant


def _encoded(kind: SignatureType, value: Any, depth: int) -> Any:
    """A value converted to a container's element type."""
    token = kind.token
    if token == "v":
        return variant_of(value, _deeper(depth, 1))
    if token in _RANGES:
        if not isinstance(value, int) or int(value) not in _RANGES[token]:
            raise InvalidObject(f"{value!r:.64} is not a value of the D-Bus type {kind.signature}")
        return int(value)
    if token == "d" and isinstance(value, (int, float)):
        return float(value)
    if token == "b" and isinstance(value, bool):
        return value
    if token in "sog" and isinstance(value, str):
        return checked_text(str(value))
    if token == "a" and kind.children[0].token == "y" and isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if token == "a" and kind.children[0].token == "{" and isinstance(value, Mapping):
        key, element = kind.children[0].children
        depth = _deeper(depth, 2)
        return {_encoded(key, k, depth): _encoded(element, v, depth) for k, v in value.items()}
    if token == "a" and isinstance(value, (list, tuple)):
        depth = _deeper(depth, 1)
        return [_encoded(kind.children[0], member, depth) for member in value]
    if token == "(" and isinstance(value, (list, tuple)) and len(value) == len(kind.children):
        depth = _deeper(depth, 1)
        return [_encoded(child, member, depth) for child, member in zip(kind.children, value)]
    raise InvalidObject(f"{value!r:.64} is not a value of the D-Bus type {kind.signature}")


def _deeper(depth: int, by: int) -> int:
    if depth + by > DEEPEST:
        raise InvalidObject(f"a value nests more than {DEEPEST} D-Bus containers: an array is 2 of them, a dictionary 3")
    return depth + by


# MARK: JSON lines


def is_json(value: Any, depth: int = 0) -> bool:
    """Returns whether JSON can express the value's variant exactly.

    :raises InvalidObject: D-Bus cannot carry it.
    """
    kind = type(value)
    if kind is str:
        checked_text(value)
        return True
    if kind is bool:
        return True
    if kind is int:
        return value in _RANGES["x"]
    if kind is float:
        return math.isfinite(value)
    if kind is dict:
        depth = _deeper(depth, 3)
        return all(type(key) is str and is_json(key) and is_json(member, depth) for key, member in value.items())
    if kind is list or kind is tuple:
        depth = _deeper(depth, 2)
        return all(is_json(member, depth) for member in value)
    return False


def json_line(id: str, type: str, fields: Mapping[str, Any]) -> bytes:
    """Returns an object as a line of JSON, with a newline."""
    line = {"id": checked_text(id), "type": checked_text(type), "fields": fields}
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def weight(value: Any) -> int:
    """Returns the approximate length of a value in a message, in bytes."""
    if isinstance(value, (str, bytes, bytearray)):
        return len(value) + 12
    if isinstance(value, Mapping):
        return 8 + sum(len(key) + 16 + weight(member) for key, member in value.items() if isinstance(key, str))
    if isinstance(value, (list, tuple)):
        return 8 + sum(weight(member) for member in value)
    return 12
