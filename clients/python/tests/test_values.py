# SPDX-License-Identifier: Apache-2.0
"""Fields: conversion to D-Bus and back."""

from __future__ import annotations

import enum
import json
import math
from typing import Any

import pytest
from dbus_fast.signature import Variant

import listd
from listd import Array, Byte, Dictionary, Int16, Int32, Object, ObjectPath, Signature, Struct, UInt16, UInt32, UInt64
from listd._names import adapter_path, escape, unescape
from listd._values import DEEPEST, checked_text, checked_texts, fields_of, is_json, json_line, variant_of, variants_of
from stage import Stage

VALUES: dict[str, Any] = {
    "text": "é\U0001f600",
    "empty": "",
    "number": -(2**63),
    "large": 2**63 - 1,
    "unsigned": UInt64(2**64 - 1),
    "float": 1.5,
    "integral float": 1e22,
    "yes": True,
    "bytes": b"\x00\xff",
    "list": [1, "a", [True], {}],
    "dict": {"a": {"b": [1.0]}},
    "byte": Byte(255),
    "i16": Int16(-1),
    "u16": UInt16(1),
    "i32": Int32(-5),
    "u32": UInt32(5),
    "path": ObjectPath("/a/b"),
    "signature": Signature("a{sv}"),
    "strings": Array("s", ["a", "b"]),
    "numbers": Array("u", [1, 2]),
    "variants": Array("(sv)", [("a", 1), ("b", [1])]),
    "struct": Struct("(sub)", ("a", 1, True)),
    "table": Dictionary("su", {"a": 1}),
    "bytes in a struct": Struct("(ay)", (b"ab",)),
    # Keys that cannot be names of Python attributes.
    "class": 1,
    "two words": 2,
    "": 3,
    "__init__": 4,
    "é\n": 5,
}


def signature(value: Any) -> str:
    return str(variant_of(value).signature)


def test_values_come_back_with_their_types() -> None:
    read = fields_of(variants_of(VALUES))
    assert list(read) == list(VALUES)
    for key, value in VALUES.items():
        again = read[key]
        assert signature(again) == signature(value), key
        if isinstance(value, (Array, Struct)) and key in ("variants", "bytes in a struct"):
            assert json.loads(json.dumps(list(map(list, again)), default=str)) is not None
        else:
            assert again == value, key


async def test_values_survive_the_daemon(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        box = await d.create(name, durability="memory")
        await box.replace([Object("a", VALUES)])
        found = (await box.find("a")).object
        assert {key: signature(value) for key, value in found.fields.items()} == {
            key: signature(value) for key, value in VALUES.items()
        }
        revision = await box.revision()
        # Writing fields as they were read changes nothing.
        await box.replace([found])
        assert await box.revision() == revision


async def test_not_a_number_survives(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        box = await d.create(name, durability="memory")
        await box.replace([Object("a", {"nan": math.nan, "inf": -math.inf})])
        fields = (await box.find("a")).object.fields
        assert math.isnan(fields["nan"]) and fields["inf"] == -math.inf


class Colour(enum.IntEnum):
    RED = 1


class Word(enum.StrEnum):
    RED = "red"


def test_values_of_subclasses_are_sent_as_their_base_types() -> None:
    assert (signature(Colour.RED), signature(Word.RED)) == ("x", "s")
    assert fields_of(variants_of({"a": Colour.RED, "b": Word.RED, "c": (1, 2)})) == {"a": 1, "b": "red", "c": [1, 2]}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


CYCLE: list[Any] = []
CYCLE.append(CYCLE)
BAD: list[tuple[Any, str]] = [
    (None, "leave the key out"),
    (2**64, "beyond 64 bits"),
    (-(2**63) - 1, "beyond 64 bits"),
    ("a\0b", "NUL"),
    ("\ud800", "surrogate"),
    (["\ud800"], "surrogate"),
    ({"a\0": 1}, "NUL"),
    ({1: 2}, "not a string"),
    ({1, 2}, "set"),
    (object(), "object"),
    (1j, "complex"),
    (CYCLE, "nests"),
    (nested(DEEPEST // 2 + 1), "nests"),
    (Array("u", [-1]), "D-Bus type u"),
    (Array("s", [1]), "D-Bus type s"),
    (Array("zz", []), "not a D-Bus type"),
    (Array("uu", []), "not a single D-Bus type"),
    (Struct("(su)", ("a",)), "D-Bus type (su)"),
    (ObjectPath("no path"), "not a valid ObjectPath"),
    (Signature("zz"), "not a valid Signature"),
    (Dictionary("su", {"a": 2**32}), "D-Bus type u"),
]


@pytest.mark.parametrize(("value", "message"), BAD)
def test_a_value_that_d_bus_cannot_carry_is_refused_with_its_key(value: Any, message: str) -> None:
    with pytest.raises(listd.InvalidObject) as caught:
        variants_of({"the key": value})
    assert "the key" in caught.value.message and message in caught.value.message


@pytest.mark.parametrize("kind", [Byte, Int16, UInt16, Int32, UInt32, UInt64])
def test_an_integer_that_does_not_fit_is_refused(kind: Any) -> None:
    with pytest.raises(listd.InvalidObject, match="does not fit"):
        kind(2**64)


def test_the_deepest_allowed_value_is_encoded() -> None:
    assert signature(nested(DEEPEST // 2)) == "av"


@pytest.mark.parametrize("value", [b"a", UInt32(1), 2**63, math.nan, Array("s"), Struct("(s)", ("a",)), [b"a"], {"a": math.inf}])
def test_values_that_json_would_change_are_not_sent_as_json(value: Any) -> None:
    assert not is_json(value)


def test_json_lines_have_the_same_values() -> None:
    fields = {"a": "é", "b": [1, 2.0, {"c": True}], "d": 1e300, "e": -0.0}
    assert is_json(fields)
    assert json.loads(json_line("i", "t", fields)) == {"id": "i", "type": "t", "fields": fields}


def test_names_are_escaped_and_unescaped() -> None:
    for name in ["mail", "", "1a", "a1", "_", "ä ö/ü", "A-B", "a" * 255]:
        assert unescape(adapter_path(name)) == name
    assert (escape("1a"), escape("a_b"), escape("")) == ("_31a", "a_5fb", "_")
    for bad in ("a" * 256, "\ud800"):
        with pytest.raises(listd.InvalidArgs):
            escape(bad)


def test_variants_in_a_variant_are_unwrapped() -> None:
    assert fields_of({"a": Variant("v", Variant("v", Variant("u", 5)))}) == {"a": UInt32(5)}


@pytest.mark.parametrize("value", [7, None, ["a"], b"a"])
def test_an_argument_that_is_not_a_string_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="expected a string"):
        checked_text(value)


def test_a_single_string_in_place_of_several_is_refused() -> None:
    with pytest.raises(TypeError, match="fields is a list of keys"):
        checked_texts("fields", "subject")
    assert checked_texts("fields", iter(["subject", "from"])) == ["subject", "from"]
