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


def is_library(path):
    return path is not None and path.startswith(("/usr/", "/lib"))


def in_guest(frame):
    name = gdb.solib_name(frame.pc())
    return name is not None and "libheddle" in name


def is_own(frame):
    """Is it code that the user wrote? Templates of C++ are compiled into the
    program, but their lines are in the library's headers."""
    if in_guest(frame) or is_library(gdb.solib_name(frame.pc())):
        return False
    symtab = frame.find_sal().symtab
    return symtab is not None and not is_library(symtab.fullname())


def innermost(is_wanted):
    frame = gdb.newest_frame()
    while frame is not None and not is_wanted(frame):
        frame = frame.older()
    return frame


def select_own_frame():
    """The innermost frame that the user wrote; else, of a program without
    lines, the innermost that is not ours or a library's; None, if a thread
    has left the program's code or not come to it."""
    frame = innermost(is_own) or innermost(
        lambda f: not in_guest(f)
        and not is_library(gdb.solib_name(f.pc())))
    if frame is not None:
        frame.select()
    return frame


def place_of(frame):
    if frame is None:
        return "outside of the program's code"
    line = frame.find_sal()
    place = frame.name() or "?"
    if line.symtab is not None:
        place += " (%s:%d)" % (
            os.path.basename(line.symtab.filename), line.line)
    return "in " + place


def show_place():
    if not gdb.selected_thread():
        print("heddle: the program has ended")
        return
    frame = select_own_frame()
    done, planned = shared.read("steps"), shared.places["planned"]
    print("heddle: step %d of %d, %s"
          % (done, planned, thread_name(gdb.selected_thread())))
    if frame is not None:
        gdb.execute("frame")
    else:
        print(place_of(frame))


def is_at_switch():
    """Or does it stand where it fails, or where the user stopped it?"""
    step = shared.read("steps")
    return step > 0 and shared.read("stop") == step


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
        step = shared.read("steps")
        # From the last switch it goes on to where it fails, not beyond.
        if step >= shared.places["planned"] and not is_at_switch():
            raise gdb.GdbError("there is no switch after this one")
        go_to(step + 1, "continue")


class Prev(gdb.Command):
    """Go back to the switch before; the program starts anew."""

    def __init__(self):
        super().__init__("heddle prev", gdb.COMMAND_RUNNING)

    def invoke(self, arg, from_tty):
        # Where it fails no new step was made: the last one lies before.
        step = shared.read("steps") - (1 if is_at_switch() else 0)
        if step < 1:
            raise gdb.GdbError("there is no switch before this one")
        go_to(step, "run")


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
            print("%s %s %s" % (mark, thread_name(thread), place_of(frame)))
        before.switch()
        select_own_frame()


Heddle()
Start()
Next()
Prev()
Threads()
