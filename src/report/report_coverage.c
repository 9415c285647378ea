/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_expose.h"

/* ---- as a line ---- */

static size_t covered_after(const struct expose_result *r, double seconds)
{
	size_t covered = r->moments.at[0].covered;

	for (size_t i = 1; i < r->moments.count; i++)
		if (r->moments.at[i].seconds <= seconds)
			covered = r->moments.at[i].covered;
	return covered;
}

/* "coverage: 31 of 40 feasible interleavings (78 %): 8 in the profile, 20 after
 * 0.3 s, 31 after 1.2 s" */
void report_coverage_text(const struct expose_result *r, FILE *out)
{
	enum { MARKS = 3 };
	size_t last, told;
	double end;

	if (!r->feasible)
		return;
	last = r->moments.at[r->moments.count - 1].covered;
	end = r->moments.at[r->moments.count - 1].seconds;
	told = r->moments.at[0].covered;
	fprintf(out,
		"coverage: %zu of %zu feasible interleavings (%.0f %%): %zu in "
		"the profile",
		last, r->feasible, 100.0 * (double)last / (double)r->feasible,
		told);
	for (int i = 1; i <= MARKS; i++) {
		double at = end * i / MARKS;
		size_t covered = covered_after(r, at);

		if (covered != told)
			fprintf(out, ", %zu after %.2f s", covered, at);
		told = covered;
	}
	putc('\n', out);
}

/* ---- as a plot ---- */

enum {
	WIDTH = 640,
	HEIGHT = 360,
	LEFT = 60,
	RIGHT = 20,
	TOP = 20,
	BOTTOM = 50
};

static double x_of(double seconds, double most)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (most > 0 ? seconds / most : 0);
}

static double y_of(double share)
{
	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

static void draw_axes(const struct expose_result *r, FILE *out)
{
	enum { LINES = 4 };

	for (int i = 0; i <= LINES; i++) {
		double share = (double)i / LINES;

		fprintf(out,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
			"stroke=\"#ddd\"/>\n"
			"<text x=\"%d\" y=\"%.1f\" "
			"text-anchor=\"end\">%.0f %%</text>\n"
			"<text x=\"%.1f\" y=\"%d\" "
			"text-anchor=\"middle\">%.2f</text>\n",
			LEFT, WIDTH - RIGHT, y_of(share), y_of(share), LEFT - 6,
			y_of(share) + 4, 100 * share,
			x_of(share * r->seconds, r->seconds),
			HEIGHT - BOTTOM + 18, share * r->seconds);
	}
	fprintf(out,
		"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">seconds; "
		"covered of %zu feasible interleavings</text>\n",
		(WIDTH + LEFT) / 2, HEIGHT - 10, r->feasible);
}

/* Steps: what is covered stays so. */
static void draw_curve(const struct expose_result *r, FILE *out)
{
	double all = r->feasible ? (double)r->feasible : 1, y = y_of(0);

	fprintf(out,
		"<path fill=\"none\" stroke=\"#1f6feb\" "
		"stroke-width=\"2\" d=\"M%.1f %.1f",
		x_of(0, r->seconds), y);
	for (size_t i = 0; i < r->moments.count; i++) {
		fprintf(out, " H%.1f",
			x_of(r->moments.at[i].seconds, r->seconds));
		y = y_of((double)r->moments.at[i].covered / all);
		fprintf(out, " V%.1f", y);
	}
	fprintf(out, " H%.1f\"/>\n", x_of(r->seconds, r->seconds));
}

void report_coverage_svg(const struct expose_result *r, FILE *out)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n"
		"<title>Coverage of the feasible interleavings</title>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		WIDTH, HEIGHT);
	draw_axes(r, out);
	draw_curve(r, out);
	fputs("</svg>\n", out);
}
