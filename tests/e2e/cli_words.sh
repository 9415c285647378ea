#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Verbs and options: what is unknown or wrong is refused with a suggestion,
# and help is there in every way one might ask for it.

. "$(dirname "$0")/lib.sh"

refused 'unknown verb rnu; did you mean run?' "$HEDDLE" rnu
refused 'unknown verb xyzzy; heddle help' "$HEDDLE" xyzzy
refused 'unknown verb docter; did you mean doctor?' "$HEDDLE" help docter
refused 'unknown option --nonsense before the verb' "$HEDDLE" --nonsense
refused '--obsreve; did you mean --observe?' "$HEDDLE" run --obsreve -- true
refused 'unknown option -z' "$HEDDLE" show -z
refused '--keep wants a number such as 20' \
	"$HEDDLE" run --observe --keep many -- true
refused '--time wants a time such as' "$HEDDLE" run --observe -t 3y -- true
refused '--fail-on wants one of' "$HEDDLE" show --fail-on crash
refused '--store wants a value: --store DIR' "$HEDDLE" show --store
refused '--json takes no value' "$HEDDLE" doctor --json=yes
refused 'doctor takes no arguments' "$HEDDLE" doctor now
refused 'heddle run --observe' "$HEDDLE" run
refused 'heddle run --observe -- true' "$HEDDLE" run true
refused 'one too many' "$HEDDLE" show a b
refused 'not for fish' "$HEDDLE" completion fish
refused 'completion bash|zsh' "$HEDDLE" completion
refused "'loud'" env HEDDLE_LOG=loud "$HEDDLE" help

run 0 "$HEDDLE" --version
grep -qxE 'heddle [0-9]+\.[0-9]+\.[0-9]+' out || fail "version: $(cat out)"
run 0 "$HEDDLE" help
has out 'usage: heddle VERB'
cp out overview
for way in '' --help -h; do
	run 0 "$HEDDLE" ${way:+"$way"}
	cmp -s out overview || fail "heddle $way is not heddle help"
done
for verb in cc c++ run show doctor help completion; do
	has overview "  $verb "
	run 0 "$HEDDLE" help "$verb"
	has out "usage: heddle $verb "
	cp out "help-$verb"
done
for verb in run show doctor help completion; do
	for way in --help -h; do
		run 0 "$HEDDLE" "$verb" "$way"
		cmp -s out "help-$verb" || fail "heddle $verb $way"
	done
done
finish
