# SPDX-License-Identifier: Apache-2.0
#
# From the runs of stopwatch to tables in Markdown. value[program, variant,
# column] is the smallest of all rounds; the columns:
#
#   wall cpu user rss   of the program; of memory the largest
#   during after   processor time of the tool, while the program ran and later
#   both           cpu and during
#   all            cpu, during and after
#   total          wall time of the command

BEGIN {
	FS = "\t"
	variants = 0
}

function keep(column, number) {
	if (!(($1, $2, column) in value) || number < value[$1, $2, column])
		value[$1, $2, column] = number
	sample[$1, $2, column, $3] = number
}

# Of memory the largest, it is the peak that matters.
function keep_peak(column, number) {
	if (number > value[$1, $2, column])
		value[$1, $2, column] = number
}

{
	if (!($1 in seen)) {
		seen[$1] = 1
		program[programs++] = $1
	}
	if ($3 + 1 > rounds)
		rounds = $3 + 1
	keep("wall", $5)
	keep("cpu", $6)
	keep_peak("rss", $7)
	keep("during", $8)
	keep("after", $9)
	keep("both", $6 + $8)
	keep("all", $6 + $8 + $9)
	keep_peak("tool_rss", $10)
	keep_peak("rss_both", $7 + $10)
	keep("total", $11)
	keep("user", $12)
}

function of(p, variant, column) {
	return value[p, variant, column]
}

function ratio(p, v1, c1, v2, c2) {
	return value[p, v1, c1] / value[p, v2, c2]
}

function middle(p, variant, column,    i, k, n, list, swap) {
	for (i = 0; i < rounds; i++) {
		list[i] = sample[p, variant, column, i]
		for (k = i; k > 0 && list[k - 1] > list[k]; k--) {
			swap = list[k]
			list[k] = list[k - 1]
			list[k - 1] = swap
		}
	}
	return list[int(rounds / 2)]
}

function geomean(v1, c1, v2, c2,    i, sum) {
	for (i = 0; i < programs; i++)
		sum += log(ratio(program[i], v1, c1, v2, c2))
	return exp(sum / programs)
}

function geomean_of_middles(v1, c1, v2, c2,    i, sum) {
	for (i = 0; i < programs; i++)
		sum += log(middle(program[i], v1, c1) / \
			   middle(program[i], v2, c2))
	return exp(sum / programs)
}

function verdict(number, bar) {
	return sprintf("| %.2f | %.2f | %s |", number, bar,
		       number <= bar ? "kept" : "**missed**")
}

function bar(what, v1, c1, v2, c2, most) {
	printf "| %s %s\n", what, verdict(geomean(v1, c1, v2, c2), most)
}

function times(p, variant) {
	return sprintf("%.2f / %.2f / %.2f", of(p, variant, "wall"),
		       of(p, variant, "cpu"), of(p, variant, "user"))
}

function seconds_table(    i, p) {
	print "Seconds, the least of " rounds " runs: wall time / processor time / that outside"
	print "the kernel (*user*) of the program; for observing also the processor time of"
	print "the tool while the program runs and after it has ended."
	print ""
	print "| program | native | idle | observed | tool meanwhile | tool after | ThreadSanitizer |"
	print "|---|---|---|---|---|---|---|"
	for (i = 0; i < programs; i++) {
		p = program[i]
		print "| " p " | " times(p, "native") " | " times(p, "idle") \
			" | " times(p, "observe") " | " \
			sprintf("%.2f | %.2f", of(p, "observe", "during"), \
				of(p, "observe", "after")) \
			" | " times(p, "tsan") " |"
	}
	print ""
}

# Of one program, or of all.
function cell(p, v1, c1, v2, c2) {
	return sprintf(" %.2f |", p == "" ? geomean(v1, c1, v2, c2) : \
		       ratio(p, v1, c1, v2, c2))
}

function ratio_row(name, p) {
	print "| " name " |" \
		cell(p, "observe", "wall", "tsan", "wall") \
		cell(p, "observe", "cpu", "tsan", "cpu") \
		cell(p, "observe", "user", "tsan", "user") \
		cell(p, "observe", "both", "tsan", "cpu") \
		cell(p, "observe", "all", "tsan", "cpu") \
		cell(p, "idle", "wall", "tsan", "wall") \
		cell(p, "idle", "cpu", "tsan", "cpu") \
		cell(p, "idle", "user", "tsan", "user") \
		cell(p, "idle", "wall", "native", "wall") \
		cell(p, "idle", "cpu", "native", "cpu")
}

function ratio_table(    i) {
	print "| | observed / TSan: wall | cpu | user | cpu and tool meanwhile | cpu and tool in all | idle / TSan: wall | cpu | user | idle / native: wall | cpu |"
	print "|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 0; i < programs; i++)
		ratio_row(program[i], program[i])
	ratio_row("geometric mean", "")
	print ""
}

function memory_table(    i, p) {
	print "Peak of resident memory in MiB. The memory the two share is counted in"
	print "both the program and the tool."
	print ""
	print "| program | native | idle | observed | tool | ThreadSanitizer | observed / TSan | with the tool |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 0; i < programs; i++) {
		p = program[i]
		printf "| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |\n", \
			p, of(p, "native", "rss") / 1024, \
			of(p, "idle", "rss") / 1024, \
			of(p, "observe", "rss") / 1024, \
			of(p, "observe", "tool_rss") / 1024, \
			of(p, "tsan", "rss") / 1024, \
			ratio(p, "observe", "rss", "tsan", "rss"), \
			ratio(p, "observe", "rss_both", "tsan", "rss")
	}
	print ""
}

