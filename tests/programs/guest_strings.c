/* SPDX-License-Identifier: Apache-2.0 */
/* The memory and string functions give what they give without the guest. */
#include "guest_check.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

static char *volatile text = "the quick brown fox";
static char room[64];

static void lengths_and_copies(void)
{
	CHECK(strlen(text) == 19 && strnlen(text, 5) == 5);
	CHECK(strnlen(text, 50) == 19);
	CHECK(strcpy(room, text) == room && strcmp(room, text) == 0);
	CHECK(stpcpy(room, "abc") == room + 3);
	memset(room, 'x', sizeof(room));
	CHECK(strncpy(room, "abc", 6) == room);
	CHECK(memcmp(room, "abc\0\0\0x", 7) == 0);
	CHECK(stpncpy(room, "abcdef", 3) == room + 3 && room[3] == 0);
	strcpy(room, "ab");
	CHECK(strcat(room, "cd") == room && strcmp(room, "abcd") == 0);
	CHECK(strncat(room, "efgh", 2) == room);
	CHECK(strcmp(room, "abcdef") == 0);
	CHECK(memcpy(room + 20, room, 7) == room + 20);
	CHECK(memmove(room + 1, room, 7) == room + 1);
	CHECK(strcmp(room, "aabcdef") == 0);
	CHECK(mempcpy(room, "123", 3) == room + 3 && room[3] == 'c');
	CHECK(memccpy(room, "1234", '3', 4) == room + 3);
	CHECK(!memccpy(room, "1234", '9', 4));
	bcopy("xyz", room, 4);
	CHECK(strcmp(room, "xyz") == 0);
	bzero(room, 2);
	CHECK(!room[0] && !room[1] && room[2] == 'z');
	explicit_bzero(room, 3);
	CHECK(!room[2]);
	swab("abcd", room, 4);
	CHECK(memcmp(room, "badc", 4) == 0);
}

static void comparisons(void)
{
	CHECK(strcmp("a", "b") < 0 && strcmp("b", "a") > 0);
	CHECK(strcmp("", "") == 0 && strcmp("ab", "a") > 0);
	CHECK(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
	CHECK(strcasecmp("HeLLo", "hEllO") == 0 && strcasecmp("a", "B") < 0);
	CHECK(strncasecmp("ABx", "aby", 2) == 0);
	CHECK(strcoll("a", "a") == 0);
	CHECK(memcmp("abc", "abd", 3) < 0 && memcmp("abc", "abd", 2) == 0);
	CHECK(memcmp("a", "b", 0) == 0 && bcmp("a\0b", "a\0c", 3) != 0);
}

static void searches(void)
{
	char *t = text;

	CHECK(strchr(t, 'q') == t + 4 && !strchr(t, 'z'));
	CHECK(strchr(t, 0) == t + 19 && strchrnul(t, 'z') == t + 19);
	CHECK(strrchr(t, 'o') == t + 17 && !strrchr(t, 'z'));
	CHECK(index(t, 'q') == t + 4 && rindex(t, 'o') == t + 17);
	CHECK(strstr(t, "brown") == t + 10 && !strstr(t, "green"));
	CHECK(strcasestr(t, "BROWN") == t + 10 && strstr(t, "") == t);
	CHECK(strpbrk(t, "xq") == t + 4 && !strpbrk(t, "ZY"));
	CHECK(strspn(t, "eht") == 3 && strcspn(t, " ") == 3);
	CHECK(memchr(t, 'q', 19) == t + 4 && !memchr(t, 'q', 4));
	CHECK(memrchr(t, 'o', 19) == t + 17 && !memrchr(t, 'q', 4));
	CHECK(rawmemchr(t, 'k') == t + 8);
	CHECK(memmem(t, 19, "fox", 3) == t + 16 && !memmem(t, 18, "fox", 3));
}

static void cuts(void)
{
	char *next = room, *state;

	strcpy(room, "a,b;;c");
	CHECK(strcmp(strtok(room, ",;"), "a") == 0);
	CHECK(strcmp(strtok(NULL, ",;"), "b") == 0);
	CHECK(strcmp(strtok(NULL, ",;"), "c") == 0);
	CHECK(!strtok(NULL, ",;") && !strtok(NULL, ",;"));
	strcpy(room, "  x y ");
	CHECK(strcmp(strtok_r(room, " ", &state), "x") == 0);
	CHECK(strcmp(strtok_r(NULL, " ", &state), "y") == 0);
	CHECK(!strtok_r(NULL, " ", &state));
	strcpy(room, "k=v==");
	CHECK(strcmp(strsep(&next, "="), "k") == 0);
	CHECK(strcmp(strsep(&next, "="), "v") == 0);
	CHECK(strcmp(strsep(&next, "="), "") == 0);
	CHECK(strcmp(strsep(&next, "="), "") == 0 && !next);
	CHECK(!strsep(&next, "="));
}

static void duplicates(void)
{
	char *whole = strdup(text), *part = strndup(text, 3);
	char *all = strndup(text, 100);

	CHECK(strcmp(whole, text) == 0 && strcmp(part, "the") == 0);
	CHECK(strcmp(all, text) == 0);
	free(whole);
	free(part);
	free(all);
}

static void prints(void)
{
	CHECK(sprintf(room, "%d-%s", 12, "ab") == 5);
	CHECK(strcmp(room, "12-ab") == 0);
	CHECK(snprintf(room, 4, "%s", text) == 19 && strcmp(room, "the") == 0);
	CHECK(snprintf(NULL, 0, "%s %f", text, 1.5) == 28);
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		lengths_and_copies();
		comparisons();
		searches();
		cuts();
		duplicates();
		prints();
	}
	return passed();
}
