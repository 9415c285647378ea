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
	"$HEDDLE" help "$1" |
		sed -nE 's/^  (-[a-z], |    )(--[a-z-]+).*/\2/p' | sort
}

"$HEDDLE" completion zsh > zsh
for verb in run show doctor test expose explore replay report shrink locate \
	regress list rm linear; do
	options=$(options_of "$verb")
	[[ $(wc -w <<< "$options") -ge 2 ]] || fail "no options of $verb"
	got=$(complete_words heddle "$verb" -- | tr ' ' '\n' | sort)
	[[ $got == "$options" ]] || fail "bash completes $verb: $got"
	got=$(sed -n "/^	$verb)/,/;;/p" zsh | grep -oE "'--[a-z-]+" |
		tr -d "'" | sort)
	[[ $got == "$options" ]] || fail "zsh completes $verb: $got"
done
# Names of kept failures, where they are asked for.
mkdir -p .heddle/repros
printf '%s\n' '#!/bin/bash' '[[ $1 == list ]] && echo "bank-1  exit status 1"' \
	> heddle
chmod +x heddle
PATH=$PWD:$PATH answers 'bank-1' heddle replay ban
PATH=$PWD:$PATH answers '' heddle test ban

if [[ $(type -P zsh) ]]; then
	zsh -n zsh || fail "zsh cannot read its script"
	# What it would offer, told by functions in place of zsh's own.
	cat > ask.zsh <<-'END'
	_describe() { print -l ${(P)2}; }
	_arguments() { print -l -- "$@"; }
	compadd() { print -l ${(P)2}; }
	_files() { : }
	words=(heddle re) CURRENT=2
	. ./zsh
	words=(heddle replay b) CURRENT=3
	_heddle
	_heddle_names
	END
	PATH=$PWD:$PATH run 0 zsh -f ask.zsh
	has out 'report:make a page'
	has out '--times[do it'
	has out 'bank-1'
fi
finish