function pairs_row(name, p) {
	print "| " name " |" (p == "" ? " |" : \
		sprintf(" %s | %.2f", times(p, "pairs"), \
			of(p, "pairs", "both"))) " |" \
		cell(p, "pairs", "wall", "tsan", "wall") \
		cell(p, "pairs", "cpu", "tsan", "cpu") \
		cell(p, "pairs", "user", "tsan", "user") \
		cell(p, "pairs", "both", "tsan", "cpu") \
		cell(p, "pairs", "cpu", "native", "cpu")
}

function pairs_table(    i) {
	print "Access pairs collected, with loops (`heddle cc --loops`), as `heddle locate`"
	print "does in its free runs: seconds as above, the last with the tool's."
	print ""
	print "| program | pairs | cpu and tool | / TSan: wall | cpu | user | cpu and tool | / native: cpu |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 0; i < programs; i++)
		pairs_row(program[i], program[i])
	pairs_row("geometric mean", "")
	print ""
}

function locon_row(name, printed, p) {
	print "| " name " | " printed " |" (p == "" ? " | | |" : \
		cell(p, "idle", "wall", "native", "wall") \
		cell(p, "pairs", "wall", "native", "wall") \
		cell(p, "pairs", "cpu", "native", "cpu"))
}

# Table 5 of LOCON's paper.
function locon_table(    i) {
	print "LOCON, Table 5: times of native execution. PIN alone does nothing but run the"
	print "program, as idle hooks do; Falcon is the other collector. Of the paper's programs"
	print "only pbzip2 is here, and its work is in libbz2, whose accesses PIN sees and"
	print "hooks do not; the others are kernels of ours, which do little but access memory,"
	print "not servers that wait for clients."
	print ""
	print "| program | paper: PIN | LOCON | Falcon | ours: idle, wall | pairs, wall | cpu |"
	print "|---|---|---|---|---|---|---|"
	locon_row("Pbzip2", "2.77 | 19.96 | 17.85", \
		"pbzip2" in seen ? "pbzip2" : "")
	locon_row("Transmission", "3.05 | 7.2 | 8.17", "")
	locon_row("FFT", "1.36 | 3.08 | 2.01", "")
	locon_row("Aget", "2.35 | 41.34 | 49.52", "")
	locon_row("Apache", "1.25 | 43.75 | 44.25", "")
	locon_row("MySQL", "1.31 | 141.81 | 131.13", "")
	for (i = 0; i < programs; i++)
		if (program[i] != "pbzip2")
			locon_row(program[i], " | |", program[i])
	print ""
}

function worst(v1, c1, v2, c2,    i, r, most) {
	for (i = 0; i < programs; i++) {
		r = ratio(program[i], v1, c1, v2, c2)
		if (r > most)
			most = r
	}
	return most
}

function bars() {
	print "| bar | measured | at most | |"
	print "|---|---|---|---|"
	bar("observed / TSan, wall time of the program, geometric mean", \
		"observe", "wall", "tsan", "wall", 0.7)
	bar("the same, user time of the program", \
		"observe", "user", "tsan", "user", 0.7)
	bar("the same, processor time of program and tool while it runs", \
		"observe", "both", "tsan", "cpu", 0.7)
	bar("the same, with all the tool does until its report is out", \
		"observe", "all", "tsan", "cpu", 0.7)
	bar("idle / TSan, wall time, geometric mean", \
		"idle", "wall", "tsan", "wall", 0.4)
	bar("the same, processor time", "idle", "cpu", "tsan", "cpu", 0.4)
	if ("pbzip2" in seen) {
		printf "| idle / native on pbzip2, wall time %s\n", \
			verdict(ratio("pbzip2", "idle", "wall", "native", "wall"), 1.2)
		printf "| the same, processor time %s\n", \
			verdict(ratio("pbzip2", "idle", "cpu", "native", "cpu"), 1.2)
	}
	printf "| observed / TSan, peak of the program's memory, the worst %s\n", \
		verdict(worst("observe", "rss", "tsan", "rss"), 1)
	printf "| the same, with the tool's %s\n", \
		verdict(worst("observe", "rss_both", "tsan", "rss"), 1)
	printf "| pairs with loops / TSan, processor time, the worst %s\n", \
		verdict(worst("pairs", "cpu", "tsan", "cpu"), 1.5)
	printf "| the same, wall time %s\n", \
		verdict(worst("pairs", "wall", "tsan", "wall"), 1.5)
	bar("the same, processor time, geometric mean", \
		"pairs", "cpu", "tsan", "cpu", 1.5)
	print ""
	printf "By medians instead of minima, the first six are %.2f, %.2f, %.2f, %.2f, %.2f and %.2f.\n",
		geomean_of_middles("observe", "wall", "tsan", "wall"),
		geomean_of_middles("observe", "user", "tsan", "user"),
		geomean_of_middles("observe", "both", "tsan", "cpu"),
		geomean_of_middles("observe", "all", "tsan", "cpu"),
		geomean_of_middles("idle", "wall", "tsan", "wall"),
		geomean_of_middles("idle", "cpu", "tsan", "cpu")
}

END {
	if (!programs)
		exit 1
	seconds_table()
	ratio_table()
	pairs_table()
	locon_table()
	memory_table()
	bars()
}
