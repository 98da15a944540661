# SPDX-License-Identifier: Apache-2.0
"""A program at a terminal of 80 columns and 24 rows: types keys and shows what a person sees."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

from script import SOON

COLUMNS, ROWS = 80, 24
PROMPT = "\ue000"  # stands for the sequence that begins each line of the editor
PIECE = re.compile("\x1b\\[([0-9;?]*)([@-~])"  # a control sequence
                   "|\x1b\\]([^\x07\x1b]*)(?:\x07|\x1b\\\\)"  # a command such as a link
                   "|\x1b[^\\[\\]]|.", re.S)
CUT = re.compile("\x1b(?:\\[[0-9;?]*|\\][^\x07\x1b]*\x1b?)?$")  # a sequence that is not complete


class Screen:
    """What is on the terminal and what has scrolled off its top, as lines of text."""

    def __init__(self):
        self.lines, self.row, self.column = [[]], 0, 0

    def top(self):
        return max(0, len(self.lines) - ROWS)

    def move(self, row, column):
        while row >= len(self.lines):
            self.lines.append([])
        self.row = max(self.top(), row)
        self.column = max(0, min(column, COLUMNS))

    def put(self, character):
        if unicodedata.combining(character):
            return
        wide = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if self.column + wide > COLUMNS:
            self.move(self.row + 1, 0)
        line = self.lines[self.row]
        line.extend(" " * (self.column + wide - len(line)))
        line[self.column:self.column + wide] = [character] + [""] * (wide - 1)
        self.column += wide

    def control(self, numbers, letter):
        count = int(numbers) if numbers.isdigit() and int(numbers) > 0 else 1
        if letter in "AB":
            self.move(self.row + (count if letter == "B" else -count), self.column)
        elif letter in "CD":
            self.move(self.row, self.column + (count if letter == "C" else -count))
        elif letter == "G":
            self.move(self.row, count - 1)
        elif letter == "H":
            position = [int(part or 1) for part in (numbers or "1;1").split(";")]
            self.move(self.top() + position[0] - 1, position[-1] - 1)
        elif letter == "K":
            self.lines[self.row][0 if numbers in ("1", "2") else self.column:] = []
        elif letter == "J":
            if numbers in ("2", "3"):
                self.move(self.top(), 0)
            del self.lines[self.row][self.column:]
            del self.lines[self.row + 1:]

    def feed(self, text):
        for found in PIECE.finditer(text):
            piece = found[0]
            if found[2]:
                self.control(found[1], found[2])
            elif piece == "\r":
                self.column = 0
            elif piece == "\n":
                self.move(self.row + 1, self.column)
            elif piece == "\b":
                self.move(self.row, self.column - 1)
            elif piece == "\t":
                self.move(self.row, (self.column // 8 + 1) * 8)
            elif piece >= " ":
                self.put(piece)

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip()


class Terminal:
    """A shell command on its own terminal."""

    def __init__(self, command, directory, environment):
        self.screen, self.plain, self.seen, self.rest, self.status = Screen(), "", 0, b"", None
        self.raw = ""  # everything, with its sequences
        self.child, self.master = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(directory)
            os.execve("/bin/sh", ["sh", "-c", command], environment)

    def read(self):
        """Reads and shows output; returns whether more may follow."""
        if not select.select([self.master], [], [], 1)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            piece = b""
        self.rest += piece
        text = self.rest.decode("utf-8", "ignore")
        cut = CUT.search(text)
        if piece and (cut or text.encode() != self.rest):
            return True  # a character or a sequence is not complete
        self.rest = b""
        self.raw += text
        self.screen.feed(text)
        self.plain += PIECE.sub(lambda found: PROMPT if found[0] == "\x1b[?2004h" else
                                "" if found[0][0] == "\x1b" else found[0], text)
        return bool(piece)

    def wait(self, text):
        """Waits until the text appears after that of the last wait; returns whether it did."""
        end = time.monotonic() + SOON
        while (at := self.plain.find(text, self.seen)) < 0:
            if time.monotonic() > end or not self.read():
                return False
        self.seen = at + len(text)
        return True

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """Returns the exit status."""
        end = time.monotonic() + SOON
        while time.monotonic() < end and self.read():
            pass
        if time.monotonic() >= end:
            os.kill(self.child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        os.close(self.master)
        return status
