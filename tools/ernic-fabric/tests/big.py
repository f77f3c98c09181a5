#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a large fabric: tests/big.py INVENTORY PARTITIONS-CONF MEGABYTES KIND

KIND: tenants, many ports in few partitions; partitions, as many as there can be,
of all ports; lines, comments and blank lines; groups, mgid lines.
"""
import sys

PORTS = 10000


def guid(i):
    return 0x0002c90300000000 + i * 16


def main():
    inventory, conf, size, kind = sys.argv[1], sys.argv[2], int(sys.argv[3]) << 20, sys.argv[4]
    with open(inventory, "w") as f:
        f.write("0x0002c90200000001 S1 switch mcast=16383\n")
        for i in range(PORTS):
            f.write("0x%016x node%05d CA mtu=4096 rate=100 pkeys=128\n" % (guid(i), i))
    with open(conf, "w") as f:
        f.write("Default=0x7fff, ipoib : ALL=full ;\n")
        n = 0
        if kind == "tenants":
            lines = [", ".join("0x%016x=full" % guid(k) for k in range(i, i + 4)) for i in range(0, PORTS, 4)]
        while f.tell() < size:
            n += 1
            if kind == "tenants":
                f.write("tenant%d=0x%04x, ipoib :\n" % (n, 1 + n % 100))
                f.write(",\n".join(lines[:2500 - n % 3]))
                f.write(" ;\n")
            elif kind == "partitions":
                for k in range(1000):
                    f.write("p%d=0x%04x, ipoib, mtu=5 : ALL=limited, 0x%016x=full ;\n" %
                            (n, 1 + (n * 1000 + k) % 0x7ffe, guid(k)))
            elif kind == "lines":
                f.write("# a comment that says nothing at all about anything\n\n" * 1000)
            else:
                f.write("g%d=0x%04x, ipoib : ALL=full\n" % (n, 1 + n % 50))
                for k in range(1000):
                    f.write("  mgid=ff12:401b::%x:%x, mtu=4\n" % (n % 20, k))
                f.write(" NONE ;\n")


if __name__ == "__main__":
    main()
