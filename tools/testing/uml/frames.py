#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Raw frames for the UML tests.

frames.py send DEV [--dst MAC] [--src MAC] [--len N] [--count N] [--vlan ID]
               [--prio P] [--inband] [--proto HEX] [--flows N] [--dip ADDR]
    --len is the frame without FCS, tag included; of several (60,61) one each
frames.py recv DEV SECONDS [--proto HEX]
    prints one line a frame: length, destination, VLAN, SHA-1 of the payload
frames.py join|leave DEV FIRST COUNT
    multicast addresses from FIRST on; "ip -batch" ends after one
"""
import argparse
import fcntl
import hashlib
import socket
import struct
import sys
import time

SOL_PACKET = 263
PACKET_AUXDATA = 8
SIOCGIFHWADDR = 0x8927
SIOCADDMULTI = 0x8931
SIOCDELMULTI = 0x8932


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def own_mac(dev):
    # not from /sys, which shows another namespace
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    req = struct.pack("256s", dev.encode()[:15])
    return fcntl.ioctl(s, SIOCGIFHWADDR, req)[18:24].hex(":")


def csum(data):
    if len(data) & 1:
        data += b"\0"
    s = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while s >> 16:
        s = (s & 0xFFFF) + (s >> 16)
    return ~s & 0xFFFF


def udp(dst, sport, size):
    """an IPv4 UDP packet of SIZE bytes"""
    payload = bytes((i * 7 + sport) & 0xFF for i in range(size - 28))
    head = struct.pack("!HHHH", sport, 9, size - 20, 0)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, size, 1, 0, 64, 17, 0,
                     socket.inet_aton("10.99.0.1"), socket.inet_aton(dst))
    ip = ip[:10] + struct.pack("!H", csum(ip)) + ip[12:]
    return ip + head + payload


def send(a):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    s.bind((a.dev, 0))
    head = mac(a.dst) + mac(a.src or own_mac(a.dev))
    if a.vlan is not None:
        head += struct.pack("!HH", 0x8100, a.prio << 13 | a.vlan)
    frames = []
    lens = [int(n) for n in a.len.split(",")]
    for i in range(a.flows or len(lens)):
        n = lens[i % len(lens)] - len(head) - 2
        if a.flows:
            body = b"\x08\x00" + udp(a.dip, 1000 + i, n)
        else:
            body = struct.pack("!H", int(a.proto, 16))
            body += bytes((j * 13 + i) & 0xFF for j in range(n))
        frames.append(head + body)
    for i in range(max(a.count, len(lens))):
        f = frames[i % len(frames)]
        for attempt in range(1000):
            try:
                s.send(f)
                break
            except OSError as e:
                if e.errno != 105:  # ENOBUFS
                    raise
                time.sleep(0.001)


def recv(a):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    # only ETH_P_ALL sees the tag of a VLAN that has no interface
    s.bind((a.dev, 3))
    end = time.time() + a.seconds
    while True:
        s.settimeout(max(0.001, end - time.time()))
        try:
            data, anc, _, _ = s.recvmsg(65536, 64)
        except (TimeoutError, BlockingIOError):
            break
        if data[12:14].hex() != a.proto:
            continue
        vlan = "-"
        for level, kind, blob in anc:
            if level == SOL_PACKET and kind == PACKET_AUXDATA:
                st, _, _, _, _, tci, tpid = struct.unpack("=IIIHHHH", blob[:20])
                if st & 0x10:
                    vlan = "%d/%d" % (tci & 0xFFF, tci >> 13)
        print(len(data), data[:6].hex(":"), vlan,
              hashlib.sha1(data[14:]).hexdigest()[:12])
        sys.stdout.flush()
        if time.time() >= end:
            break


def groups(a):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    first = int.from_bytes(mac(a.first), "big")
    for i in range(a.n):
        addr = (first + i).to_bytes(6, "big")
        fcntl.ioctl(s, a.ioctl, struct.pack("16sH6s8x", a.dev.encode()[:15],
                                            socket.AF_UNSPEC, addr))


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="what", required=True)
    t = sub.add_parser("send")
    t.add_argument("dev")
    t.add_argument("--dst", default="02:00:00:00:00:99")
    t.add_argument("--src")
    t.add_argument("--len", default="60")
    t.add_argument("--count", type=int, default=1)
    t.add_argument("--vlan", type=int)
    t.add_argument("--prio", type=int, default=0)
    t.add_argument("--proto", default="88b5")
    t.add_argument("--flows", type=int, default=0)
    t.add_argument("--dip", default="10.99.0.2")
    t.set_defaults(run=send)
    r = sub.add_parser("recv")
    r.add_argument("dev")
    r.add_argument("seconds", type=float)
    r.add_argument("--proto", default="88b5")
    r.set_defaults(run=recv)
    for name, ioctl in ("join", SIOCADDMULTI), ("leave", SIOCDELMULTI):
        j = sub.add_parser(name)
        j.add_argument("dev")
        j.add_argument("first")
        j.add_argument("n", type=int)
        j.set_defaults(run=groups, ioctl=ioctl)
    a = p.parse_args()
    a.run(a)


main()
