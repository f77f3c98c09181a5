#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes a captured host, as the kernel would show it, for tests of live.

    tests/capture.py DIRECTORY [CHANGE...]

A CHANGE is key=value: state=2, sm_lid=0, layer=Ethernet, pkeys=0x7fff,0x8001,
carrier=0, mode=1, mtu=2000, name=ib0.0001, twin=1, oldgroup=1, incomplete=1,
faillog=1, neigh=old, static=1, nocm=1.
"""
import os
import struct
import sys

GUID = bytes.fromhex("0002c90300a1b2c1")
PREFIX = bytes.fromhex("fe80000000000000")


def attr(kind, payload):
    n = 4 + len(payload)
    return struct.pack("=HH", n, kind) + payload + b"\0" * (-n % 4)


def message(kind, body):
    return struct.pack("=IHHII", 16 + len(body), kind, 2, 1, 1) + body


def link(index, name, pkey, mode, mtu, carrier, parent=0, qpn=0x48):
    flags = 0x1003 | (0x10000 if carrier else 0)
    body = struct.pack("=BxHiII", 0, 32, index, flags, 0)
    body += attr(3, name.encode() + b"\0") + attr(4, struct.pack("=I", mtu))
    if parent:
        body += attr(5, struct.pack("=I", parent))
    body += attr(1, struct.pack(">I", 0x80000000 | qpn) + PREFIX + GUID)
    body += attr(2, bytes.fromhex("00ffffffff12401b") + struct.pack(">H", pkey) + b"\0" * 6 + b"\xff" * 4)
    data = attr(1, struct.pack("=H", pkey)) + attr(2, struct.pack("=H", mode))
    body += attr(18 | 0x8000, attr(1, b"ipoib\0") + attr(2 | 0x8000, data))
    return message(16, body)


def neigh(index, state, ip, qpn, guid):
    body = struct.pack("=BxxxiHBB", 2, index, state, 0, 1)
    return message(28, body + attr(1, ip) + attr(2, struct.pack(">I", 0x80000000 | qpn) + PREFIX + guid))


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def main():
    root = sys.argv[1]
    o = {"state": "4", "sm_lid": "1", "layer": "InfiniBand", "pkeys": "0xffff,0x8001", "carrier": "1", "mode": "0",
         "mtu": "2044", "name": "ib0.8001"}
    o.update(a.split("=", 1) for a in sys.argv[2:])
    port = root + "/sys/class/infiniband/mlx5_0/ports/1/"
    states = {"1": "DOWN", "2": "INIT", "3": "ARMED", "4": "ACTIVE"}
    write(port + "link_layer", o["layer"] + "\n")
    write(port + "state", "%s: %s\n" % (o["state"], states[o["state"]]))
    write(port + "lid", "0x5\n")
    write(port + "sm_lid", "0x%x\n" % int(o["sm_lid"], 0))
    write(port + "gids/0", "fe80:0000:0000:0000:0002:c903:00a1:b2c1\n")
    keys = o["pkeys"].split(",")
    for i in range(16):
        write(port + "pkeys/%d" % i, (keys[i] if i < len(keys) else "0x0000") + "\n")

    carrier, mode, mtu = o["carrier"] == "1", int(o["mode"]), int(o["mtu"])
    net = message(16, struct.pack("=BxHiII", 0, 1, 2, 0x11043, 0) + attr(3, b"eth0\0") +
                  attr(1, b"\x52\x54\0\x12\x34\x56"))
    net += link(3, "ib0", 0xffff, 0, 2044, True)
    net += link(4, o["name"], 0x8001, mode, mtu, carrier, 3, 0x49)
    if o.get("twin"):
        net += link(5, "ib0.1", 0x8001, 0, 2044, True, 3, 0x50)
    peer = bytes.fromhex("0002c90300b00001")
    net += neigh(3, 2, bytes([10, 0, 0, 2]), 0x60, peer)
    if o.get("neigh"):
        net += neigh(3, 4, bytes([10, 0, 0, 3]), 0x59, peer)
    if o.get("static"):
        net += neigh(3, 0x80, bytes([10, 0, 0, 4]), 0x61, bytes.fromhex("0002c90300b00002"))
    net += message(3, struct.pack("=i", 0))
    write(root + "/netlink", net)

    for name in ("ib0", o["name"]):
        write(root + "/sys/class/net/%s/type" % name, "32\n")
        if not o.get("nocm"):
            write(root + "/sys/class/net/%s/mode" % name, ("connected" if mode and name != "ib0" else "datagram") + "\n")
    key = "8002" if o.get("oldgroup") else "ffff"
    write(root + "/proc/net/dev_mcast",
          "3    ib0             1     0     00ffffffff12401b%s000000000000e0000001\n"
          "3    ib0             1     0     00ffffffff12601bffff00000001ffa1b2c1\n" % key)
    if o.get("incomplete"):
        write(root + "/sys/kernel/debug/ipoib/ib0_mcg",
              "GID: ff12:401b:ffff:0000:0000:0000:ffff:ffff\n  created: 4294892344\n  queuelen:         0\n"
              "  complete:        no\n  send_only:       no\n\n")
    log = "[    3.1] IPv6: ADDRCONF(NETDEV_CHANGE): ib0: link becomes ready\n"
    if o.get("faillog"):
        log += "[ 9999.1] ib0: multicast join failed for ff12:401b:ffff:0000:0000:0000:ffff:ffff, status -22\n"
    write(root + "/dmesg", log)


if __name__ == "__main__":
    main()
