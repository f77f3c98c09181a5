#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the commands of the documentation's console blocks, and compares what they print.

    tests/examples.py DOCUMENT.rst
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))


def commands(path):
    """(line, command, expected lines) of each console block."""
    block, current, found = False, None, []
    for number, line in enumerate(open(path), 1):
        line = line.rstrip("\n")
        if line == ".. code-block:: console":
            block = True
        elif block and line and not line.startswith("   "):
            block, current = False, None
        elif block and line.startswith("   $ "):
            current = (number, line[5:], [])
            found.append(current)
        elif block and current:
            current[2].append(line[3:])
    return found


def stripped(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def main():
    env = dict(os.environ, PATH=os.path.dirname(HERE) + ":" + os.environ["PATH"], LC_ALL="C")
    bad, all_commands = 0, commands(sys.argv[1])
    with tempfile.TemporaryDirectory() as top:
        shutil.copytree(os.path.dirname(HERE) + "/examples", top + "/examples")
        os.mkdir(top + "/tests")
        shutil.copy(HERE + "/capture.py", top + "/tests")
        for line, command, want in all_commands:
            run = subprocess.run(["bash", "-c", command], cwd=top + "/examples", env=env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
            got = stripped(run.stdout.split("\n"))
            want = stripped(want)
            if got != want or (run.stderr and "2>" not in command):
                bad += 1
                print("%s:%d: %s" % (sys.argv[1], line, command))
                for text in want:
                    if text not in got:
                        print("  - " + text)
                for text in got:
                    if text not in want:
                        print("  + " + text)
                print(run.stderr)
    print("%d commands, %d differ" % (len(all_commands), bad))
    sys.exit(1 if bad or not all_commands else 0)


if __name__ == "__main__":
    main()
