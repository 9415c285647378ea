/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

/* Less than that is no width to fit anything into. */
enum { WIDTH_LEAST = 40 };

size_t terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
	    size.ws_col <= WIDTH_LEAST)
		return 0;
	return size.ws_col;
}
