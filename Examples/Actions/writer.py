# SPDX-License-Identifier: Apache-2.0
"""Owns a list of messages, and carries out the actions star and delete that viewers invoke: writer.py BUS NAME."""

import asyncio
import sys

import listd

MESSAGES = [
    ("welcome", "Ground", "Welcome to Mars."),
    ("dust", "Ines", "The dust is finer than they said."),
    ("weather", "Ground", "A storm comes."),
    ("water", "Ines", "Found water."),
]


async def perform(action: listd.Invoked, mail: listd.List) -> bool:
    if action.action == "star":
        await mail.patch(action.id, {"starred": action.parameters.get("on", True)})
    elif action.action == "delete":
        async with mail.transaction() as changes:
            changes.remove(action.id)
    else:
        return False
    return True


async def main(bus: str, name: str) -> None:
    async with listd.connect(bus) as d:
        # Only the owner may invoke actions unless the option `invokers` allows others.
        mail = await d.ensure(name, durability="memory", invokers="any")
        await mail.replace(
            listd.Object(id, {"from": sender, "text": text, "starred": False}) for id, sender, text in MESSAGES
        )
        async with mail.on_invoked() as actions:
            print(f"{len(MESSAGES)} messages; listening", flush=True)
            async for action in actions:
                known = await perform(action, mail)
                print(f"{action.action} {action.id}, for user {action.user}{'' if known else ': no such action'}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
