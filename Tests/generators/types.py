# SPDX-License-Identifier: Apache-2.0
"""Prints the name for QtDBus and the signature of each composite type in interface files."""

import sys
from xml.etree import ElementTree

QT = "org.qtproject.QtDBus.QtTypeName"

found = set()
for path in sys.argv[1:]:
    for member in ElementTree.parse(path).iterfind("interface/*"):
        names = {one.get("name"): one.get("value") for one in member.iterfind("annotation")}
        if QT in names:
            found.add((names[QT], member.get("type")))
        arguments = {"In": [], "Out": []}
        for argument in member.iterfind("arg"):
            arguments["In" if argument.get("direction") == "in" else "Out"].append(argument.get("type"))
        for direction, types in arguments.items():
            found |= {(names[name], type) for index, type in enumerate(types) if (name := f"{QT}.{direction}{index}") in names}
for name, signature in sorted(found):
    print(name, signature)
