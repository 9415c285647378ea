# SPDX-License-Identifier: Apache-2.0
#
# Read by gdb for heddle replay --gdb, which sets heddle_places: where in the
# memory that heddle shares with the program a few numbers are.

import mmap
import os
import struct

import gdb


class Shared:
    """Numbers of the run, in shared memory."""

    def __init__(self, places):
        self.places = places
        fd = os.open(places["path"], os.O_RDWR)
        self.memory = mmap.mmap(fd, places["size"])
        os.close(fd)

    def read_at(self, place):
        return struct.unpack_from("<I", self.memory, place)[0]

    def read(self, name):
        return self.read_at(self.places[name])

    def number_of(self, tid):
        """What heddle calls the thread, in tables and reports."""
        for i in range(self.read("threads")):
            if self.read_at(self.places["tids"] +
                            i * self.places["thread_size"]) == tid:
                return i
        return None

    def write(self, name, value):
        struct.pack_into("<I", self.memory, self.places[name], value)


shared = Shared(heddle_places)  # noqa: F821, set by heddle


def thread_name(thread):
    """As in heddle's reports; gdb counts otherwise."""
    number = shared.number_of(thread.ptid[1])
    if number is None:
        return "gdb's thread %d" % thread.num
    return "thread %d (gdb's %d)" % (number, thread.num)


def in_guest(frame):
    name = gdb.solib_name(frame.pc())
    return name is not None and "libheddle" in name


def in_libc(frame):
    name = gdb.solib_name(frame.pc())
    return name is not None and "libc.so" in name


def select_own_frame():
    """The innermost frame of the program itself, if there is one."""
    frame = gdb.newest_frame()
    while frame is not None and (in_guest(frame) or in_libc(frame)):
        frame = frame.older()
    if frame is not None:
        frame.select()
    return frame


def show_place():
    if not gdb.selected_thread():
        return
    frame = select_own_frame()
    done, planned = shared.read("steps"), shared.places["planned"]
    print("heddle: step %d of %d, %s"
          % (done, planned, thread_name(gdb.selected_thread())))
    if frame is not None:
        gdb.execute("frame")


def go_to(step, command):
    shared.write("stop", step)
    gdb.execute(command)
    show_place()


class Heddle(gdb.Command):
    """Follow the schedule of a kept failure.

heddle start    begin anew, and stop where it fails
heddle next     go on to the next switch between threads
heddle prev     go back to the switch before (the program starts anew)
heddle threads  where every thread stands"""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


class Start(gdb.Command):
    """Begin anew, and stop where it fails."""

    def __init__(self):
        super().__init__("heddle start", gdb.COMMAND_RUNNING)

    def invoke(self, arg, from_tty):
        go_to(0, "run")


class Next(gdb.Command):
    """Go on to the next switch between threads."""

    def __init__(self):
        super().__init__("heddle next", gdb.COMMAND_RUNNING)

    def invoke(self, arg, from_tty):
        if not gdb.selected_thread():
            raise gdb.GdbError("the program does not run; heddle start")
        go_to(shared.read("steps") + 1, "continue")


class Prev(gdb.Command):
    """Go back to the switch before; the program starts anew."""

    def __init__(self):
        super().__init__("heddle prev", gdb.COMMAND_RUNNING)

    def invoke(self, arg, from_tty):
        step = shared.read("steps")
        if step < 2:
            raise gdb.GdbError("there is no switch before this one")
        # Where it failed no new step was made: the last one lies before.
        stopped = shared.read("stop") == step
        go_to(step - 1 if stopped else step, "run")


class Threads(gdb.Command):
    """Where every thread stands."""

    def __init__(self):
        super().__init__("heddle threads", gdb.COMMAND_STATUS)

    def invoke(self, arg, from_tty):
        if not gdb.selected_thread():
            raise gdb.GdbError("the program does not run; heddle start")
        before = gdb.selected_thread()
        for thread in sorted(gdb.selected_inferior().threads(),
                             key=lambda t: t.num):
            thread.switch()
            frame = select_own_frame()
            mark = "*" if thread.num == before.num else " "
            place = "?"
            if frame is not None:
                line = frame.find_sal()
                place = frame.name() or "?"
                if line.symtab is not None:
                    place += " (%s:%d)" % (
                        os.path.basename(line.symtab.filename), line.line)
            print("%s %s in %s" % (mark, thread_name(thread), place))
        before.switch()
        select_own_frame()


Heddle()
Start()
Next()
Prev()
Threads()
