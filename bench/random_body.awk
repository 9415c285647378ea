# SPDX-License-Identifier: Apache-2.0
#
# awk -v seed=N -f random_body.awk: a small program that nobody wrote, in C. Its
# threads read and write three variables, every access at a place of its own:
# bare, in critical sections, depending on what they read, twice in a loop, by
# atomic operations, before and behind what orders (a semaphore, a flag with its
# condition, a barrier). It cannot fail, cannot deadlock, and ends.

# Park and Miller's: the same in every awk.
function chance(n) {
	state = state * 16807 % 2147483647
	return int(state / 64) % n
}

function variable() { return substr("xyz", 1 + chance(3), 1) }

# Something that waits for nobody.
function plain(    what, v) {
	what = chance(7)
	v = variable()
	if (what == 0) return "seen += " v ";"
	if (what == 1) return v " = " chance(3) ";"
	if (what == 2) return v " = " v " + 1;"
	if (what == 3) return "if (" v " == " chance(2) ") " variable() " = 7;"
	if (what == 4) return v " = seen;"
	if (what == 5) return "seen += " v "; " v " = " chance(5) ";"
	return "atomic_fetch_add(&sum, seen + 1);"
}

function locked(    text, name, i, n) {
	name = chance(2) ? "one" : "two"
	n = 1 + chance(3)
	text = "pthread_mutex_lock(&" name ");"
	for (i = 0; i < n; i++)
		text = text "\n\t" plain()
	return text "\n\tpthread_mutex_unlock(&" name ");"
}

# Who waits is never the first thread, who never waits for anybody but the
# barrier, which all come to once or nobody.
function ordering(thread, which) {
	if (which == 0)
		return thread == 0 ? "flag_raise();" : "flag_await();"
	if (which == 1)
		return thread == 0 ? "for (int i = 0; i < 2; i++)\n\t\tsem_post(&tokens);" : \
			"sem_wait(&tokens);"
	return "pthread_barrier_wait(&meeting);"
}

function body(thread, order,    i, n, at, what) {
	print "static void *run_" thread "(void *arg)\n{\n\tint seen = 0;\n"
	n = 2 + chance(2)
	at = chance(n)
	for (i = 0; i < n; i++) {
		if (order < 3 && i == at)
			print "\t" ordering(thread, order)
		what = chance(6)
		if (what < 3)
			print "\t" plain()
		else if (what < 5)
			print "\t" locked()
		else
			print "\tfor (int i = 0; i < 2; i++) {\n\t\t" plain() "\n\t}"
	}
	print "\tatomic_fetch_add(&kept, seen);\n\treturn arg;\n}\n"
}

BEGIN {
	state = seed * 7919 + 1
	for (i = 0; i < 8; i++)
		chance(2)
	threads = 2 + (chance(4) == 0)
	order = chance(6)
	print "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n"
	print "static volatile int x, y, z, flag;\nstatic atomic_int sum, kept;"
	print "static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;"
	print "static pthread_mutex_t two = PTHREAD_MUTEX_INITIALIZER;"
	print "static pthread_mutex_t flag_lock = PTHREAD_MUTEX_INITIALIZER;"
	print "static pthread_cond_t flag_up = PTHREAD_COND_INITIALIZER;"
	print "static pthread_barrier_t meeting;\nstatic sem_t tokens;\n"
	print "static inline void flag_raise(void)\n{"
	print "\tpthread_mutex_lock(&flag_lock);\n\tflag = 1;"
	print "\tpthread_cond_broadcast(&flag_up);"
	print "\tpthread_mutex_unlock(&flag_lock);\n}\n"
	print "static inline void flag_await(void)\n{"
	print "\tpthread_mutex_lock(&flag_lock);\n\twhile (!flag)"
	print "\t\tpthread_cond_wait(&flag_up, &flag_lock);"
	print "\tpthread_mutex_unlock(&flag_lock);\n}\n"
	for (t = 0; t < threads; t++)
		body(t, order)
	print "int main(void)\n{\n\tpthread_t ids[" threads "];"
	print "\tvoid *(*const runs[])(void *) = {"
	for (t = 0; t < threads; t++)
		print "\t\trun_" t ","
	print "\t};\n\n\tpthread_barrier_init(&meeting, 0, " threads ");"
	print "\tsem_init(&tokens, 0, 0);"
	print "\tfor (int i = 0; i < " threads "; i++)"
	print "\t\tpthread_create(&ids[i], 0, runs[i], 0);"
	print "\tfor (int i = 0; i < " threads "; i++)"
	print "\t\tpthread_join(ids[i], 0);"
	print "\treturn (x + y + z + sum + kept) == 123456;\n}"
}
