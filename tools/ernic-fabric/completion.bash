# SPDX-License-Identifier: GPL-2.0-only
# bash completion of ernic-fabric; options are what --help says.

_ernic_fabric() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cmd=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(ernic-fabric --help |
			sed -n 's/^  \([a-z]*\)  *.*/\1/p') --help --version" -- "$cur")
		return
	fi
	case $prev in
	--explain | --ignore)
		mapfile -t COMPREPLY < <(compgen -W "$(ernic-fabric lint --rules | cut -d' ' -f1)" -- "$cur")
		return
		;;
	--color)
		mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$cur")
		return
		;;
	-O | --opensm-args)
		mapfile -t COMPREPLY < <(compgen -W "-W -Q" -- "$cur")
		return
		;;
	esac
	case $cur in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$(ernic-fabric "$cmd" --help 2>/dev/null |
			grep -o -- '--[a-z-][a-z0-9-]*' | sort -u)" -- "$cur")
		;;
	*)
		if [ "$cmd" = live ]; then
			mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net 2>/dev/null)" -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
}
complete -o filenames -F _ernic_fabric ernic-fabric
