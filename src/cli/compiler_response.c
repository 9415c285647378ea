/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_response.h"

#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"

enum { DEPTH_LIMIT = 50 };

static bool is_space(char c)
{
	return c && strchr(" \t\n\r\f\v", c);
}

/* Takes the next word off the text: quotes of both kinds hold it together, a
 * backslash takes the next character as it is, inside quotes too. NULL at the
 * end. Written over the text itself, since a word only ever gets shorter. */
static char *next_word(char **text)
{
	char *from = *text, *word, *to, quote = '\0';

	while (is_space(*from))
		from++;
	if (!*from)
		return NULL;
	for (word = to = from; *from; from++) {
		if (*from == '\\' && from[1]) {
			*to++ = *++from;
		} else if (quote) {
			if (*from == quote)
				quote = '\0';
			else
				*to++ = *from;
		} else if (*from == '\'' || *from == '"') {
			quote = *from;
		} else if (is_space(*from)) {
			break;
		} else {
			*to++ = *from;
		}
	}
	*text = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

static int add(struct compiler_words *words, const char *word, int depth,
	       struct err *err)
{
	struct err unread;
	char *text = NULL, *rest, *inner;
	size_t size;
	int rc = 0;

	if (depth > DEPTH_LIMIT)
		return err_set(err,
			       "response file %s names itself, perhaps through "
			       "others",
			       word + 1);
	if (word[0] == '@')
		text = file_read(word + 1, &size, &unread);
	if (!text) {
		vec_push(&words->list, xstrdup(word));
		return 0;
	}
	rest = text;
	while (rc == 0 && (inner = next_word(&rest)))
		rc = add(words, inner, depth + 1, err);
	free(text);
	return rc;
}

int compiler_words_add(struct compiler_words *words, const char *word,
		       struct err *err)
{
	return add(words, word, 0, err);
}

void compiler_words_free(struct compiler_words *words)
{
	for (size_t i = 0; i < words->list.count; i++)
		free(words->list.at[i]);
	vec_free(&words->list);
}
