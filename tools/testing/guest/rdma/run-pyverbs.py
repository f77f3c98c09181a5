#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""run-pyverbs.py LIST DEVICE GID: runs rdma-core's tests of pyverbs, as Debian installs
them, by a list:

    module test_qp                  the tests of a module are the matter of what follows
    + QPTest.test_query_rc_qp       has to pass; being skipped is a failure
    - QPTest.*raw*  why not

Each test of a named module has to be on one side.
"""

import fnmatch
import glob
import gzip
import os
import shutil
import sys
import tempfile
import unittest

SOURCE = "/usr/share/doc/rdma-core/tests"


def unpack():
    top = tempfile.mkdtemp()
    tests = os.path.join(top, "tests")
    os.mkdir(tests)
    for path in glob.glob(SOURCE + "/*.py*"):
        name = os.path.basename(path)
        opened = gzip.open if name.endswith(".gz") else open
        with opened(path, "rb") as src, open(os.path.join(tests, name.removesuffix(".gz")), "wb") as dst:
            shutil.copyfileobj(src, dst)
    # which loads every module, those for other devices included
    with open(os.path.join(tests, "__init__.py"), "w", encoding="ascii"):
        pass
    sys.path[:0] = [top, tests]


def read_list(path):
    module, wanted, unwanted, bad = None, {}, {}, []
    with open(path, encoding="utf-8") as lines:
        for n, line in enumerate(lines, 1):
            words = line.split("#")[0].split(None, 2)
            if not words:
                continue
            if words[0] == "module" and len(words) == 2:
                module = words[1]
                wanted[module], unwanted[module] = [], []
            elif words[0] == "+" and len(words) == 2 and module:
                wanted[module].append(words[1])
            elif words[0] == "-" and len(words) == 3 and module:
                unwanted[module].append(words[1])
            else:
                bad.append(f"{path}:{n}: neither module, nor + test, nor - pattern reason")
    if bad:
        sys.exit("\n".join(bad))
    return wanted, unwanted


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def main():
    path, device, gid = sys.argv[1:]
    wanted, unwanted = read_list(path)
    unpack()
    # pylint: disable=import-outside-toplevel,import-error
    from args_parser import parser
    parser.args = {"dev": device, "gid": int(gid), "port": 1, "pci_dev": None, "gpu": 0, "gtt": False,
                   "verbosity": None, "list_tests": False}
    problems, passed = [], 0
    for module, patterns in wanted.items():
        known = {}
        for test in flatten(unittest.defaultTestLoader.loadTestsFromName("tests." + module)):
            known[test.id().split(module + ".", 1)[-1]] = test
        for name, test in known.items():
            if "_FailedTest" in name:
                # pylint: disable=protected-access
                problems.append(f"{module}: {test._exception}")
                continue
            run = any(fnmatch.fnmatchcase(name, p) for p in patterns)
            leave = any(fnmatch.fnmatchcase(name, p) for p in unwanted[module])
            if run == leave:
                problems.append(f"{module}.{name}: on {'both sides' if run else 'neither side'} of the list")
            if not run:
                continue
            result = unittest.TestResult()
            test.run(result)
            why = [t[-1] for _, t in result.skipped]
            if why:
                problems.append(f"{module}.{name}: skipped: {result.skipped[0][1]}")
            elif not result.wasSuccessful():
                problems.append(f"{module}.{name}: {(result.errors + result.failures)[0][1]}")
            else:
                passed += 1
        for p in patterns:
            if not any(fnmatch.fnmatchcase(name, p) for name in known):
                problems.append(f"{module}: no test is like {p}")
    for p in problems:
        print(p)
    print(f"{passed} passed, {len(problems)} problems")
    sys.exit(1 if problems or not passed else 0)


main()
