#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every exit status of every verb but run (run_statuses.sh), as the manual has
# them: 0 nothing broke, 1 something broke, 2 heddle could not do its work, 3
# unknown. With 2 there is one sentence on standard error.

. "$(dirname "$0")/lib.sh"

# Loses an update; what becomes of that is said by its argument and by whether
# there is a file called calm, so that the same schedule may hold.
cat > pays.c <<'END_C'
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static int paid;
static void *pay(void *p) { paid++; return p; }
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, pay, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	if (!strcmp(how, "killed"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "never"))
		return 0;
	if (!strcmp(how, "always"))
		return 4;
	return paid != 2 && access("calm", F_OK) != 0;
}
END_C
build pays pays.c
build map "$SOURCE/tests/programs/linear_map.c"
echo 'nonsense in a spec' > wrong.spec

run 1 "$HEDDLE" run --strategy random -n 1000 -- ./pays
run 0 "$HEDDLE" run --observe -- ./pays never
run 1 "$HEDDLE" run --strategy random -n 20 -- ./pays always
cp -r .heddle/repros/pays-1 other
sed -i 's/thread=1/thread=0/' other/plan
run 0 "$HEDDLE" run --observe --trace cut -- ./pays never
truncate -s -40 cut

# Nothing is known of a failure without a signature whose build is gone.
cp -r .heddle/repros/pays-1 gone
rm gone/signature
sed -i 's|^argument .*|argument "./vanished"|' gone/repro
build anew pays.c -DANEW -O2

# status | command | words on standard output or error
while IFS='|' read -r status command words; do
	read -ra command <<< "$command"
	read -r words <<< "$words"
	run "$status" "$HEDDLE" "${command[@]}" < /dev/null
	cat out err > both
	[[ -z $words ]] || has both "$words"
	[[ $status -ne 2 || $(grep -c '^heddle: ' err) -eq 1 ]] ||
		fail "not one sentence: $(cat err)"
	[[ $status -ne 2 || ! -s out ]] || fail "it was run: $(cat out)"
done <<'END_TABLE'
0 | test -b 20s -- ./pays never | complete
1 | test -b 20s -- ./pays | broken: exit status 1
2 | test -- ./no-such-program | cannot run ./no-such-program
2 | test | test
3 | test -b 1s -- ./pays killed | unknown
0 | expose -b 20s -- ./pays never | held
1 | expose -b 20s -- ./pays | broken: exit status 1
2 | expose -- ./no-such-program | cannot run ./no-such-program
0 | explore -- ./pays never | complete
1 | explore -- ./pays | broken: exit status 1
2 | explore -- ./no-such-program | cannot run ./no-such-program
2 | explore --search deep -- ./pays | --search wants one of
3 | explore -n 1 -- ./pays never | unknown
1 | replay pays-1 | reproduced 1 of 1
2 | replay pays-9 | there is no repro pays-9
2 | replay --times 0 pays-1 | --times 0
2 | replay | something is missing
3 | replay ./other | unknown: diverged
0 | shrink pays-1 | none can be left out
2 | shrink pays-9 | there is no repro pays-9
1 | locate pays-1 | confirmed
2 | locate pays-3 | no run of
2 | locate pays-9 | there is no repro pays-9
2 | locate --pass here pays-1 | --pass and --fail go together
3 | locate --procedure 2 pays-1 | no procedure has a suspect
1 | regress pays-1 | still broken
2 | regress pays-9 | there is no repro pays-9
2 | regress --store nowhere | there are no repros
3 | regress --program ./anew ./gone | unknown
0 | report | index.html
0 | report --json | "heddle-report"
2 | report pays-9 | there is no repro pays-9
2 | report --store nowhere | there is nothing to report
2 | report --json --sarif | three forms
0 | list | pays-1
0 | list --store nowhere | no failure is kept
2 | list pays-1 | takes no arguments
0 | show pays-2 | exited with status 0
1 | show pays-1 | exit status 1
1 | show --fail-on race pays-2 | race
2 | show pays-9 | neither a failure nor a run
2 | show pays.c | pays.c
3 | show cut | missing:
0 | linear -n 20 -- ./map | held
1 | linear -n 300 -- ./map split | not linearizable
2 | linear wrong.spec | wrong.spec:1
2 | linear no-such.spec | no-such.spec
0 | help | replay
0 | help replay | --times
2 | help nonsense | nonsense
0 | completion bash | complete
2 | completion fish | fish
2 | completion | something is missing
2 | nonsense | nonsense
2 | --nonsense | unknown option --nonsense
2 | replay --nonsense | --nonsense
2 | test -b 40s --junit no/such/x -- ./pays never | cannot write no/such/x
2 | test -b 40s --store pays -- ./pays never | pays is not a directory
2 | test -b 40s --input no/such -- ./pays never | --input: cannot read no/such
2 | expose -b 40s --plot no/such/x -- ./pays never | cannot write no/such/x
2 | expose -b 40s --store pays/x -- ./pays never | pays is not a directory
2 | explore --classes no/such/x -- ./pays | cannot write no/such/x
2 | explore -o no/such/x -- ./pays | cannot write no/such/x
2 | explore --store pays -- ./pays | pays is not a directory
2 | explore -n 0 -- ./pays | --runs 0 would show nothing
2 | run --strategy random --store pays -- ./pays | pays is not a directory
2 | run --strategy random -n 0 -- ./pays | --runs 0 would show nothing
2 | linear -o no/such/x -- ./map | cannot write no/such/x
2 | regress --junit no/such/x pays-1 | cannot write no/such/x
2 | report -o no/such/x pays-1 | cannot write no/such/x
2 | locate --for 0 pays-1 | --for 0 would show nothing
2 | rm pays-9 | there is no repro pays-9
2 | rm ../other | there is no repro ../other
2 | rm .. | there is no repro ..
0 | rm pays-3 |
END_TABLE
[[ -e other/plan && -e .heddle ]] || fail "rm went out of its store"

# It does not break any more.
touch calm
run 0 "$HEDDLE" replay pays-1
has out 'it did not fail as it had'
run 2 "$HEDDLE" locate pays-1
has err 'did not fail when it was replayed'
run 0 "$HEDDLE" regress -n 5 pays-1
has out 'not triggered in 5 runs'
finish
