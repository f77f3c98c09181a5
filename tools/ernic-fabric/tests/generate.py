#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes partitions.conf files for the oracle: right, wrong, and meaningless ones.

    tests/generate.py SEED [KIND]               to standard output
    tests/generate.py --dir DIR SEED COUNT      DIR/SEED.conf and so on

The same seed gives the same file.  KIND is one of the functions below; without
it, the seed chooses.
"""
import random
import sys

GUIDS = ["0x100001", "0x100003", "0x100005", "0x100007", "0x200000", "0x100002", "0xdeadbeef",
         "1048579", "04000003", "0X100005", "0x0000000000100007", " 0x100003"]
MEMBERS = ["full", "limited", "both", "", "f", "li", "b", "FULL", "Full", "ful1", "fullx", "l"]
PORTS = ["ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF", "NONE", "A", "AL", "ALL_", "ALL_C",
         "ALL_S", "ALL_R", "S", "SE", "N", "NO", "N0NE", "all", "self", "ALL_CA", "ALLX"]
NAMES = ["Default", "a", "tenant-a", "tenant a", "storage", "", "0001", "7fff", "x" * 31, "y" * 32,
         "z" * 33, "n1", "n2", "n3", "default", "long name with blanks"]
MGIDS = ["ff12:401b::1234", "ff12:401b:8001::1:2:3", "ff12:601b::1", "ff12::77", "ff15::77",
         "ff12:a01b::5", "ff15:a01b::5", "ff12:401b:ffff::ffff:ffff", "ff32::1", "ff02::1",
         "fe80::1", "ff18:401b::9", "FF12:401B::1:2", "ff12:401b:0:0::2", "ff12:401b:8002::3",
         "ff12:601b:0::ffff", "ff1f::1", "ff12::ffff:ffff", "::", "ff12:401b:0001::4"]
WORDS = ["mtu", "rate", "sl", "scope", "Q_Key", "TClass", "FlowLabel", "ipoib", "defmember", "indx0",
         "m", "mt", "r", "s", "sc", "Q", "q_key", "T", "F", "Flow", "i", "ip", "ipo", "ind", "indx",
         "d", "def", "IPoIB", "ipiob", "MTU", "tclass", ""]


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def pick(self, items):
        return self.r.choice(items)

    def maybe(self, p):
        return self.r.random() < p

    def pkey(self, wild=False):
        r = self.r
        common = ["0x8001", "0x8002", "0x0001", "0x7ff1", "0x7fff", "0xffff", "0x8003", "3", "0x10",
                  "0x%x" % r.randrange(1, 0x10000)]
        odd = ["0", "0x8000", "0x18001", "-1", "+5", "0x80g1", "08", "0x", "", " 0x8004 ", "99999999999999999999",
               "1 2", "x", "0b11"]
        return self.pick(odd if wild and self.maybe(0.5) else common)

    def number(self, flag, wild):
        r = self.r
        good = {"mtu": ["1", "2", "3", "4", "5"], "rate": [str(x) for x in range(2, 23)],
                "sl": [str(x) for x in range(16)], "scope": ["2", "5", "8", "14", "1", "15"],
                "Q_Key": ["0x0b1b", "0x80010000", "1", "0xffffffff"], "TClass": ["0", "5", "255"],
                "FlowLabel": ["0", "5", "0xfffff"]}
        odd = ["0", "6", "23", "24", "16", "64", "132", "260", "0x45", "255", "256", "4096", "2048", "abc", "",
               "-1", "5x", "5 x", "0x100000", "0x100000005", "4294967300", "18446744073709551616", "0x",
               "07", "09"]
        if not wild or self.maybe(0.4):
            return self.pick(good.get(flag, odd))
        return self.pick(odd)

    def blank(self):
        return self.pick(["", "", "", "", " ", "  ", "\t"])

    def flag(self, wild):
        word = self.pick(WORDS[:7] if not wild or self.maybe(0.5) else WORDS)
        if word in ("ipoib", "indx0", "i", "ip", "ipo", "ind", "indx", "IPoIB", "ipiob") or \
                (wild and self.maybe(0.1)):
            return word
        if word.startswith("d"):
            return word + self.blank() + "=" + self.blank() + self.pick(MEMBERS if wild else MEMBERS[:3])
        full = [w for w in WORDS[:7] if word and w.startswith(word)]
        value = self.number(full[0] if full else "", wild)
        return word + self.blank() + "=" + self.blank() + value

    def port(self, wild):
        who = self.pick(GUIDS[:4] + ["ALL", "SELF", "ALL_CAS"])
        if wild:
            who = self.pick(GUIDS + PORTS) if self.maybe(0.9) else self.pick(["0x10000g", "0", "x", "", "0x", "mgid"
                                                                              if self.maybe(0.1) else ""])
        if self.maybe(0.7):
            who += self.blank() + "=" + self.blank() + self.pick(MEMBERS if wild else MEMBERS[:3])
        return who

    def mgid(self, wild):
        s = "mgid" + self.blank() + "=" + self.blank() + self.pick(MGIDS if wild else MGIDS[:6])
        for _ in range(self.r.randrange(0, 3)):
            s += self.blank() + "," + self.blank() + self.flag(wild)
        return s

    def nl(self):
        return self.pick(["\n", "\n   ", "\n\t", "\n" + " " * self.r.randrange(0, 30), "\n\n", " # comment\n  ",
                          "#rate=5\n"])

    def header(self, wild):
        s = self.pick(NAMES if wild else ["Default", "a", "b", "tenant-c", ""])
        if s == "Default" and not wild:
            s += "=0x7fff"
        elif self.maybe(0.75) or s == "":
            s += self.blank() + "=" + self.blank() + self.pkey(wild)
        if self.maybe(0.05):
            s = self.pick(["0x8005", "5", "0x7fff", "0x80x"])
        flags = []
        if self.maybe(0.6):
            flags.append("ipoib")
        if self.maybe(0.5):
            flags.append("defmember=" + self.pick(MEMBERS if wild else MEMBERS[:3]))
        if self.maybe(0.2):
            flags.append("indx0")
        for _ in range(self.pick([0, 0, 1, 2, 3])):
            flags.append(self.flag(wild))
        self.r.shuffle(flags)
        for f in flags:
            s += self.blank() + "," + self.blank() + f
        return s + self.blank() + ":"

    def stanza(self, wild):
        s = self.header(wild)
        s += self.blank() if self.maybe(0.7) else self.nl()
        lines = self.r.randrange(1, 4)
        for i in range(lines):
            if self.maybe(0.25):
                s += self.mgid(wild)
                if i + 1 < lines or self.maybe(0.5):
                    s += self.nl()
                continue
            ports = [self.port(wild) for _ in range(self.r.randrange(0 if wild else 1, 5))]
            s += (self.blank() + "," + self.blank()).join(ports)
            if i + 1 < lines:
                s += self.pick([",", "", " , "]) + self.nl()
        end = [" ;", ";", ";", " ;"]
        if wild:
            end += ["\n;", "\n ;", "\n     ;", "", ";;", "; ;", " # x ;"]
        return s + self.pick(end)

    def valid(self):
        out = [self.stanza(False) for _ in range(self.r.randrange(1, 7))]
        return "\n".join(out) + "\n"

    def lively(self):
        out = ""
        if self.maybe(0.5):
            out = "Default=0x7fff, ipoib : ALL=full ;\n"
        for _ in range(self.r.randrange(1, 6)):
            out += self.stanza(self.maybe(0.3)) + self.pick(["\n", "\n", "\n", " ", "", "\n# text\n"])
        return out

    def wild(self):
        out = ""
        for _ in range(self.r.randrange(1, 6)):
            out += self.stanza(True) + self.pick(["\n", "\n", "\r\n", " ", "", "\n# text: a, b\n"])
        return out

    def typos(self):
        s = list(self.lively() if self.maybe(0.5) else self.valid())
        for _ in range(self.r.randrange(1, 4)):
            at = self.r.randrange(len(s))
            what = self.r.randrange(4)
            if what == 0:
                del s[at]
            elif what == 1:
                s.insert(at, self.pick(list(";:,=# \t\n\r0xAaf")))
            elif what == 2:
                s[at] = self.pick(list(";:,=# \t\n\rzZ9"))
            elif at + 1 < len(s):
                s[at], s[at + 1] = s[at + 1], s[at]
            if not s:
                break
        return "".join(s)

    def truncated(self):
        s = self.lively()
        return s[:self.r.randrange(len(s))]

    def octets(self):
        n = self.r.randrange(1, 300)
        alphabet = self.pick([bytes(range(256)), b"Default=0x7fff,ipoib:AL;\n #mgid", b";:,=\n# \t0x1a\0\r"])
        return bytes(self.r.choice(alphabet) for _ in range(n)).decode("latin-1")

    def long(self):
        n = self.pick([4080, 4090, 4094, 4095, 4096, 4100, 8190])
        head = self.pick(["a=0x8001, ipoib : ", "Default=0x7fff, ipoib : ALL=full ;\nb=0x8002, defmember=full : "])
        s = head
        line = len(head) - (head.rfind("\n") + 1)
        while line < n:
            piece = self.pick(["0x100003=full, ", "0x100005, ", "0x%016x=full, " % self.r.randrange(1 << 40), " "])
            s += piece
            line += len(piece)
        s += self.pick(["0x100003=full", "0x100005", "0x100007=both", "ALL"]) + self.pick([" ;\n", ";", ",\n;", "\n"])
        if self.maybe(0.5):
            s += self.valid()
        return s

    def full(self):
        """Tables that have more P_Keys than room."""
        out = "Default=0x7fff, ipoib : ALL=%s ;\n" % self.pick(["full", "limited"])
        count = self.pick([60, 62, 63, 64, 65, 70, 90])
        keys = self.r.sample(range(1, 0x7fff), count)
        for k in keys:
            out += "p%d=0x%x%s : %s ;\n" % (k, k, self.pick(["", "", ", ipoib", ", defmember=full"]) +
                                            (", indx0" if self.maybe(0.05) else ""),
                                            self.pick(["0x100003=full", "ALL_CAS", "ALL=full", "0x100005, 0x100003"]))
        return out

    def clashing(self):
        """Same names and P_Keys again and again."""
        out = ""
        for _ in range(self.r.randrange(3, 12)):
            name = self.pick(["a", "b", "Default", "", "0001", "c" * 32])
            key = self.pick(["", "=0x8001", "=1", "=0x7fff", "=0", "=0x8002"])
            flags = ", ".join([""] + self.r.sample(["ipoib", "indx0", "mtu=5", "mtu=2", "rate=7", "defmember=full",
                                                    "Q_Key=0x80000001", "sl=3", "defmember=both"],
                                                   self.r.randrange(0, 5)))
            ports = ", ".join(self.port(False) for _ in range(self.r.randrange(0, 3)))
            out += "%s%s%s : %s ;\n" % (name, key, flags, ports)
        return out

    def stale(self):
        """Lines of all lengths, and what makes OpenSM read beyond them."""
        out = ""
        for _ in range(self.r.randrange(2, 9)):
            pad = " " * self.r.randrange(0, 60)
            out += self.pick([
                "Default=0x7fff,ipoib:ALL=full" + pad + ";\n", ";\n", " ;\n", pad + ";\n", "mgid=ff12::77\n",
                pad + "mgid=ff12::78 ;\n", "a=5,ipoib:ALL=full,mtu\n", "b=6:ALL mtu=2, rate=7\n" + pad + "mgid=ff12::1\n",
                "#" + pad + ":ALL=full;\n", "x" + pad + ":\n", "0x100003=full," + pad + "\n", "c=7:" + pad + "\n",
                "mgid=ff15::5 #" + pad + "rate=7\n", "d=8,ipoib:SELF;e=9:ALL;" + pad + "mgid=ff12::2\n"])
        return out


KINDS = ["valid", "lively", "lively", "lively", "wild", "typos", "typos", "truncated", "octets", "long", "full",
         "clashing", "clashing", "stale", "stale"]


def main():
    if sys.argv[1] == "--dir":
        for seed in range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4])):
            gen = Gen(seed)
            with open("%s/%d.conf" % (sys.argv[2], seed), "wb") as f:
                f.write(getattr(gen, gen.pick(KINDS))().encode("latin-1"))
        return
    seed = int(sys.argv[1])
    gen = Gen(seed)
    kind = sys.argv[2] if len(sys.argv) > 2 else gen.pick(KINDS)
    sys.stdout.buffer.write(getattr(gen, kind)().encode("latin-1"))


if __name__ == "__main__":
    main()
