#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The completion scripts know every verb and every option of its table.

. "$(dirname "$0")/lib.sh"

run 0 "$HEDDLE" completion bash
# shellcheck disable=SC1091
. ./out

# complete WORD...: the answers for the last of them.
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_heddle
	echo "${COMPREPLY[*]}"
}

answers() {
	local wanted=$1 got

	shift
	got=$(complete_words "$@")
	[[ $got == "$wanted" ]] || fail "'$*' gives '$got', not '$wanted'"
}

answers doctor heddle doc
answers 'run' heddle help ru
answers '--observe --output' heddle run --o
answers 'any' heddle run --fail-on a
answers 'bash' heddle completion b
touch suppressions
answers 'suppressions' heddle show --suppress supp
answers 'suppressions' heddle show supp

# Prints the long options that the help of a verb lists.
options_of() {
	"$HEDDLE" help "$1" | grep -oE '^ .{4}.*--[a-z-]+' |
		grep -oE -- '--[a-z-]+' | sort
}

"$HEDDLE" completion zsh > zsh
for verb in run show doctor; do
	options=$(options_of "$verb")
	[[ $(wc -w <<< "$options") -ge 3 ]] || fail "no options of $verb"
	got=$(complete_words heddle "$verb" -- | tr ' ' '\n' | sort)
	[[ $got == "$options" ]] || fail "bash completes $verb: $got"
	got=$(sed -n "/^	$verb)/,/;;/p" zsh | grep -oE "'--[a-z-]+" |
		tr -d "'" | sort)
	[[ $got == "$options" ]] || fail "zsh completes $verb: $got"
done
if [[ $(type -P zsh) ]]; then
	zsh -n zsh || fail "zsh cannot read its script"
fi
finish
