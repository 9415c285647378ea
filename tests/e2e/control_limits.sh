#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Where control does not reach: a thread that sleeps by a system call of its own
# does not stop the others, and makes the verdict unknown; OpenMP is refused in
# a sentence; threads that run before main are told of. Every run has standard
# input from its beginning.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

for program in uncontrolled constructor input; do
	build "$program" "$programs/control_$program.c"
done

for how in --strategy=random --exec; do
	run 3 "$HEDDLE" run --strategy random $how -n 5 -- ./uncontrolled
	has out 'unknown: uncontrolled block: a thread slept where control'
	has out 'in sleeper (control_uncontrolled.c:'
done

# A thread of a library without hooks that never asks for the turn does not stop
# the rest, whether it runs or naps; nor does one of a program without hooks.
build deaf "$programs/control_deaf_library.c"
cc -shared -fPIC -DLIBRARY -o deaf.so "$programs/control_deaf_library.c" ||
	fail "cannot build the deaf library"
for how in --strategy=random --exec; do
	run 3 "$HEDDLE" run --strategy random $how -n 2 -- ./deaf "$PWD/deaf.so"
	has out 'unknown: uncontrolled block: a thread ran where control'
done
run 3 "$HEDDLE" run --strategy random -n 2 -- ./deaf "$PWD/deaf.so" naps
has out 'unknown: uncontrolled block: a thread ran where control'
run 0 "$HEDDLE" run --strategy random -n 20 -- ./deaf
cc -O1 -o flag "$programs/control_flag_unmodified.c" || fail "cannot build flag"
run 3 "$HEDDLE" run --strategy random -n 1 --seed 3 --hang 2s -- ./flag
has out 'unknown: uncontrolled block: a thread ran where control'

# Its constructor counts processors, and must not see the only one of a run.
build openmp "$programs/control_openmp.c" -fopenmp
run 3 "$HEDDLE" run --strategy random -n 5 -- ./openmp
has out "OpenMP's threads cannot be controlled; observe works"
run 3 "$HEDDLE" explore -- ./openmp
hasnt out "complete: "
has out "runs were not controlled to their end"
run 0 "$HEDDLE" run --observe -- ./openmp

# A thread that a constructor starts is under control from its beginning, and
# the program is started once.
run 0 "$HEDDLE" run --strategy random -n 50 -- ./constructor
hasnt err 'each run is started afresh'
hasnt out 'note:'
hasnt out '(1 distinct)'

# So is one that a library starts, which nobody rebuilt, before anybody else's
# constructors.
cat > library.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked, answer;
static void *serve(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!asked)
		pthread_cond_wait(&changed, &lock);
	answer = asked;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}
__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, serve, 0);
	pthread_detach(thread);
}
int ask(int n)
{
	pthread_mutex_lock(&lock);
	asked = n;
	pthread_cond_broadcast(&changed);
	while (!answer)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return answer;
}
END
echo 'int ask(int n); int main(void) { return ask(7) != 7; }' > asks.c
gcc -shared -fPIC -pthread library.c -o libbegins.so &&
	gcc asks.c -L. -lbegins -Wl,-rpath,"$PWD" -o asks ||
	fail "cannot build a library"
run 0 "$HEDDLE" run --observe -- ./asks
run 0 "$HEDDLE" run --strategy random -n 50 --hang 2s -- ./asks
hasnt err 'each run is started afresh'
hasnt out 'note:'

# Unless nobody saw it begin: then it waits already when control begins.
sed -e '1i #include <dlfcn.h>' -e 's/pthread_create(&thread/((int (*)(pthread_t \
	*, void *, void *(*)(void *), void *))dlsym(dlopen("libc.so.6", \
	RTLD_NOW), "pthread_create"))(\&thread/' library.c > unseen.c
gcc -shared -fPIC -pthread unseen.c -o libbegins.so ||
	fail "cannot build a library"
timeout 60 "$HEDDLE" run --strategy random -n 5 --hang 300ms -- ./asks \
	> out 2> err
[[ $? -eq 0 || $? -eq 3 ]] || fail "no bug of the program: $(cat out)"
hasnt out 'broken'
has err 'each run is started afresh'
has out 'note: threads were running before main'

printf 'one\ntwo\n' > words
run 0 "$HEDDLE" run --strategy random -n 50 -- ./input < words
finish
