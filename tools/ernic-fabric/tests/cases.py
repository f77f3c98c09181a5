#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Cases for the oracle: at least one for each rule of partitions.conf.

    tests/cases.py --list            names
    tests/cases.py --write DIR       DIR/NAME.conf, NAME.1.conf... for SIGHUP, NAME.args
"""
import os
import sys

DEF = "Default=0x7fff, ipoib : ALL=full ;\n"
H2, H3, H4 = "0x100003", "0x100005", "0x100007"


def tenant(flags, ports="%s=full, %s=full" % (H2, H3)):
    return DEF + "t=0x8001%s : %s ;\n" % (", " + flags if flags else "", ports)


CASES = {
    # a file or none
    "none": None,
    "empty": "",
    "blank-lines": "\n \n\t\n",
    "comments-only": "# nothing\n  # at all\n",
    "no-newline-at-end": "Default=0x7fff, ipoib : ALL=full ;",
    "no-semicolon-at-end": "Default=0x7fff, ipoib : ALL=full",
    "only-header": "Default=0x7fff, ipoib :",
    # what rejects a file
    "bad-guid": tenant("ipoib", "0x100003=full, 0x10000g"),
    "guid-zero": tenant("ipoib", "0"),
    "guid-text": tenant("ipoib", "H2=full"),
    "lowercase-all": "Default=0x7fff, ipoib : all=full ;\n",
    "bad-pkey": DEF + "x=0x80g1 : ALL ;\n",
    "empty-pkey": DEF + "x= : ALL ;\n",
    "pkey-with-blank": DEF + "x=0x8001 2 : ALL ;\n",
    "colon-on-next-line": "x=0x8009, ipoib\n : 0x100003 ;\n",
    "missing-semicolon": "Default=0x7fff, ipoib : ALL=full\nx=0x8001 : 0x100003=full ;\n",
    "lone-semicolon": "Default=0x7fff, ipoib : ALL=full\n;\n",
    "semicolon-in-name": "   ; x  ; y=0x8001 : ALL=full ;\nDefault=0x7fff : ALL=full ;\n",
    "lone-semicolon-indented": "Default=0x7fff, ipoib : ALL=full\n    ;\n",
    "lone-semicolon-longest-line": "a=0x8001:ALL\n                                ;\nb=0x8002:ALL;\n",
    "semicolon-first": ";\n" + DEF,
    "double-semicolon": "Default=0x7fff, ipoib : ALL=full ;;\nx=0x8001 : ALL ;\n",
    "crlf": "Default=0x7fff, ipoib : ALL=full ;\r\nx=0x8001 : ALL ;\r\n",
    "carriage-return-at-end": "Default=0x7fff, ipoib : ALL=full ;\r",
    "nul-octet": "Default=0x7fff, ipoib : ALL=full ;\0x=0x8001 : ALL ;\nt=0x8002 : ALL ;\n",
    "rejected-keeps-groups": "Default=0x7fff, ipoib, mtu=5 : ALL=full ;\nt=0x8001, ipoib : ALL ;\nbad : x ;\n",
    "rejected-keeps-indx0": "t=0x8001, indx0 : 0x100003=full ;\nbad : x ;\n",
    # what crashes OpenSM
    "mgid-alone": DEF + "t=0x8001 : ALL\n mgid ;\n",
    # names and P_Keys
    "stanzas-on-one-line": "Default=0x7fff, ipoib : ALL=full ; a=0x8001 : ALL ; b=0x8002 : SELF ;\n",
    "number-is-pkey": DEF + "0x8002, ipoib : ALL ;\n",
    "name-that-starts-with-digit": DEF + "1a=0x8002 : ALL ;\n",
    "no-name": DEF + "=0x8002, ipoib : ALL ;\n",
    "name-with-blanks": DEF + "my tenant = 0x8002 : ALL ;\nmy tenant : 0x100003=full ;\n",
    "pkey-bit-15-ignored": DEF + "a=0x8001, ipoib : ALL=full ;\nb=0x0001, mtu=5 : 0x100003=limited ;\n",
    "pkey-17-bits": DEF + "a=0x18001 : ALL ;\n",
    "pkey-negative": DEF + "a=-2 : ALL ;\n",
    "pkey-octal": DEF + "a=010 : ALL ;\n",
    "pkey-zero": DEF + "a=0 : ALL ;\nb=0x8000 : SELF ;\n",
    "generated": DEF + "a : ALL ;\nb=2 : ALL ;\nc : ALL ;\n : SELF ;\n",
    "generated-after-sighup": [DEF + " : ALL ;\na : ALL ;\n"] * 3,
    "repeated-name": DEF + "a : ALL ;\na, ipoib : 0x100003=full ;\n",
    "repeated-name-with-pkey": DEF + "a=0x8001 : ALL ;\na=0x8002 : ALL ;\na : 0x100003=full ;\n",
    "name-of-31": DEF + "x" * 31 + " : ALL ;\n" + "x" * 31 + " : SELF ;\n",
    "name-of-32": DEF + "x" * 32 + " : ALL ;\n" + "x" * 32 + " : SELF ;\n",
    "name-of-number": DEF + "0x0005 : ALL ;\n0005=0 : 0x100003=full ;\n",
    "default-by-name": "Default, ipoib : ALL=full ;\n",
    "default-is-ffff": "x=0xffff, ipoib : ALL=full ;\n",
    "no-default-rule": "t=0x8001, ipoib : ALL=full ;\n",
    "order-of-pkeys": DEF + "".join("p%d=%d : ALL=full ;\n" % (k, k) for k in (0x101, 0x100, 1, 0x7ffe, 0x200, 0xff)),
    # flags
    "flag-abbreviations": "Default=0x7fff, ip : AL=f ;\n0x8002, ipo, m=5, ra=7, def=f : %s, %s=li, %s= ;\n" % (H2, H3, H4),
    "flag-empty": tenant("ipoib, ,"),
    "flag-case": "Default=0x7fff, IPoIB, defmember=Full : ALL ;\n",
    "flag-unknown": "Default=0x7fff, ipiob : ALL=full ;\n",
    "ipoib-value": tenant("ipoib=0"),
    "indx0-abbreviated": tenant("indx"),
    "mtu-codes": DEF + "".join("t%d=%d, ipoib, mtu=%d : ALL ;\n" % (m, m, m) for m in range(1, 7)),
    "mtu-octets": "Default=0x7fff, ipoib, mtu=4096 : ALL=full ;\n",
    "mtu-nothing": tenant("ipoib, mtu"),
    "mtu-empty": tenant("ipoib, mtu="),
    "mtu-text": tenant("ipoib, mtu=abc"),
    "mtu-trailing": tenant("ipoib, mtu=5x"),
    "mtu-8-bits": tenant("ipoib, mtu=260"),
    "mtu-selector-bits": tenant("ipoib, mtu=64, rate=255"),
    "mtu-top-bit": tenant("ipoib, mtu=132, rate=135"),
    "rate-codes": DEF + "".join("t%d=%d, ipoib, rate=%d : ALL ;\n" % (r, r, r) for r in range(1, 26)),
    "rate-gbps": "Default=0x7fff, ipoib, rate=40, mtu=2048 : ALL=full ;\n",
    "sl-without-qos": tenant("ipoib, sl=3"),
    "sl-with-qos": ("-Q", tenant("ipoib, sl=3")),
    "sl-16": ("-Q", tenant("ipoib, sl=16")),
    "sl-trailing": ("-Q", DEF + "a=1, ipoib, sl=3x : ALL ;\nb=2, ipoib, sl=3 x : ALL ;\n"),
    "s-is-scope": ("-Q", tenant("ipoib, s=5")),
    "qkey": tenant("ipoib, Q_Key=0x80010b1b"),
    "qkey-64-bits": tenant("ipoib, Q_Key=0x180010b1b"),
    "qkey-case": tenant("ipoib, q_key=0x80010b1b"),
    "tclass-flowlabel": tenant("ipoib, TClass=255, FlowLabel=0xfffff"),
    "flowlabel-too-large": tenant("ipoib, FlowLabel=0x100000"),
    "scope-on-broadcast": tenant("ipoib, scope=5"),
    "scope-twice": tenant("ipoib, scope=2, scope=5"),
    # membership
    "default-is-limited": tenant("ipoib", "%s, %s" % (H2, H3)),
    "member-case": "Default=0x7fff, ipoib : ALL=FULL ;\n",
    "member-misspelt": tenant("ipoib", "%s=ful1, %s=Full, %s=fullx" % (H2, H3, H4)),
    "member-empty": tenant("ipoib", "%s=, %s = " % (H2, H3)),
    "member-abbreviated": tenant("", "%s=f, %s=l, %s=b" % (H2, H3, H4)),
    "defmember": tenant("defmember=full", "%s, %s=limited" % (H2, H3)),
    "defmember-misspelt": tenant("defmember=ful1", H2),
    "defmember-empty": tenant("defmember=", H2),
    "defmember-nothing": tenant("defmember", H2),
    "defmember-twice": tenant("defmember=full, defmember=limited", H2),
    "both": tenant("", "%s=both, %s=full, %s" % (H2, H3, H4)),
    "both-with-w": ("-W", tenant("ipoib", "%s=both, %s=full, %s" % (H2, H3, H4))),
    "both-all-with-w": ("-W", "Default=0x7fff, ipoib : ALL=both ;\n"),
    "both-then-full-with-w": ("-W", tenant("", "ALL=both, %s=full, %s=limited" % (H2, H3))),
    "both-by-type-with-w": ("-W", tenant("", "ALL_CAS=both, ALL_SWITCHES=full, ALL_CAS=limited, %s=both" % H2)),
    "later-rule-wins": tenant("", "%s=full, ALL=limited, %s=full" % (H2, H3)),
    "later-stanza-wins": DEF + "a=0x8001 : ALL=full ;\na=0x8001 : %s ;\n" % H2,
    "full-then-limited-default": "Default=0x7fff, ipoib : ALL=full, SELF=limited ;\n",
    # ports
    "port-groups": DEF + "a=1:ALL_CAS;b=2:ALL_SWITCHES=full;c=3:ALL_ROUTERS;d=4:SELF;e=5:NONE;f=6:ALL;\n",
    "port-groups-abbreviated": DEF + "a=1:A;b=2:ALL_;c=3:ALL_S;d=4:ALL_R;e=5:S;f=6:N;g=7:ALL_CA;\n",
    "port-group-misspelt": DEF + "a=1:ALL_HCAS;\n",
    "switch-only-ipoib": DEF + "a=0x8001, ipoib : ALL_SWITCHES=full ;\n",
    "guid-formats": tenant("", "1048579, 04000005, 0X100007, 0x00000000000100001"),
    "guid-negative": tenant("", "-1"),
    "guid-with-return": tenant("", "\r0x100003"),
    "guid-unknown": tenant("ipoib", "0xdeadbeef=full"),
    "empty-list": DEF + "t=0x8001, indx0, ipoib, mtu=5, defmember=full :  ;\n",
    "empty-items": tenant("", ", , %s=full, ," % H2),
    "lists-over-lines": DEF + "t=0x8001, ipoib :\n  %s=full,\n\n  # text\n  %s=full\n  %s=full;\n" % (H2, H3, H4),
    # index 0
    "indx0": DEF + "t=0x7ff1, indx0, ipoib : %s=full, %s=full ;\n" % (H2, H3),
    "indx0-twice": DEF + "a=0x8001, indx0 : %s=full ;\nb=0x8002, indx0 : %s=full ;\n" % (H2, H2),
    "indx0-taken-back": DEF + "a=0x8001, indx0 : ALL=full ;\na=0x8001 : %s=full ;\n" % H2,
    "indx0-by-type": DEF + "a=0x8001, indx0 : ALL_CAS=full ;\nb=0x8002, indx0 : %s ;\n" % H3,
    "indx0-both-with-w": ("-W", DEF + "a=0x8001, indx0 : ALL=both ;\n"),
    "indx0-default": "Default=0x7fff, ipoib, indx0 : ALL=full ;\na=1 : ALL=full ;\n",
    # tables that are full
    "table-full": DEF + "".join("p%d=%d : %s=full ;\n" % (k, k, H2) for k in range(1, 70)),
    "table-full-all": DEF + "".join("p%d=%d : ALL=full ;\n" % (k * 3, k * 3) for k in range(1, 90)),
    "table-full-indx0": DEF + "x=0x7ffe, indx0 : ALL=full ;\n" + "".join("p%d=%d : ALL ;\n" % (k, k) for k in range(1, 66)),
    "groups-full": DEF + "".join("p%d=%d, ipoib : %s=full ;\n" % (k, k, H2) for k in range(1, 1030)),
    # multicast groups
    "mgid-inherits": ("-Q", DEF + "t=0x8001, ipoib, mtu=2, rate=7, sl=3, Q_Key=5, FlowLabel=9, TClass=7 : ALL\n"
                      " mgid=ff12::77, TClass=0\n mgid=ff12:401b::1, mtu=2 ;\n"),
    "mgid-own-flags": tenant("ipoib", "ALL\n mgid=ff12::77, mtu=1, rate=2, sl=5, scope=5, Q_Key=0x11, TClass=3, FlowLabel=0x12345\n"),
    "mgid-comment-is-flags": "Default=0x7fff, ipoib : ALL=full\n mgid=ff12:401b::1234 # mtu=2\n mgid=ff12::77 #rate=7\n"
                             " mgid=ff12::78,rate=3,mtu=4 # rate=7\n mgid=ff12:401b::4321,rate=3 ;\n",
    "mgid-and-port": tenant("", "mgid=ff12::77, ALL=full"),
    "mgid-reads-older-line": DEF + "t=0x8001, ipoib : ALL=full,NONE=mtu=5,NONE,rate=7\n mgid=ff12::77\n NONE;\n",
    "mgid-semicolon-older-line": DEF + "t=0x8001, ipoib : ALL=full, NONE, NONE, NONE, NONE\n mgid=ff12::77 ;\n",
    "mgid-semicolon-longest-line": "Default=0x7fff,ipoib:ALL=full,mgid=ff12::77 ;\n",
    "mgid-longest-after-sighup": [DEF, "b=0x7ff1 ,  TClass=  5	,	defmember=both ,	ipoib  :mgid	=  ff12:401b::1234 ;\n" + DEF],
    "mgid-pkey": DEF + "t=0x8001, ipoib : ALL\n mgid=ff12:401b:8001::1, mtu=4\n mgid=ff12:401b:1::2, mtu=4\n"
                 " mgid=ff12:601b:8002::3, mtu=4\n mgid=ff12:401b:ffff::ffff:ffff, mtu=4 ;\n",
    "mgid-without-ipoib": DEF + "t=0x8001 : ALL\n mgid=ff12:401b::1, mtu=4\n mgid=ff12::2, mtu=4 ;\n",
    "mgid-other-mtu": tenant("ipoib", "ALL\n mgid=ff12:401b::1, mtu=5\n mgid=ff12:601b::1, rate=7\n mgid=ff12::1, mtu=5, rate=7\n"),
    "mgid-scopes": tenant("ipoib", "ALL\n mgid=ff15::77, mtu=4\n mgid=ff18::78, scope=8\n mgid=ff12::79, scope=2, scope=5, scope=14\n"),
    "mgid-scope-of-stanza": tenant("ipoib, scope=5", "ALL\n mgid=ff12::77, mtu=4\n mgid=ff12:401b::1, mtu=4\n"),
    "mgid-reserved": tenant("", "ALL\n mgid=ff32::1, mtu=4\n mgid=ff02::2, mtu=4\n mgid=ff12:a01b::3, mtu=4\n mgid=ff12:a01b::4, scope=5\n"),
    "mgid-not-multicast": tenant("", "ALL\n mgid=fe80::1, mtu=4\n mgid=x, mtu=4\n mgid=, mtu=4\n"),
    "mgid-twice": DEF + "a=1 : ALL\n mgid=ff12::77, mtu=4 ;\nb=2 : ALL\n mgid=ff12::77, mtu=5 ;\n",
    "mgid-of-empty-partition": DEF + "a=1 : NONE\n mgid=ff15::77, mtu=4 ;\nb=2 : ALL\n mgid=ff15::77, mtu=5 ;\n",
    "mgid-of-two-empty-partitions": DEF + "a=1 : NONE\n mgid=ff15::77, mtu=4 ;\nb=2 : NONE\n mgid=ff15::77, mtu=5 ;\n",
    "mgid-of-two-then-none": [DEF + "a=1 : ALL\n mgid=ff15::77, mtu=4 ;\nb=2 : ALL\n mgid=ff15::77, mtu=5 ;\n", DEF],
    "mgid-bad-mtu": tenant("", "ALL\n mgid=ff12::77, mtu=9\n mgid=ff12::78, rate=99\n"),
    # long lines
    "line-4094": DEF + "t=0x8001 : " + "0x100003, " * 408 + "0x1000000,\n0x100005=full ;\n",
    "line-cut-in-guid": DEF + "t=0x8001, defmember=full : " + " " * 4062 + "0x100005, 0x100007 ;\n",
    "line-cut-in-keyword": DEF + "t=0x8001 : " + " " * 4081 + "ALL=full ;\n",
    "comment-longer-than-line": "#" + "x" * 5000 + "\n" + DEF,
    # SIGHUP
    "sighup-mtu": [DEF + "t=0x8001, ipoib, mtu=4 : %s=full ;\n" % H2, DEF + "t=0x8001, ipoib, mtu=5, rate=7 : %s=full ;\n" % H4],
    "sighup-no-ipoib": [tenant("ipoib"), tenant("")],
    "sighup-empty-and-back": [tenant("ipoib"), DEF, tenant("ipoib, mtu=5")],
    "sighup-rejected": ["Default=0x7fff : SELF=full ;\na=0x8001, ipoib : %s=full, %s=full ;\n" % (H2, H3),
                        "Default=0x7fff : SELF=full ;\na=0x8001, ipoib : 0x10000g ;\n"],
    "sighup-none": [tenant("ipoib"), None],
    "sighup-membership": [tenant("ipoib"), tenant("ipoib", "%s, %s=full" % (H2, H3)), tenant("ipoib", "%s=full" % H2)],
    "sighup-indx0": [tenant(""), tenant("indx0"), tenant("")],
    "sighup-index-kept": [DEF + "a=5 : ALL=full ;\nb=6 : ALL=full ;\n", DEF + "b=6 : ALL=full ;\n",
                          DEF + "c=4 : ALL=full ;\nb=6 : ALL ;\n"],
    "sighup-with-w": ("-W", tenant("", "ALL=both"), tenant("", "%s=full, %s=limited, %s=both" % (H2, H3, H4)), DEF),
    # the seed
    "seed-known-good": "Default=0x7fff,ipoib:ALL=full;\n",
    "seed-tenant-a": DEF + "tenant-a=0x8001, ipoib, mtu=5, defmember=full : %s, %s ;\n" % (H2, H3),
    "seed-exercise": DEF + "tenant-b=0x8002, ipoib, mtu=5, defmember=full : %s, %s ;\n" % (H2, H3),
    "seed-indx0": "Default=0x7fff,ipoib,defmember=full : ALL=full, SELF=full ;\n"
                  "tenant-a=0x7ff1,indx0,ipoib,mtu=5,defmember=full :  ;\n",
    "seed-last-stanzas": "storage=0x7ff2 : %s, %s ;\ncompute=0x7ff3, ipoib : ALL_CAS ;\n" % (H2, H3),
}


def normal(case):
    """Arguments of OpenSM, and the files one after the other."""
    if isinstance(case, tuple):
        return case[0], list(case[1:])
    return "", case if isinstance(case, list) else [case]


def main():
    if sys.argv[1] == "--list":
        print("\n".join(CASES))
        return
    out = sys.argv[2]
    os.makedirs(out, exist_ok=True)
    for name, case in CASES.items():
        args, files = normal(case)
        with open("%s/%s.args" % (out, name), "w") as f:
            f.write(args)
        for i, text in enumerate(files):
            path = "%s/%s%s" % (out, name, ".%d" % i if i else "")
            with open(path + (".none" if text is None else ".conf"), "wb") as f:
                f.write((text or "").encode("latin-1"))


if __name__ == "__main__":
    main()
