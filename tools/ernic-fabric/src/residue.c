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

/* At a position, N times a character; what is not here is NUL. */
struct run {
	unsigned short at, n;
	char c;
};

/* Before the first sweep: the time of day, addresses. */
static const struct run first[] = {
	{ 4, 1, '5' }, { 8, 1, '\1' }, { 12, 1, '\36' }, { 16, 1, '\n' },
	{ 20, 1, '~' }, { 24, 1, '\1' }, { 28, 2, 'M' }, { 48, 6, '\310' },
	{ 56, 1, '0' }, { 60, 1, '0' }, { 64, 6, '\310' }, { 73, 5, '\310' },
	{ 0 }
};

/* Before all others; some minutes and seconds are blanks, or end a statement. */
static const struct run later[] = {
	{ 1, 5, '\310' }, { 8, 6, '\310' }, { 16, 6, '\310' }, { 24, 6, '\310' },
	{ 40, 1, ' ' }, { 41, 5, '\310' }, { 48, 6, '\310' }, { 56, 6, '\310' },
	{ 64, 1, '9' }, { 72, 1, '\20' }, { 80, 3, '\310' }, { 88, 6, '\310' },
	{ 96, 1, '\4' }, { 104, 6, '\310' }, { 112, 6, '\310' }, { 120, 6, '\310' },
	{ 128, 6, '\310' }, { 136, 4, '\310' }, { 144, 4, '\310' }, { 152, 3, '\310' },
	{ 160, 1, '\20' }, { 164, 1, '9' }, { 168, 1, '\2' }, { 172, 1, '\36' },
	{ 176, 1, '\n' }, { 180, 1, '~' }, { 184, 1, '\1' }, { 188, 2, 'M' },
	{ 209, 5, '\310' }, { 216, 1, '0' }, { 220, 1, '0' }, { 224, 6, '\310' },
	{ 232, 6, '\310' }, { 0 }
};

/* From position 80, before the first sweep; a NUL ends it. */
static const char message[] =
	"osm_report_sm_state:\n\n\n"
	"*****************************************************************"
	"*\n"
	"******************** ENTERING SM MASTER STATE *******************"
	"*\n"
	"*****************************************************************"
	"*\n\n\n";

/* From position 240, before all others. */
static const char sweep[] =
	"do_sweep:\n\n\n"
	"*****************************************************************"
	"*\n";

/* From position 307, or less of it: the end of an earlier, longer one. */
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
 * @again: not OpenSM's first sweep
 */
void conf_residue(char *line, size_t len, bool again)
{
	memset(line, 0, len);
	for (const struct run *r = again ? later : first; r->n; r++)
		memset(line + r->at, r->c, r->n);
	memcpy(line + 307, older, sizeof(older));
	memcpy(line + 456, oldest, sizeof(oldest));
	if (again)
		memcpy(line + 240, sweep, sizeof(sweep) - 1);
	else
		memcpy(line + 80, message, sizeof(message));
}
