/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that the program starts, in every way there is, while another
 * thread works: they run free and are waited for. A child uses the heap, and
 * one is left behind.
 *
 * expect: held; the report says that there were other processes
 */
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void in_child(char *inherited)
{
	char *own = malloc(100);

	free(inherited);
	strcpy(own, "child");
	own = realloc(own, 5000);
	free(own);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void by_fork(void)
{
	char *block = malloc(64);
	int status;
	pid_t child;

	/* Nobody is inside: the child could not lock it otherwise. */
	pthread_mutex_lock(&mutex);
	child = fork();
	if (child == 0) {
		pthread_mutex_unlock(&mutex);
		in_child(block);
		_exit(3);
	}
	pthread_mutex_unlock(&mutex);
	assert(waitpid(child, &status, 0) == child);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	free(block);
}

static void by_vfork(void)
{
	pid_t child = vfork();
	int status;

	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	while (waitpid(child, &status, WNOHANG) == 0)
		usleep(1000);
	assert(status == 0);
}

static void by_spawn(void)
{
	char *const argv[] = { "true", NULL };
	siginfo_t info;
	pid_t child;

	assert(posix_spawn(&child, "/bin/true", NULL, NULL, argv, NULL) == 0);
	assert(waitid(P_PID, (id_t)child, &info, WEXITED) == 0);
	assert(info.si_status == 0);
}

static void by_popen(void)
{
	FILE *pipe = popen("echo hello", "r");
	char line[16] = "";

	assert(pipe && fgets(line, sizeof(line), pipe));
	assert(strcmp(line, "hello\n") == 0);
	assert(pclose(pipe) == 0);
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	by_fork();
	by_vfork();
	by_spawn();
	by_popen();
	assert(WEXITSTATUS(system("exit 4")) == 4);
	if (fork() == 0)
		_exit(0); /* nobody waits for this one */
	pthread_join(thread, NULL);
	assert(count == 5);
	return 0;
}
