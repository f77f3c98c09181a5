# SPDX-License-Identifier: GPL-2.0-only
# opensm-sa.dump to the oracle's group lines.
function value(name,   m) {
	match($0, " " name "=[0-9a-fx:]+")
	m = substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
	return m
}
function hex(s,   i, v) {
	v = 0
	s = tolower(s)
	sub(/^0x/, "", s)
	for (i = 1; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v
}
# as inet_ntop() writes it
function ipv6(s,   a, i, n, best, len, run, out) {
	gsub(/0x|:/, "", s)
	for (i = 0; i < 8; i++)
		a[i] = hex(substr(s, 4 * i + 1, 4))
	best = -1; len = 1
	for (i = 0; i < 8; i++) {
		for (run = 0; i + run < 8 && a[i + run] == 0; run++)
			;
		if (run > len) { best = i; len = run }
	}
	out = ""
	for (i = 0; i < 8; i++) {
		if (i == best) { out = out (i ? ":" : "::"); i += len - 1; if (i == 7) out = out (best ? ":" : ""); continue }
		out = out sprintf("%x", a[i])
		if (i < 7) out = out ":"
	}
	return out
}
/^MC Group/ {
	shf = hex(value("sl_flow_hop"))
	printf "group %s pkey %s mtu 0x%x rate 0x%x sl 0x%x qkey 0x%x hop 0x%x\n",
		ipv6(value("mgid")), value("pkey"), hex(value("mtu")), hex(value("rate")),
		int(shf / 268435456), hex(value("qkey")), shf % 256
}
