/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATE_H
#define HEDDLE_LOCATE_H

/*
 * From one failing run and some passing ones to the accesses that caused the
 * failure, with lines of the source: the engine of heddle locate, for whoever
 * has a kept failure. It prints nothing.
 *
 * The procedures (suspect.h) are tried in their order, coarse levels before
 * fine ones, with all passing runs and then with the calm ones only (in which
 * nobody's turn was taken, so that the harmful order did not occur and happen
 * to do no harm), until a suspect is confirmed by experiment (confirm.h). If
 * none is, the suspects of the first procedure that had any are given, and
 * is_confirmed is false. On given runs nothing can be tried; then the first
 * procedure that has suspects decides.
 *
 * What was located owns all its strings. locate_repro runs a program, so only
 * the main thread of a process without other children may call it.
 */

#include "locate/confirm.h"
#include "locate/diagnosis.h"

#define LOCATE_FILE "located"

enum { LOCATE_ANY = -1 };

struct locate_options {
	int procedure; /* enum procedure, or LOCATE_ANY */
	int level;     /* enum level, or LOCATE_ANY */
	struct gather_options gather;
	bool allows_check;
	bool skips_experiments;
	uint32_t report_most; /* suspects that are given */
	uint32_t try_most;    /* that are tried, of each procedure */
	uint64_t time_ms;     /* for experiments as well; 0: no limit */
};

extern const struct locate_options locate_defaults;

/* An access for people. */
struct located_access {
	char *thread;	  /* "thread 1 (deposit)" */
	const char *kind; /* "read", "write", "update" */
	char *function;	  /* NULL: unknown */
	char *file;	  /* path; NULL: unknown */
	int line;
	char *source;	/* text of the line; NULL: unknown */
	char *where;	/* "deposit (bank.c:8)", always */
	uint32_t visit; /* of its thread there; 0: unknown */
};

struct located_pair {
	struct located_access head, tail;
	char *variable; /* "global balance", "heap memory 0x..." */
	uint32_t times;
	uint64_t addr;
};

struct located_suspect {
	uint32_t count;
	struct located_pair pairs[2];
	bool is_missing; /* the failing run did not come to the tail */
	bool is_apart;	 /* or not right from the head to it */
	double score;
	struct confirmation confirmation;
	bool is_confirmed;
	/* What it is, if it is the cause. */
	enum bug_kind kind;
	int row;	/* of LOCON's Table 1; 0: none of them */
	bool has_other; /* a pair that leads back from it */
	struct located_pair other;
	bool is_other_missing; /* the failing run did not come to its tail */
	uint32_t trials; /* that told the kind; 0: it is a guess by the pairs */
	char *sentence;
	bool agrees; /* the switches of the shrunk schedule bring it about */
};

/* What each procedure came to. */
struct located_attempt {
	enum procedure procedure;
	enum level level;
	bool calm; /* compared with calm runs only */
	size_t suspects, tried, confirmed;
};

struct located_switch {
	char *thread, *where, *source, *to;
	bool is_choice; /* the thread waited or ended, and `to` was chosen */
	bool agrees;
};

struct located {
	char *name;	 /* of the repro; NULL: given runs */
	char *directory; /* of the repro */
	char *failure;	 /* what broke */
	size_t passing, native, delayed, tried;
	bool is_saturated;
	bool is_exact; /* the failing run's pairs are */
	size_t failing_pairs, all_pairs;
	uint64_t lost;
	enum procedure procedure; /* of the suspects */
	enum level level;
	bool is_confirmed;
	bool has_experiments;
	bool is_edited;	      /* its sources, since it was kept */
	bool is_by_rules;     /* the failure is kept so, hence no experiments */
	int stopped_by;	      /* the interrupt that came, or 0 */
	size_t suspect_count; /* in all */
	size_t folded; /* confirmed, but of an interleaving that is told */
	size_t weaker; /* confirmed, but what is told does it every time */
	VEC(struct located_suspect) suspects; /* confirmed ones first */
	VEC(struct located_attempt) attempts;
	/* Of the shrunk schedule; if it needs none, choices that agree. */
	VEC(struct located_switch) switches;
	VEC(size_t) new_pairs; /* by passing run */
};

/* A kept failure. `save`, if not NULL, is a directory to leave the runs in:
 * save/pass, save/fail. */
MUST_USE int locate_repro(const char *store, const char *name,
			  const struct locate_options *o, const char *save,
			  struct located *l, struct err *err);

/* Given runs: files of pairs in two directories. */
MUST_USE int locate_runs(const char *pass, const char *fail,
			 const struct locate_options *o, struct located *l,
			 struct err *err);

void located_done(struct located *l);

const char *procedure_text(enum procedure p); /* "I", "II", "III", "falcon" */
const char *level_text(enum level l);	      /* "pc", "thread", ... */

/* ---- diagnosis_words.c ---- */

/* One sentence of what is missing; the caller frees. `other` leads back from
 * the pair; NULL: none does. */
char *diagnosis_sentence(const struct diagnosis *d,
			 const struct located_pair *pair,
			 const struct located_pair *other);

#endif
