// SPDX-License-Identifier: GPL-2.0-only
/* The connection beside the one under test, of two processes. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "verify.h"

static int complain(const char *what)
{
	fprintf(stderr, "ernic-verify: %s: %s\n", what, strerror(errno));
	return -1;
}

int control_listen(int port)
{
	struct addrinfo hints = { .ai_family = AF_INET6,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE },
			*ai;
	char service[16];
	int one = 1, s, fd;

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(NULL, service, &hints, &ai))
		return complain("address");
	s = socket(ai->ai_family, SOCK_STREAM, 0);
	if (s < 0 || setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(s, ai->ai_addr, ai->ai_addrlen) || listen(s, 1)) {
		freeaddrinfo(ai);
		return complain("listen");
	}
	freeaddrinfo(ai);
	fd = accept(s, NULL, NULL);
	close(s);
	return fd < 0 ? complain("accept") : fd;
}

int control_connect(const char *host, int port, int seconds)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai;
	char service[16];
	int fd = -1;

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(host, service, &hints, &ai)) {
		fprintf(stderr, "ernic-verify: no such host: %s\n", host);
		return -1;
	}
	/* the server may not listen yet */
	for (int i = 0; fd < 0 && i < seconds * 10; i++) {
		struct timespec ts = { .tv_nsec = 100000000 };

		fd = socket(ai->ai_family, SOCK_STREAM, 0);
		if (fd >= 0 && !connect(fd, ai->ai_addr, ai->ai_addrlen))
			break;
		close(fd);
		fd = -1;
		nanosleep(&ts, NULL);
	}
	freeaddrinfo(ai);
	return fd < 0 ? complain(host) : fd;
}

int control_send(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);

		if (k <= 0)
			return complain("the other end is gone");
		p = (const char *)p + k;
		n -= k;
	}
	return 0;
}

int control_recv(int fd, void *p, size_t n)
{
	while (n) {
		ssize_t k = recv(fd, p, n, 0);

		if (!k)
			errno = ECONNRESET;
		if (k <= 0)
			return complain("the other end is gone");
		p = (char *)p + k;
		n -= k;
	}
	return 0;
}
