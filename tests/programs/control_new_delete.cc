// SPDX-License-Identifier: Apache-2.0
//
// expect: invalid free, of a block that was made in one way and is freed in
// another, as the argument says; without one all forms are used as they should
// be. With OWN_NEW (1: operator new, 2: new and delete) the program brings
// operators of its own, and may do as it likes.

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef OWN_NEW
void *operator new(std::size_t size)
{
	return std::malloc(size);
}
#if OWN_NEW > 1
void operator delete(void *p) noexcept
{
	std::free(p);
}
#endif
#endif

struct alignas(128) wide {
	char bytes[128];
};

static void *volatile any;

static void forms()
{
	wide *w = new wide, *ws = new wide[3];
	int *none = new (std::nothrow) int[4];

	delete w;
	delete[] ws;
	delete[] none;
	delete new (std::nothrow) int;
	::operator delete(::operator new(10), std::size_t(10));
	::operator delete[](::operator new[](10));
	::operator delete(::operator new(10, std::nothrow), std::nothrow);
	::operator delete(::operator new(300, std::align_val_t(256)),
			  std::size_t(300), std::align_val_t(256));
	any = std::malloc(10);
	any = std::realloc(any, 10000);
	std::free(any);
	any = strdup("copied");
	std::free(any);
	/* Of the sort that lies alone. */
	delete[] new char[1 << 20];
}

static void library()
{
	std::map<std::string, std::vector<std::string>> words;
	std::ostringstream out;
	std::function<void()> act = [&] { out << words.size() << 1.5; };

	for (int i = 0; i < 100; i++)
		words[std::to_string(i * 1000000000000)].resize(i, "a word");
	try {
		throw std::runtime_error(out.str() + "an error with a text");
	} catch (const std::exception &e) {
		out << e.what();
	}
	std::thread([&] { act(); }).join();
	std::shared_ptr<wide> shared = std::make_shared<wide>();
	std::unique_ptr<char[]> text(new char[100]);
}

static void mismatch(const std::string &how)
{
	if (how == "new-free")
		std::free(any = new int);
	else if (how == "new-realloc")
		any = std::realloc(any = new int, 100);
	else if (how == "array-free")
		std::free(any = new int[3]);
	else if (how == "array-delete")
		delete (char *)(any = new char[12]);
	else if (how == "new-array")
		delete[](char *)(any = new char);
	else if (how == "malloc-delete")
		delete (int *)(any = std::malloc(12));
	else if (how == "malloc-array")
		delete[](int *)(any = std::malloc(12));
	else if (how == "large")
		std::free(any = new char[1 << 20]);
	else
		std::exit(9);
}

int main(int argc, char **argv)
{
	forms();
	library();
	if (argc > 1)
		mismatch(argv[1]);
	return 0;
}
