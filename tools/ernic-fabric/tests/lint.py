#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Each rule of lint, found where it is and not where it is not.

    tests/lint.py ERNIC-FABRIC
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
DEF = "Default=0x7fff, ipoib : ALL=full ;\n"
GOOD = DEF + "t=0x8001, ipoib, defmember=full : 0x100003, 0x100005 ;\n"


def t(flags="", ports="0x100003=full, 0x100005=full", default=DEF):
    return default + "t=0x8001, ipoib%s : %s ;\n" % (", " + flags if flags else "", ports)


# rule: file, line, column (0: any), more arguments
RULES = {
    "E01": (t("", "0x100003=full, 0x10000g"), 2, 34),
    "E02": (DEF + ";\n", 2, 1),
    "E03": (DEF + "t=0x8001, ipoib, defmember=full : " + " " * 4060 + "0x100003, 0x100005 ;\n", 2, 4095),
    "W04": (t("", "0x100003=Full, 0x100005=full, 0x100007=full"), 2, 28),
    "W05": (t("m=4"), 2, 18),
    "E06": (t("mtu=4096"), 2, 22),
    "W07": (DEF + "t=0x8001, ipoib : ALL=full\n mgid=ff12::7 # text\n NONE ;\n", 3, 15),
    "E08": (DEF + "t=0x8001, ipoib : ALL=full\n mgid=ff12::7, ALL=full ;\n", 3, 16),
    "W09": (t("sl=3"), 2, 18),
    "E10": (t("", "0x100003, 0x100005"), 2, 1),
    "E11": (DEF + "t=0x8001 : 0x100003=full, 0x100005=full ;\n", 2, 1),
    "E12": (t(default=""), 0, 0),
    "W13": (t("", "NONE"), 2, 1),
    "W14": (t("", "0x100003=full, 0x100005=full, 0x100007"), 2, 49),
    "E15": (t("mtu=5"), 2, 18),
    "W16": (t("mtu=3"), 2, 18),
    "W17": (GOOD + "u=0x8001, ipoib, mtu=3 : 0x100007=full ;\n", 3, 1),
    "W18": (GOOD + "t : 0x100007=full ;\n", 3, 1),
    "W19": (DEF + "t, ipoib : ALL=full ;\n", 2, 1),
    "W20": (t("indx0"), 2, 18),
    "E21": (t("indx0") + "u=0x8002, indx0, ipoib : 0x100003=full, 0x100007=full ;\n", 3, 11),
    "S22": (t("", "0x100003=both, 0x100005=full"), 2, 1),
    "S23": (t("Q_Key=0x1234"), 2, 24),
    "I24": (t("Q_Key=0x80001234"), 2, 24),
    "W25": (t("", "ALL=full\n mgid=ff12:401b:8002::1, mtu=4"), 3, 7),
    "E26": (DEF + "x=0x7ffe, indx0, ipoib : ALL=full ;\n" +
            "".join("p%d=%d, ipoib : ALL=full ;\n" % (k, k) for k in range(1, 66)), 0, 0),
    "W27": (DEF + "".join("p%d=%d, ipoib : ALL=full ;\n" % (k, k) for k in range(1, 66)), 0, 0),
    "W28": (t("", "0x100003=full, 0x100002=full, 0x100005=full"), 2, 34),
    "E29": (DEF + "t=0x8001, ipoib : mgid ;\n", 2, 19),
    "W33": (DEF + "t=0x8001, ipoib : ALL=full\n mgid=ff12::7\n NONE ;\n", 3, 7),
    "W34": (t("", "ALL=full\n mgid=ff15::7, mtu=4"), 3, 7),
    "W35": (t("", "ALL=full\n mgid=ff32::7, mtu=4"), 3, 7),
    "W36": (t("", "0x100003=limited, ALL=full"), 2, 0),
}


def run(tool, text, *args):
    with tempfile.NamedTemporaryFile("w", suffix=".conf", newline="") as f:
        f.write(text)
        f.flush()
        p = subprocess.run([tool, "lint", "-i", HERE + "/oracle.inventory", "--self", "H1", *args, f.name],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        return p.returncode, p.stdout, p.stderr


def main():
    tool = os.path.realpath(sys.argv[1])
    bad = []
    rc, out, err = run(tool, GOOD)
    if rc or out or err:
        bad.append("a good file: %d %s %s" % (rc, out, err))
    for rule, (text, line, col) in RULES.items():
        rc, out, err = run(tool, text, "--json")
        found = [f for f in json.loads(out)[0]["findings"] if f["id"] == rule]
        if not found:
            bad.append("%s is not found; %s %s" % (rule, [f["id"] for f in json.loads(out)[0]["findings"]], err))
            continue
        places = [(f.get("line", 0), f.get("column", 0)) for f in found]
        if not any(p[0] == line and (not col or p[1] == col) for p in places):
            bad.append("%s is at %s, not %d:%d" % (rule, places, line, col))
        if rule[0] in "ES" and rc != 1:
            bad.append("%s: exit status %d" % (rule, rc))
        for f in found:
            if not f["message"] or not f["why"]:
                bad.append("%s: texts are missing" % rule)
        rc, out, err = run(tool, text, "--sarif")
        sarif = json.loads(out)
        results = sarif["runs"][0]["results"]
        ids = [r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]]
        if sarif["version"] != "2.1.0" or not any(r["ruleId"] == rule for r in results) or \
                any(ids[r["ruleIndex"]] != r["ruleId"] for r in results):
            bad.append("%s: SARIF" % rule)
        rc, out, err = run(tool, text, "--json", "--ignore", rule)
        if any(f["id"] == rule for f in json.loads(out)[0]["findings"]):
            bad.append("%s is not ignored" % rule)
        out = subprocess.run([tool, "lint", "--explain", rule], stdout=subprocess.PIPE, universal_newlines=True).stdout
        if not out.startswith(rule + ": ") or len(out) < 200:
            bad.append("%s is not explained" % rule)
    known = subprocess.run([tool, "lint", "--rules"], stdout=subprocess.PIPE, universal_newlines=True).stdout
    for rule in [line.split()[0] for line in known.splitlines()]:
        host = rule[0] == "I" and int(rule[1:]) >= 50 or rule[1] == "4" or rule in ("S30", "W31")
        if rule not in RULES and not host:
            bad.append("%s has no test" % rule)
    # what is meant, for what is near
    for text, fix in ((t("", "0x100003=Full, 0x100005=full"), "did you mean 'full'?"),
                      (DEF + "t=0x8001, ipiob : ALL=full ;\n", "did you mean 'ipoib'?"),
                      (t("mtu=4096"), "mtu=5, the code of 4096 octets"),
                      (t("rate=40"), "rate=7, the code of 40 Gb/s"),
                      (t("", "all=full"), "did you mean 'ALL'?")):
        out = run(tool, text, "--json")[1]
        if not any(f.get("fix") == fix for f in json.loads(out)[0]["findings"]):
            bad.append("no '%s': %s" % (fix, out))
    # the ports of this stanza, each once, and not those of the next one
    text = t("indx0", "0x100003=full, 0x100005=full, 0x100003=full") + "t=0x8001, ipoib : 0x100007=full ;\n"
    moved = [f["message"] for f in json.loads(run(tool, text, "--json")[1])[0]["findings"] if f["id"] == "W20"]
    if moved != ["ib0 becomes P_Key 0x8001 on H2, H3"]:
        bad.append("W20: %s" % moved)
    print("\n".join(bad) if bad else "%d rules" % len(RULES))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
