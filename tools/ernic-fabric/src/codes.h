/* SPDX-License-Identifier: GPL-2.0-only */
/* InfiniBand's codes for MTUs, rates and scopes. */
#ifndef ERNIC_FABRIC_CODES_H
#define ERNIC_FABRIC_CODES_H

unsigned int mtu_code(unsigned int octets);
unsigned int mtu_octets(unsigned int code);
unsigned int rate_code(double gbps);
double rate_gbps(unsigned int code);
unsigned int rate_order(unsigned int code);
unsigned int rate_parse(const char *text);
const char *scope_name(unsigned int scope);
int cmd_codes(int argc, char **argv);

#endif
