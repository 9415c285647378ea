/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_line.h"

#include <dwarf.h>

static const char *attr_string(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* A relative name is relative to where the compiler ran. Names like
 * "<built-in>" are none of a file. */
static const char *file_whole(struct site_module *m, struct unit *u,
			      const char *recorded)
{
	uint64_t key = (uintptr_t)recorded;
	const char *whole, *dir;

	if (!recorded || *recorded == '/' || *recorded == '<')
		return recorded;
	whole = memo_get(&m->names, key);
	if (whole)
		return whole;
	dir = attr_string(&u->cu, DW_AT_comp_dir);
	whole = module_keep(m, xasprintf("%s/%s", dir ? dir : ".", recorded));
	memo_put(&m->names, key, whole);
	return whole;
}

static void frame_at_line(struct site_module *m, struct frame *frame,
			  struct unit *u, uint64_t addr)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->cu, addr);

	if (!line)
		return;
	frame->file = file_whole(m, u, dwarf_linesrc(line, NULL, NULL));
	dwarf_lineno(line, &frame->line);
	dwarf_linecol(line, &frame->column);
}

static Dwarf_Word attr_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value = 0;

	if (!dwarf_attr(die, name, &attr) ||
	    dwarf_formudata(&attr, &value) != 0)
		return 0;
	return value;
}

/* The file whose number is an attribute of an entry. Before version 5 they
 * were numbered from 1, and 0 was none. */
static const char *file_numbered(struct site_module *m, struct unit *u,
				 Dwarf_Die *die, unsigned int name)
{
	size_t number = attr_number(die, name), count;
	Dwarf_Half version = 0;
	Dwarf_Files *files;
	Dwarf_Die cu;

	dwarf_cu_info(die->cu, &version, NULL, &cu, NULL, NULL, NULL, NULL);
	if ((number == 0 && version < 5) || !dwarf_hasattr(die, name) ||
	    dwarf_getsrcfiles(&cu, &files, &count) != 0 || number >= count)
		return NULL;
	return file_whole(m, u, dwarf_filesrc(files, number, NULL, NULL));
}

/* The place that called an inlined function. */
static void frame_at_call(struct site_module *m, struct frame *frame,
			  struct unit *u, Dwarf_Die *call)
{
	frame->file = file_numbered(m, u, call, DW_AT_call_file);
	frame->line = (int)attr_number(call, DW_AT_call_line);
	frame->column = (int)attr_number(call, DW_AT_call_column);
}

/* Each inlined call gives the function that was called to the frame in hand
 * and begins the next one, at the place of the call. */
static void frames_inlined(struct site_module *m, struct unit *u,
			   const struct unit_inline *in, struct frame *frame,
			   struct frames *out)
{
	while (in) {
		Dwarf_Die call = in->die;

		frame->function = module_name(m, call);
		frame->inlined = true;
		vec_push(out, *frame);
		*frame = (struct frame){ .module = frame->module,
					 .offset = frame->offset };
		frame_at_call(m, frame, u, &call);
		in = in->parent == NO_ENTRY ? NULL : &u->inlines.at[in->parent];
	}
}

void module_frames(struct site_module *m, uint64_t addr, struct frames *out)
{
	struct frame frame = { .module = m->run->path, .offset = addr };
	struct unit *u = module_unit(m, addr);
	const struct unit_function *f = u ? unit_function_find(u, addr) : NULL;

	if (u)
		frame_at_line(m, &frame, u, addr);
	if (f) {
		frames_inlined(m, u, unit_inline_find(u, f, addr), &frame, out);
		frame.function = module_name(m, f->die);
	}
	if (!frame.function)
		frame.function = module_function(m, addr);
	vec_push(out, frame);
}

void frame_at_function(struct site_module *m, uint64_t addr,
		       struct frame *frame)
{
	struct unit *u = module_unit(m, addr);
	const struct unit_function *f = u ? unit_function_find(u, addr) : NULL;
	const struct unit_inline *in = f ? unit_inline_find(u, f, addr) : NULL;
	Dwarf_Die die;

	if (!f)
		return;
	die = die_declaration(in ? in->die : f->die);
	frame->line = (int)attr_number(&die, DW_AT_decl_line);
	frame->file = file_numbered(m, u, &die, DW_AT_decl_file);
	frame->column = 0;
}
