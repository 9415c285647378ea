#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# real.sh [--quick]: runs what build_real.sh built, and checks what it
# does: alone (native, with idle hooks, with those of clang), observed, and
# under gcc's thread sanitizer. Prints a table in Markdown, and below it each
# race and lock cycle that was observed. The reports are in bench/results/real,
# the rows in bench/results/real.json, an object each.
# The status is 1 if a program did not do what it should.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
built=$here/cache/build
results=$here/results/real
scratch=$(mktemp -d)
megabytes=30
[[ ${1:-} != --quick ]] || megabytes=5
seed=1
limit=300
failed=0
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$results"
rm -f "$results"/*
: > "$results.json"

# ---- the ways to run ----

# Sets words, those to be put before a command: way, name of the report.
choose() {
	words=()
	case $1 in
	observed) words=("$HEDDLE" run --observe --store "$scratch/store"
		--keep 1 --fail-on none --colour never
		-o "$results/$2.txt" --) ;;
	tsan) words=(env "TSAN_OPTIONS=exitcode=0:log_path=$results/tsan-$2") ;;
	esac
}

tree_of() {
	case $1 in
	observed | idle) echo "$built/heddle" ;;
	*) echo "$built/$1" ;;
	esac
}

number() {
	sed -n "s/^  $2  *\([0-9]*\).*/\1/p" "$1" | head -n 1
}

# What was found: way, name.
findings() {
	local report=$results/$2.txt

	case $1 in
	observed)
		sed -n 's/.*; \([0-9]* races\{0,1\}, [0-9]* lock cycles\{0,1\}\).*/\1/p' \
			"$report" | tail -n 1
		;;
	tsan)
		echo "$(cat "$results/tsan-$2".* 2>/dev/null |
			grep -c 'WARNING: ThreadSanitizer: data race') reports"
		;;
	*) echo "" ;;
	esac
}

# One row: program, way, "right" or what is wrong, milliseconds.
row() {
	local events=

	[[ $2 != observed ]] || events=$(number "$results/$1.txt" events)
	[[ $3 == right ]] || failed=1
	jq -cn --arg name "$1" --arg way "$2" --arg does "$3" --argjson ms "$4" \
		--arg events "$events" --arg found "$(findings "$2" "$1")" \
		'{ $name, $way, $does, $ms, events: ($events | tonumber? //
		null), $found }' >> "$results.json"
	printf '| %s | %s | %s | %d.%02d | %s | %s |\n' "$1" "$2" "$3" \
		$(($4 / 1000)) $(($4 % 1000 / 10)) "$events" \
		"$(findings "$2" "$1")"
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# ---- pbzip2 ----

compress() {
	choose "$1" pbzip2
	timeout $limit "${words[@]}" "$(tree_of "$1")/pbzip2/pbzip2" -p2 -k -c \
		"$scratch/data" > "$scratch/data.bz2" 2> "$scratch/err"
}

decompress() {
	choose "$1" pbzip2-d
	timeout $limit "${words[@]}" "$(tree_of "$1")/pbzip2/pbzip2" -p2 -d -c \
		"$scratch/data.bz2" 2>> "$scratch/err" | cmp -s - "$scratch/data"
}

run_pbzip2() {
	local began=0 verdict=right

	began=$(now_ms)
	compress "$1" || verdict="compress: status $?"
	row pbzip2 "$1" "$verdict" $(($(now_ms) - began))
	bzip2 -dc "$scratch/data.bz2" | cmp -s - "$scratch/data" ||
		verdict='bzip2 does not understand it'
	began=$(now_ms)
	decompress "$1" || verdict='decompress: other data'
	row pbzip2-d "$1" "$verdict" $(($(now_ms) - began))
}

# ---- memcached ----

# Sends the file $2 to port $1 and prints what comes back.
talk() {
	local reader

	exec 3<> "/dev/tcp/127.0.0.1/$1" || return 1
	cat <&3 &
	reader=$!
	cat "$2" >&3
	wait "$reader"
	exec 3>&-
}

