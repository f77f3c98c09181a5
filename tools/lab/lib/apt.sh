# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Packages: the machine's own through its own apt; those of other suites through
# a private apt state below the cache, so the machine's configuration stays as it is.

SUITE_STOCK=forky
SUITE_73=trixie-backports
SUITE_612=trixie

# The mirror this machine uses, from either format of apt sources.
mirror() {
	local uri
	uri=$(
		{
			cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
				awk 'tolower($1) == "uris:" { for (i = 2; i <= NF; i++) print $i }'
			cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
				awk '$1 == "deb" { i = 2; if ($i ~ /^\[/) { while ($i !~ /\]$/) i++; i++ } print $i }'
		} | grep -E '^(https?|file):' | grep -v security | sort -u |
			awk '{ rank = /\/debian\/?$/ ? 0 : 1; print rank, $0 }' | sort -n | awk 'NR == 1 { print $2 }'
	) || :
	[ -n "$uri" ] || die "no Debian mirror in the machine's apt sources"
	printf '%s\n' "${uri%/}"
}

# How the machine's apt reaches its mirror: proxies, validity, retries.
acquire_settings() {
	apt-config dump | grep -E '^Acquire::(Check-Valid-Until|Max-ValidTime|Retries|ForceIPv4|Languages|https?(::.*)?) ' || :
}

lab_apt() {
	local cmd=$1 d=$CACHE/apt
	shift
	"$cmd" -o Dir::State="$d/state" -o Dir::State::status="$d/state/status" \
		-o Dir::Etc="$d/etc" -o Dir::Etc::sourcelist="$d/etc/sources.list" \
		-o Dir::Etc::sourceparts="$d/etc/sources.list.d" \
		-o Dir::Cache="$d/cache" -o Dir::Cache::pkgcache=pkgcache.bin \
		-o Dir::Cache::srcpkgcache=srcpkgcache.bin -o APT::Architecture=amd64 \
		-o APT::Sandbox::User=root "$@"
}

apt_private_update() {
	local d=$CACHE/apt m s
	m=$(mirror)
	mkdir -p "$d"/etc/{sources.list.d,preferences.d,apt.conf.d} "$d/state/lists/partial" "$d/cache/archives/partial"
	: >"$d/state/status"
	for s in "$SUITE_STOCK" "$SUITE_612" "$SUITE_73"; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $m $s main"
	done >"$d/etc/sources.list"
	lab_apt apt-get -q update
}

# field PKG SUITE NAME
field() {
	lab_apt apt-cache show "$1/$2" 2>/dev/null | sed -n "s/^$3: //p" | head -n 1
}

# The release that a kernel meta package stands for, e.g. 7.2.12+deb14-amd64.
meta_release() {
	field "$1" "$2" Depends | tr ',' '\n' |
		sed -n 's/^ *linux-image-\([0-9][^ ]*\).*/\1/p' | grep -v unsigned | head -n 1
}

write_versions() {
	local out=$CACHE/versions.tmp name suite meta
	apt_private_update
	: >"$out"
	while read -r name suite meta; do
		printf '%s %s %s %s\n' "$name" "$suite" "$(meta_release "$meta" "$suite")" \
			"$(field "$meta" "$suite" Version)"
	done >"$out" <<-EOF
		stock $SUITE_STOCK linux-image-amd64
		7.3 $SUITE_73 linux-image-amd64
		6.12 $SUITE_612 linux-image-amd64
		cloud $SUITE_STOCK linux-image-cloud-amd64
	EOF
	awk 'NF != 4 { bad = 1 } END { exit bad }' "$out" || {
		cat "$out"
		die "a kernel package is missing in the suites"
	}
	mv "$out" "$CACHE/versions"
}

# Looked up once and then kept: a bootstrapped lab needs no network, and a suite
# that moves does not invalidate it.  "lab bootstrap --refresh" looks again.
versions() {
	[ -s "$CACHE/versions" ] || locked versions versions_once
}
versions_once() {
	[ -s "$CACHE/versions" ] || step "look up kernel versions in the suites" "5 s" write_versions
}

# kernel_info NAME: sets K_SUITE, K_RELEASE, K_VERSION
kernel_info() {
	local n
	versions
	# shellcheck disable=SC2034 # for the caller
	while read -r n K_SUITE K_RELEASE K_VERSION; do
		[ "$n" != "$1" ] || return 0
	done <"$CACHE/versions"
	usage_error "no kernel called '$1' (stock, 7.3, 6.12, cloud)"
}

machine_packages() {
	local p missing=()
	[ -r /etc/debian_version ] || die "needs Debian: apt and debootstrap are the only sources"
	while read -r p; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
	done < <(list "$LAB_DIR/packages/machine.txt")
	[ "${#missing[@]}" = 0 ] || step "install on this machine: ${missing[*]}" "30 s" install_machine "${missing[@]}"
}
install_machine() {
	apt-get -q update
	DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
}

# fetch DIR SUITE PKG...: download packages of a suite into DIR.
fetch() {
	local dir=$1 suite=$2 p
	shift 2
	mkdir -p "$dir"
	[ -s "$CACHE/apt/etc/sources.list" ] || apt_private_update
	for p; do
		(cd "$dir" && lab_apt apt-get -q download "$p/$suite") || {
			# The mirror may have moved on since the lists were read.
			apt_private_update
			(cd "$dir" && lab_apt apt-get -q download "$p/$suite")
		}
	done
}
