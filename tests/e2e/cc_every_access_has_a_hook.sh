#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Whatever the optimisation, an access that is made is announced by a hook, or
# made inside a function that the guest wraps. Each function below makes some
# accesses through its arguments; the table says which calls must be found in
# its code. All is done plain, fortified, with LTO, and for a processor with
# long vectors.

set -eu
HEDDLE=${HEDDLE:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

fail() {
	echo "$HEDDLE_CC: $*"
	failed=1
}

cat > accesses.c << 'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
struct large { char bytes[200]; };
struct pair { long a, b; };
struct packed { unsigned a : 20, b : 12; };
void f_increment(int *a) { (*a)++; }
void f_volatile(volatile int *a) { (*a)++; }
void f_bits(struct packed *a) { a->b++; }
void f_large(struct large *a, struct large *b) { *a = *b; }
void f_pair(struct pair *a, struct pair *b) { *a = *b; }
void f_zero(struct large *a) { *a = (struct large){ { 0 } }; }
void f_atomic(int *a) { __atomic_fetch_add(a, 1, __ATOMIC_RELAXED); }
void f_sync(long *a) { __sync_bool_compare_and_swap(a, 1, 2); }
void f_loop_copy(char *restrict a, char *restrict b, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = b[i];
}
void f_loop_clear(char *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = 0;
}
void f_loop_add(int *restrict a, int *restrict b, int n)
{
	for (int i = 0; i < n; i++)
		a[i] += b[i];
}
void f_loop_gaps(int *restrict a, int *restrict b, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = b[2 * i] + b[2 * i + 1];
}
void f_loop_if(int *restrict a, int *restrict b, int n)
{
	for (int i = 0; i < n; i++)
		if (b[i])
			a[i] = 1;
}
void f_memcpy(char *a, char *b) { memcpy(a, b, 8); }
void f_memcpy_text(char *a) { memcpy(a, "hello wo", 9); }
void f_memmove(char *a, char *b) { memmove(a, b, 9); }
void *f_mempcpy(char *a, char *b) { return mempcpy(a, b, 9); }
void f_memset(char *a) { memset(a, 0, 16); }
void f_memset_large(char *a) { memset(a, 0, 200); }
void f_bzero(char *a) { bzero(a, 9); }
void f_bcopy(char *a, char *b) { bcopy(a, b, 9); }
int f_memcmp(char *a, char *b) { return memcmp(a, b, 8) == 0; }
int f_memcmp_order(char *a, char *b) { return memcmp(a, b, 3); }
int f_bcmp(char *a, char *b) { return bcmp(a, b, 8); }
void *f_memchr(char *a) { return memchr(a, 'x', 8); }
void f_strcpy(char *a) { strcpy(a, "hello"); }
void f_strncpy(char *a) { strncpy(a, "hello", 6); }
char *f_stpcpy(char *a) { return stpcpy(a, "hello"); }
char *f_stpncpy(char *a) { return stpncpy(a, "hello", 6); }
void f_strcat(char *a) { strcat(a, "hello"); }
void f_strncat(char *a) { strncat(a, "hello", 6); }
size_t f_strlen(char *a) { return strlen(a); }
int f_strlen_zero(char *a) { return strlen(a) == 0; }
size_t f_strnlen(char *a) { return strnlen(a, 4); }
int f_strcmp(char *a) { return strcmp(a, "a"); }
int f_strcmp_equal(char *a) { return strcmp(a, "abc") == 0; }
int f_strcmp_empty(char *a) { return strcmp(a, "") == 0; }
int f_strncmp(char *a) { return strncmp(a, "ab", 2); }
char *f_strchr(char *a) { return strchr(a, 'x'); }
char *f_strchr_end(char *a) { return strchr(a, 0); }
char *f_strrchr(char *a) { return strrchr(a, 'x'); }
char *f_strstr(char *a) { return strstr(a, "ab"); }
char *f_strdup(char *a) { return strdup(a); }
int f_sprintf(char *a) { return sprintf(a, "hello"); }
int f_sprintf_copy(char *a, char *b) { return sprintf(a, "%s", b); }
int f_snprintf(char *a) { return snprintf(a, 10, "hello"); }
void f_b_memcpy(char *a) { __builtin_memcpy(a, "hello wo", 9); }
void f_b_memset(char *a) { __builtin_memset(a, 0, 16); }
int f_b_memcmp(char *a, char *b) { return __builtin_memcmp(a, b, 8) == 0; }
void f_b_strcpy(char *a) { __builtin_strcpy(a, "hello"); }
int f_b_strcmp(char *a) { return __builtin_strcmp(a, "ab"); }
void f_b_sprintf(char *a) { __builtin_sprintf(a, "hello"); }
END

# Function, then for each access a pattern of calls, one of which announces it.
cat > table << 'END'
f_increment	read4 write4
f_volatile	read4 write4
f_bits		read write
f_large		read_range|memcpy write_range|memcpy
f_pair		read16|read8|memcpy write16|write8|memcpy
f_zero		write_range|memset
f_atomic	atomic32_fetch_add
f_sync		atomic64_compare_exchange
f_loop_copy	read1|memcpy write1|memcpy
f_loop_clear	write1|memset
f_loop_add	read4 write4
f_loop_gaps	read4 write4
f_loop_if	read4 write4
f_memcpy	memcpy|read8 memcpy|write8
f_memcpy_text	memcpy
f_memmove	memmove
f_mempcpy	mempcpy|memcpy
f_memset	memset
f_memset_large	memset
f_bzero		bzero|memset
f_bcopy		bcopy|memmove
f_memcmp	memcmp|bcmp
f_memcmp_order	memcmp
f_bcmp		memcmp|bcmp
f_memchr	memchr
f_strcpy	strcpy|memcpy
f_strncpy	strncpy|memcpy
f_stpcpy	stpcpy|memcpy
f_stpncpy	stpncpy|memcpy
f_strcat	strcat|strlen strcat|memcpy
f_strncat	strncat|strlen strncat|memcpy
f_strlen	strlen
f_strlen_zero	strlen|read1
f_strnlen	strnlen
f_strcmp	strcmp
f_strcmp_equal	strcmp
f_strcmp_empty	strcmp|read1
f_strncmp	strncmp
f_strchr	strchr
f_strchr_end	strchr|strlen
f_strrchr	strrchr
f_strstr	strstr
f_strdup	strdup
f_sprintf	sprintf|memcpy|strcpy
f_sprintf_copy	sprintf|strcpy|stpcpy
f_snprintf	snprintf|memcpy
f_b_memcpy	memcpy
f_b_memset	memset
f_b_memcmp	memcmp|bcmp
f_b_strcpy	strcpy|memcpy
f_b_strcmp	strcmp
f_b_sprintf	sprintf|memcpy|strcpy
END

# Prints "function: calls" for a shared object. A function whose address is
# taken is called right behind: see compiler_extra.c.
calls_of() {
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*>:$/ { f = $2; gsub(/[<>:]/, "", f) }
		f ~ /^f_/ && /(call|jmp|lea) .*@plt>/ {
			s = $NF
			gsub(/[<>]|@plt/, "", s)
			calls[f] = calls[f] " " s
		}
		END { for (f in calls) print f ":" calls[f] }'
}

# Every function of libc that is called instead of a hook is one of the guest's.
check_wrapped() {
	nm -D --undefined-only accesses.so | awk '{ sub(/@.*/, "", $2); print $2 }' |
		grep -vE '^_ITM_|^__gmon_start__|^__cxa_finalize' |
		sort > called
	nm -D --defined-only "$(dirname "$HEDDLE")/libheddle.so" |
		awk '{ sub(/@.*/, "", $3); print $3 }' | sort > wrapped
	[[ $(wc -l < called) -gt 20 ]] || fail "$*: hardly any calls"
	[[ -z $(comm -23 called wrapped) ]] ||
		fail "$*: the guest lacks $(comm -23 called wrapped | xargs)"
}

# Compiles with the options given and compares with the table. No loop may
# work on vectors: in those with gaps or conditions some accesses have no hook,
# though the loop for what is left over has all.
check() {
	local calls name patterns pattern found

	"$HEDDLE" cc -w -fPIC -shared -fno-inline "$@" accesses.c -o accesses.so ||
		{ fail "cannot compile with $*"; return; }
	calls=$(calls_of accesses.so)
	while read -r name patterns; do
		found=$(sed -n "s/^$name://p" <<< "$calls")
		for pattern in $patterns; do
			grep -qE "$pattern" <<< "$found" ||
				fail "$*: $name: no $pattern in:$found"
		done
	done < table
	check_wrapped "$@"
	! objdump -d accesses.so | sed -n '/<f_loop.*>:$/,/^$/p' |
		grep -m1 -E 'mm[0-9]' || fail "$*: a loop works on vectors"
}

for HEDDLE_CC in gcc clang-14 clang-19; do
	export HEDDLE_CC
	command -v "$HEDDLE_CC" > /dev/null || { fail "not installed"; continue; }
	for level in -O0 -O1 -O2 -O3 -Os; do
		check $level
	done
	check -O2 -D_FORTIFY_SOURCE=2
	check -O3 -march=x86-64-v3
	check -O2 -flto
	check -O3 -flto -D_FORTIFY_SOURCE=2
	case $HEDDLE_CC in
	gcc) check -O2 -minline-all-stringops ;;
	*) check -O2 -flto=thin -fuse-ld=lld ;;
	esac
done
exit $failed
