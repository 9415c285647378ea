#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The report of a race and of a lock cycle, word for word. A pipe, of which
# heddle knows nothing, makes the order the same in every run. Which access came
# first heddle knows by time stamps alone, and in one of fifty runs or so those of
# two processors are too close to tell; then it is run again.

. "$(dirname "$0")/lib.sh"

cat > desk.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account first, *second;
static long log_length;
static int turn[2];

static void move(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance--;
	to->balance++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused)
{
	char c = 0;

	move(&first, second);
	log_length++;
	return write(turn[1], &c, 1) == 1 ? unused : NULL;
}

static void *back(void *unused)
{
	char c;

	if (read(turn[0], &c, 1) != 1)
		return NULL;
	log_length++;
	move(second, &first);
	return unused;
}

int main(void)
{
	pthread_t clerk[2];

	if (pipe(turn) < 0)
		return 1;
	second = calloc(1, sizeof(*second));
	pthread_mutex_init(&first.lock, NULL);
	pthread_mutex_init(&second->lock, NULL);
	pthread_create(&clerk[0], NULL, there, NULL);
	pthread_create(&clerk[1], NULL, back, NULL);
	pthread_join(clerk[0], NULL);
	pthread_join(clerk[1], NULL);
	free(second);
	return 0;
}
END
build desk desk.c
for _ in 1 2 3 4; do
	run 1 "$HEDDLE" run --observe --fail-on any -- ./desk
	is_like out "$SOURCE/tests/e2e/run_reports.expect" && break
	rm -rf .heddle
done
matches out "$SOURCE/tests/e2e/run_reports.expect"

# And calmed, by each way of naming.
for line in 'race: variable=global log_length' 'race: function=back' \
	'race: file=desk.c'; do
	{
		echo "$line"
		echo 'deadlock: function=move'
	} > calm
	run 0 "$HEDDLE" show -s calm
	hasnt out 'race on'
	hasnt out 'lock cycle:'
done
finish