# What client $1 says $2 times, and what the answers have to be. Counters are
# raised by all, so of them only the last value of all is known.
script() {
	local i

	for ((i = 0; i < $2; i++)); do
		printf 'set %s%d 7 0 %d\r\n%s%d\r\n' "$1" "$i" \
			$((${#1} + ${#i})) "$1" "$i"
		printf 'get %s%d\r\nget all\r\nincr count 1 noreply\r\n' "$1" "$i"
	done
	printf 'quit\r\n'
}

answers() {
	local i

	for ((i = 0; i < $2; i++)); do
		printf 'STORED\r\nVALUE %s%d 7 %d\r\n%s%d\r\nEND\r\n' "$1" "$i" \
			$((${#1} + ${#i})) "$1" "$i"
		printf 'VALUE all 0 5\r\nhello\r\nEND\r\n'
	done
}

session() {
	local port=$1 client clients=() times=500

	printf 'set all 0 0 5\r\nhello\r\nset count 0 0 1\r\n0\r\nquit\r\n' \
		> "$scratch/first"
	talk "$port" "$scratch/first" > "$scratch/first.got" || return 1
	for client in a b c d; do
		script $client $times > "$scratch/$client"
		answers $client $times > "$scratch/$client.want"
		talk "$port" "$scratch/$client" > "$scratch/$client.got" &
		clients+=($!)
	done
	wait "${clients[@]}"
	for client in a b c d; do
		cmp -s "$scratch/$client.got" "$scratch/$client.want" || return 1
	done
	printf 'get count\r\nquit\r\n' > "$scratch/last"
	talk "$port" "$scratch/last" | grep -q "^$((4 * times))"
}

run_memcached() {
	local port='' server began verdict=right i status

	choose "$1" memcached
	rm -f "$scratch/port" "$scratch/pid"
	began=$(now_ms)
	MEMCACHED_PORT_FILENAME=$scratch/port timeout -s KILL $limit \
		"${words[@]}" "$(tree_of "$1")/memcached/memcached" \
		-u root -l 127.0.0.1 -p -1 -U 0 -t 2 -P "$scratch/pid" \
		2> "$scratch/err" &
	server=$!
	for ((i = 0; i < 600; i++)); do
		[[ ! -s $scratch/port || ! -s $scratch/pid ]] || break
		kill -0 $server 2>/dev/null || break
		sleep 0.05
	done
	port=$(sed -n 's/^TCP INET: //p' "$scratch/port" 2>/dev/null)
	export -f session talk script answers
	scratch=$scratch timeout 120 bash -c 'session "$1"' - "${port:-0}" ||
		verdict='other answers'
	[[ ! -s $scratch/pid ]] || kill -INT "$(cat "$scratch/pid")"
	wait $server
	status=$?
	[[ $status -eq 0 ]] || verdict="status $status"
	row memcached "$1" "$verdict" $(($(now_ms) - began))
}

# ---- c-blosc ----

# A test of its with up to three threads, and where nobody watches all of them
# but those that are one of a table or a benchmark.
run_blosc() {
	local tree began verdict=right

	tree=$(tree_of "$1")/c-blosc
	began=$(now_ms)
	choose "$1" c-blosc
	timeout $limit "${words[@]}" "$tree/tests/test_nthreads" \
		> "$scratch/out" 2>&1 || verdict="status $?"
	grep -q 'ALL TESTS PASSED' "$scratch/out" || verdict='a test failed'
	row c-blosc "$1" "$verdict" $(($(now_ms) - began))
	[[ $1 == idle || $1 == clang ]] || return 0
	began=$(now_ms)
	verdict=right
	(cd "$tree" && timeout $limit ctest -E '_[0-9]|blosclz' --timeout 60) \
		> "$results/ctest-$1.txt" 2>&1 || verdict="see ctest-$1.txt"
	row c-blosc-ctest "$1" "$verdict" $(($(now_ms) - began))
}

# ---- what was found ----

# A line for each kind of memory and of cycle, with the places of one of them.
places() {
	awk '
		function flush() {
			if (what && !count[what])
				example[what] = places
			if (what)
				count[what] += 1 + also
			what = places = ""
			also = 0
		}
		/^(race on|lock cycle)/ {
			flush()
			what = $0
			sub(/: .*/, "", what)
			sub(/ \([0-9]+ times\)$/, "", what)
			sub(/, \+[0-9]+$/, "", what)
			sub(/allocated at .*\//, "allocated at ", what)
			next
		}
		/^  also / { also++ }
		/^  and [0-9]+ more between / { also += $2 }
		/^[a-z]/ { flush() }
		what && /^    #0 / {
			sub(/^    #0 /, "")
			sub(/:[0-9]+( \(inlined\))?$/, "")
			places = places (places ? ", " : "") "`" $0 "`"
		}
		END {
			flush()
			for (what in count)
				print "- " count[what] " × " what ", as " \
					example[what]
		}' "$1" | sort
}

"$here/build_real.sh" \
	{native,tsan,heddle,clang}/{pbzip2,memcached,c-blosc} || exit 2
"$BUILD/bench/mixed" "$megabytes" $seed > "$scratch/data" || exit 2
cat <<-EOF
| program | way | does | seconds | events | found |
|---|---|---|---|---|---|
EOF
for way in native idle clang observed tsan; do
	run_pbzip2 $way
	run_memcached $way
	run_blosc $way
done
for name in pbzip2 pbzip2-d memcached c-blosc; do
	printf '\n%s:\n\n' $name
	places "$results/$name.txt" > "$scratch/places"
	[[ -s $scratch/places ]] || echo "- nothing was found"
	cat "$scratch/places"
done
exit $failed
