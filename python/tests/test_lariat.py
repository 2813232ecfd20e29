"""The package as its users see it. `LARIAT_UPDATE=1` writes what the chapter of the book and the notebook show."""

import contextlib
import io
import json
import os
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import lariat

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = ROOT / "docs/book/src/python.md"
NOTEBOOK = ROOT / "python/counterexample.ipynb"
UPDATE = bool(os.environ.get("LARIAT_UPDATE"))


def model(folder, text, name="m.pml"):
    path = Path(folder) / name
    path.write_text(text, encoding="utf-8")
    return path


class Answers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_verdicts_and_figures(self):
        checked = lariat.check(model(self.folder, "byte x; active proctype P() { x = 1 }\nltl p { <> (x == 1) }"))
        self.assertEqual([answer.name for answer in checked], ["safety", "p"])
        self.assertTrue(checked.holds and checked["p"].holds and checked[0].trace is None)
        self.assertEqual(checked["safety"].states, 3)
        self.assertEqual([row["verdict"] for row in checked.table()], ["holds", "holds"])
        with self.assertRaisesRegex(KeyError, "there are: safety, p"):
            checked["q"]

    def test_states_of_a_trace_are_those_of_the_document(self):
        path = model(
            self.folder,
            """chan q = [2] of { byte }; byte total;
            proctype W(byte n) { byte v; q!n; q?v; total = total + v }
            init { run W(1); run W(2); (_nr_pr == 1); assert(total != 3) }""",
        )
        answer = lariat.check(path)["safety"]
        self.assertTrue(answer.fails and answer.message == "assertion violated")
        last = {**answer.raw["last"]["variables"], **answer.raw["last"]["channels"]}
        self.assertEqual(dict(answer.trace[-1].state), last)
        self.assertEqual(len(answer.trace.table()), len(answer.trace))
        # A process that has ended has no variables.
        values = [row["W(1).v"] for row in answer.trace.table()]
        self.assertTrue(values[-1] is None and any(value is not None for value in values), values)

    def test_loops(self):
        path = model(self.folder, "bool b; active proctype P() { do :: b = !b od }\nltl p { <> [] b }")
        trace = lariat.check(path, properties=["p"])["p"].trace
        self.assertGreater(trace.loop, 0)
        self.assertEqual(sum(row["in_loop"] for row in trace.table()), trace.loop)
        self.assertIn("for ever", str(trace))

    def test_options(self):
        path = model(self.folder, "#ifndef N\n#define N 1\n#endif\nbyte x; active proctype P() { x = N; assert(x < 5) }")
        self.assertTrue(lariat.check(path).holds)
        self.assertFalse(lariat.check(path, defines={"N": 7}).holds)
        formula = lariat.check(path, ltl="<> (x == 1)")
        self.assertEqual([answer.verdict for answer in formula], ["holds"])
        self.assertEqual(lariat.check(path, engine="dfs")["safety"].engine, "dfs")
        smv = model(self.folder, "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := x;\nCTLSPEC EF x = 2", "m.smv")
        self.assertTrue(lariat.check(smv)["ctl_1"].fails)

    def test_warnings_are_kept(self):
        path = model(self.folder, "byte x; active proctype P() { x = 255; x++ }")
        codes = [warning["code"] for warning in lariat.check(path).warnings]
        self.assertIn("C0013", codes)

    def test_errors_say_what_to_do(self):
        path = model(self.folder, "byte counter;\nactive proctype P() { couter++ }")
        with self.assertRaisesRegex(lariat.ModelError, "did you mean `counter`"):
            lariat.check(path)
        good = model(self.folder, "active proctype P() { skip }")
        with self.assertRaisesRegex(lariat.OptionError, "there is no engine `fast`"):
            lariat.check(good, engine="fast")
        with self.assertRaisesRegex(lariat.OptionError, "`none`, `weak` or `strong`"):
            lariat.check(good, fairness="some")
        with self.assertRaisesRegex(lariat.OptionError, "negative"):
            lariat.check(good, time=-1)
        with self.assertRaises(lariat.ModelError):
            lariat.check(Path(self.folder) / "not_there.pml")

    def test_limits_are_answers(self):
        path = model(self.folder, COUNTERS)
        answer = lariat.check(path, time=0.5)["safety"]
        self.assertEqual((answer.verdict, answer.message), ("undecided", "time"))

    def test_interrupts_end_a_check(self):
        path = model(self.folder, COUNTERS)
        timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            lariat.check(path, time=120)
        self.assertLess(time.monotonic() - began, 60)

    def test_other_threads_go_on(self):
        path = model(self.folder, COUNTERS)
        ticks = []
        stop = threading.Event()
        ticker = threading.Thread(target=lambda: [ticks.append(1) for _ in iter(lambda: stop.wait(0.05), True)])
        ticker.start()
        lariat.check(path, time=1.0)
        stop.set()
        ticker.join()
        self.assertGreater(len(ticks), 3)

    def test_saved_documents(self):
        checked = lariat.check(ROOT / "models/counter_race.pml")
        path = Path(self.folder) / "race.json"
        checked.save(path)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(document["properties"][0]["name"], "safety")
        self.assertIn("sources", document)


COUNTERS = """byte a, b, c, d;
active proctype A() { do :: a++ od }
active proctype B() { do :: b++ od }
active proctype C() { do :: c++ od }
active proctype D() { do :: d++ od }"""


def blocks(chapter):
    """The code of the chapter with what it is said to print, and the text before each."""
    parts = chapter.split("```")
    cells = []
    text = ""
    for index, part in enumerate(parts):
        if index % 2 == 0:
            text += part
            continue
        info, body = part.split("\n", 1)
        if info == "python":
            cells.append([text.strip(), body, ""])
            text = ""
        elif info == "text" and cells and not text.strip():
            cells[-1][2] = body
        else:
            text += f"```{part}```"
    return cells, text.strip()


class Book(unittest.TestCase):
    def test_the_chapter_shows_what_is_printed_and_is_the_notebook(self):
        chapter = CHAPTER.read_text(encoding="utf-8")
        cells, rest = blocks(chapter)
        self.assertGreater(len(cells), 4)
        scope = {}
        here = os.getcwd()
        os.chdir(ROOT)
        self.addCleanup(os.chdir, here)
        new = chapter
        for cell in cells:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(cell[1], scope)
            new = new.replace(f"```text\n{cell[2]}```", f"```text\n{printed.getvalue()}```", 1)
            cell[2] = printed.getvalue()
        notebook = json.dumps(as_notebook(cells, rest), indent=1, ensure_ascii=False) + "\n"
        if UPDATE:
            CHAPTER.write_text(new, encoding="utf-8")
            NOTEBOOK.write_text(notebook, encoding="utf-8")
        self.assertEqual(CHAPTER.read_text(encoding="utf-8"), new, "LARIAT_UPDATE=1 writes what is printed")
        self.assertEqual(NOTEBOOK.read_text(encoding="utf-8"), notebook, "LARIAT_UPDATE=1 writes the notebook")


def as_notebook(cells, rest):
    def markdown(text):
        return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}

    entries = []
    for number, (text, code, printed) in enumerate(cells, 1):
        if text:
            entries.append(markdown(text))
        output = {"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}
        entries.append(
            {
                "cell_type": "code",
                "execution_count": number,
                "metadata": {},
                "outputs": [output] if printed else [],
                "source": code.rstrip("\n").splitlines(keepends=True),
            }
        )
    if rest:
        entries.append(markdown(rest))
    for number, entry in enumerate(entries):
        entry["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": entries,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


if __name__ == "__main__":
    unittest.main()
