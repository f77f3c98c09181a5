#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""rds.py ADDRESS ADDRESS COUNT MAX: COUNT datagrams of up to MAX bytes each way,
which have to arrive whole and in order.  rds.py --connections: the number of
connections that RDS has over InfiniBand, which for it is all RDMA."""

import random
import select
import socket
import struct
import sys

AF_RDS = 21
SOL_RDS = 276
RDS_INFO_IB_CONNECTIONS = 10008
PORT = 4000


def connections():
    s = socket.socket(AF_RDS, socket.SOCK_SEQPACKET)
    # returns the size of one; the length says how many there are
    buf = s.getsockopt(SOL_RDS, RDS_INFO_IB_CONNECTIONS, 4096)
    return len(buf)


def message(seed, i, largest):
    rnd = random.Random(seed * 1000003 + i)
    return struct.pack("<I", i) + rnd.randbytes(rnd.randrange(largest - 4))


def main():
    if sys.argv[1:] == ["--connections"]:
        print(connections())
        return
    addr, count, largest = sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
    socks = []
    for a in addr:
        s = socket.socket(AF_RDS, socket.SOCK_SEQPACKET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        s.bind((a, PORT))
        s.setblocking(False)
        socks.append(s)
    sent, got = [0, 0], [0, 0]
    poll = select.poll()
    for s in socks:
        poll.register(s, select.POLLIN)
    while min(got) < count:
        for k in (0, 1):
            # not much more than the receiver has room for
            while sent[k] < count and sent[k] - got[1 - k] < 16:
                try:
                    socks[k].sendto(message(k, sent[k], largest), (addr[1 - k], PORT))
                except BlockingIOError:
                    break
                sent[k] += 1
        if not poll.poll(20000):
            sys.exit(f"nothing arrives: sent {sent}, received {got}")
        for k in (0, 1):
            try:
                data = socks[k].recv(largest + 1)
            except BlockingIOError:
                continue
            if data != message(1 - k, got[k], largest):
                sys.exit(f"datagram {got[k]} to {addr[k]}: {len(data)} bytes, not what was sent")
            got[k] += 1


main()
