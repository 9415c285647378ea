/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run; appends the same number to the file that the
 * argument names, in every run.
 *
 * Random numbers, ids of processes and threads, processors, names of temporary
 * files and the state of the machine under control.
 */
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sched.h>
#include <string>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static uint64_t sum;
static volatile sig_atomic_t caught;

static void add(uint64_t word)
{
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

static void draw()
{
	uint64_t words[40] = {};

	assert(getrandom(words, sizeof(words), 0) == sizeof(words));
	assert(words[0] && words[0] != words[1]);
	add(words[3]);
	assert(getentropy(words, 256) == 0);
	add(words[2]);
	errno = 0;
	assert(getentropy(words, 257) == -1 && errno == EIO);
	assert(syscall(SYS_getrandom, words, 8, 0) == 8);
	add(words[0]);
}

static void draw_from_devices()
{
	uint64_t word = 0;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	FILE *stream = fopen("/dev/random", "r");

	assert(fd >= 0 && read(fd, &word, sizeof(word)) == sizeof(word));
	add(word);
	assert(stream && fread(&word, sizeof(word), 1, stream) == 1);
	add(word);
	fclose(stream);
	close(fd);
	add(std::random_device{}());
	std::srand((unsigned)std::time(nullptr));
	add((uint64_t)std::rand());
	add(*(uint64_t *)getauxval(AT_RANDOM));
}

static void handle(int)
{
	caught = caught + 1;
}

static void ids()
{
	pid_t me = getpid(), parent = getppid();
	int status;
	pid_t child;

	add((uint64_t)me << 32 | (uint64_t)parent);
	assert(me == getpid() && me == gettid() && me != parent);
	assert(syscall(SYS_getpid) == me && syscall(SYS_gettid) == me);
	assert(getpgid(me) == getpgrp() && getsid(me) == getsid(0));
	std::signal(SIGUSR1, handle);
	assert(kill(me, SIGUSR1) == 0 && caught == 1);
	assert(syscall(SYS_tgkill, me, me, SIGUSR1) == 0 && caught == 2);
	child = fork();
	if (!child)
		_exit(getppid() == me && getpid() != me &&
				      kill(getppid(), 0) == 0 ?
			      42 :
			      1);
	assert(waitpid(child, &status, 0) == child);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

static void processors()
{
	cpu_set_t set;

	assert(sched_getaffinity(0, sizeof(set), &set) == 0);
	assert(CPU_COUNT(&set) == get_nprocs());
	assert(get_nprocs() == sysconf(_SC_NPROCESSORS_ONLN));
	assert((int)std::thread::hardware_concurrency() == get_nprocs());
	assert(sched_getaffinity(getpid(), sizeof(set), &set) == 0);
	assert(sched_setaffinity(0, sizeof(set), &set) == 0);
	assert(sched_getcpu() == 0);
	add((uint64_t)get_nprocs());
}

static void add_text(const std::string &text)
{
	for (char c : text)
		add((uint64_t)c);
}

/* Runs beside this one have directories of their own. */
static void names()
{
	char home[] = "./chance-XXXXXX", bad[] = "XXXXX";
	std::string first, second, third;
	int fd;

	assert(mkdtemp(home));
	first = second = third = std::string(home) + "/name-XXXXXX";
	third += ".c";
	fd = mkstemp(&first[0]);
	assert(fd >= 0 && write(fd, "text", 4) == 4 && lseek(fd, 0, 0) == 0);
	close(fd);
	fd = mkostemp(&second[0], O_CLOEXEC);
	assert(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	close(fd);
	close(mkstemps(&third[0], 2));
	assert(first != second && third != second + ".c");
	for (const std::string &name : { first, second, third }) {
		assert(unlink(name.c_str()) == 0);
		add_text(name.substr(strlen(home)));
	}
	assert(rmdir(home) == 0);
	errno = 0;
	assert(mkstemp(bad) == -1 && errno == EINVAL);
	strcpy(home, "/nowhere/XXXXXX");
	assert(!mkdtemp(home) && errno == ENOENT);
}

static void machine()
{
	std::string path = "/proc/" + std::to_string(getpid()) + "/task/" +
			   std::to_string(gettid()) + "/comm";
	struct sysinfo info;
	double loads[3];
	FILE *stream;
	int fd;

	assert(sysinfo(&info) == 0 && getloadavg(loads, 3) == 3);
	add((uint64_t)info.uptime << 32 | info.freeram);
	add((uint64_t)info.procs << 32 | info.loads[0]);
	add((uint64_t)(loads[0] * 100));
	add((uint64_t)sysconf(_SC_AVPHYS_PAGES));
	fd = open(path.c_str(), O_RDONLY);
	stream = fopen(path.c_str(), "r");
	assert(fd >= 0 && stream);
	close(fd);
	fclose(stream);
}

int main(int argc, char **argv)
{
	pid_t other = 0;

	draw();
	draw_from_devices();
	ids();
	processors();
	names();
	machine();
	std::thread t([&] {
		other = gettid();
		add((uint64_t)std::rand());
	});
	t.join();
	assert(other != getpid() && other != 0);
	add((uint64_t)other);
	if (argc > 1) {
		FILE *out = fopen(argv[1], "a");

		std::fprintf(out, "%016llx\n", (unsigned long long)sum);
		std::fclose(out);
	}
	return 0;
}
