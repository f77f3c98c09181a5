// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is in OpenSM's line buffer before the first line.
 *
 * The buffer is on the stack and not cleared.  Constructs that read beyond the
 * longest line so far see what is there: words of earlier frames, and the log
 * messages that OpenSM has just formatted.  This is Debian's 3.3.23-2+b1 for
 * amd64 with the log level of the oracle (-D 0x07), as a debugger shows it at
 * the first fgets().  Only whether an octet is a NUL, a blank or neither makes
 * a difference.  A file whose meaning depends on it has none; lint says so.
 */
#include <string.h>

#include "conf.h"

/* At a position, N times a character. */
static const struct {
	unsigned short at, n;
	char c;
} runs[] = {
	{ 4, 1, '5' }, { 8, 1, '\1' }, { 12, 1, '\36' }, { 16, 1, '\n' },
	{ 20, 1, '~' }, { 24, 1, '\1' }, { 28, 2, 'M' }, { 48, 6, '\310' },
	{ 56, 1, '0' }, { 60, 1, '0' }, { 64, 6, '\310' }, { 73, 5, '\310' },
};

/* From position 80; a NUL ends it. */
static const char message[] =
	"osm_report_sm_state:\n\n\n"
	"*****************************************************************"
	"*\n"
	"******************** ENTERING SM MASTER STATE *******************"
	"*\n"
	"*****************************************************************"
	"*\n\n\n";

/* From position 307: the end of an earlier, longer one. */
static const char older[] =
	"***********\n"
	"********************** HEAVY SWEEP COMPLETE *********************"
	"*\n"
	"*****************************************************************"
	"*\n\n\n";

/* From position 456. */
static const char oldest[] = "*********\n\n\n";

/**
 * conf_residue() - the buffer before the first line
 * @line: buffer
 * @len: its size
 */
void conf_residue(char *line, size_t len)
{
	memset(line, 0, len);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		memset(line + runs[i].at, runs[i].c, runs[i].n);
	memcpy(line + 80, message, sizeof(message));
	memcpy(line + 307, older, sizeof(older));
	memcpy(line + 456, oldest, sizeof(oldest));
}
