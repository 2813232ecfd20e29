"""Lariat, a model checker for Promela and SMV.

>>> import lariat
>>> checked = lariat.check("mutex.pml", ltl=["[] (want -> <> critical)"])
>>> checked["safety"].verdict
'holds'

Verdicts and traces are plain values; `Property.trace.table()` makes rows for `pandas.DataFrame`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence, Union

from ._lariat import LimitError, ModelError, OptionError, __version__
from ._lariat import check as _check

__all__ = [
    "Checked",
    "LimitError",
    "ModelError",
    "OptionError",
    "Property",
    "Step",
    "Trace",
    "__version__",
    "check",
]

Value = Union[int, str, list]


@dataclass(frozen=True)
class Step:
    """One action of a trace."""

    number: int
    """Its step, from 1. Actions of one atomic sequence have the same number."""
    process: str
    pid: int | None
    text: str
    """The statement."""
    file: str | None
    line: int | None
    changes: Mapping[str, tuple[Value, Value]]
    """Variables and channels that it changed: the values before and after."""
    state: Mapping[str, Value]
    """All variables and channels after it."""
    raw: Mapping[str, Any] = field(repr=False)
    """The entry of the JSON document."""

    def __str__(self) -> str:
        who = f"{self.process}({self.pid})" if self.pid is not None else self.process
        changed = ", ".join(f"{name}: {before} → {after}" for name, (before, after) in self.changes.items())
        return f"{self.number:>4}  {who:12}  {self.line or '':>4}  {self.text:30}  {changed}".rstrip()


@dataclass(frozen=True)
class Trace(Sequence[Step]):
    """A run that shows an answer: a stem and, if the run is infinite, a loop after it."""

    initial: Mapping[str, Value]
    steps: tuple[Step, ...]
    stem: int
    """How many entries come before the loop."""
    loop: int
    """How many entries are in the loop; 0 for a finite run."""

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index):  # type: ignore[override]
        return self.steps[index]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def states(self) -> list[Mapping[str, Value]]:
        """The states of the run, from the initial one on."""
        return [self.initial, *(step.state for step in self.steps)]

    def table(self) -> list[dict[str, Any]]:
        """A row for each action, with a column for each variable: ready for `pandas.DataFrame(trace.table())`."""
        columns: list[str] = list(dict.fromkeys(name for state in self.states() for name in state))
        rows = []
        for index, step in enumerate(self.steps):
            row = {
                "step": step.number,
                "process": step.process,
                "pid": step.pid,
                "line": step.line,
                "statement": step.text,
                "in_loop": self.loop > 0 and index >= self.stem,
            }
            row.update({name: step.state.get(name) for name in columns})
            rows.append(row)
        return rows

    def __str__(self) -> str:
        begin = ", ".join(f"{name} = {value}" for name, value in self.initial.items())
        lines = [f"initially {begin}"]
        for index, step in enumerate(self.steps):
            if self.loop and index == self.stem:
                lines.append("  -- the loop, repeated for ever:")
            lines.append(str(step))
        return "\n".join(lines)


@dataclass(frozen=True)
class Property:
    """The answer to one property."""

    name: str
    verdict: str
    """`holds`, `fails`, `undecided`, or `computed` where the property asks for a number."""
    trace: Trace | None
    """The run that shows the answer, if one does."""
    raw: Mapping[str, Any] = field(repr=False)
    """The entry of the JSON document: docs/schema/check.json describes it."""

    @property
    def holds(self) -> bool:
        return self.verdict == "holds"

    @property
    def fails(self) -> bool:
        return self.verdict == "fails"

    @property
    def vacuous(self) -> bool:
        """Whether it holds only because nothing was asked of any run."""
        return bool(self.raw.get("vacuous"))

    @property
    def message(self) -> str | None:
        """What is wrong, or why it is undecided."""
        return self.raw.get("message") or self.raw.get("reason")

    @property
    def states(self) -> int | None:
        return self.raw.get("states")

    @property
    def transitions(self) -> int | None:
        return self.raw.get("transitions")

    @property
    def seconds(self) -> float | None:
        return self.raw.get("seconds")

    @property
    def engine(self) -> str | None:
        return self.raw.get("engine")

    def __str__(self) -> str:
        text = f"{self.name}: {self.verdict}"
        if self.message:
            text += f", {self.message}"
        if self.raw.get("detail"):
            text += f" ({self.raw['detail']})"
        return text


@dataclass(frozen=True)
class Checked(Sequence[Property]):
    """The answers of a check, in the order of the model."""

    properties: tuple[Property, ...]
    warnings: tuple[Mapping[str, Any], ...]
    document: Mapping[str, Any] = field(repr=False)
    """The whole JSON document, as `lariat check --json` prints it."""

    def __len__(self) -> int:
        return len(self.properties)

    def __getitem__(self, key):  # type: ignore[override]
        """A property by its number or by its name."""
        if isinstance(key, str):
            for answer in self.properties:
                if answer.name == key:
                    return answer
            known = ", ".join(answer.name for answer in self.properties)
            raise KeyError(f"there is no property {key!r}; there are: {known}")
        return self.properties[key]

    def __iter__(self) -> Iterator[Property]:
        return iter(self.properties)

    @property
    def holds(self) -> bool:
        """Whether everything that was asked for holds, or is a number."""
        return all(answer.verdict in ("holds", "computed") for answer in self.properties)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the document, which `lariat replay`, `report`, `shorten` and `explore --from` read."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.document, file)

    def table(self) -> list[dict[str, Any]]:
        """A row for each property: ready for `pandas.DataFrame(checked.table())`."""
        names = ("name", "verdict", "message", "states", "transitions", "depth", "seconds", "engine")
        return [{name: answer.raw.get(name) for name in names} for answer in self.properties]

    def __str__(self) -> str:
        return "\n".join(map(str, self.properties))


def check(
    path: str | os.PathLike[str],
    *,
    properties: Sequence[str] = (),
    ltl: Sequence[str] = (),
    ctl: Sequence[str] = (),
    fairness: str = "none",
    justice: Sequence[str] = (),
    compassion: Sequence[str] = (),
    engine: str | None = None,
    shortest: bool = False,
    keep_going: bool = False,
    allow_deadlock: bool = False,
    reduce: bool = False,
    depth: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    time: float | None = None,
    defines: Mapping[str, Any] | None = None,
    include: Sequence[str | os.PathLike[str]] = (),
    overflow: str = "warn",
) -> Checked:
    """Checks a model and gives the answers.

    All properties of the model are checked unless `properties`, `ltl` or `ctl` name some. The options mean what they
    mean to `lariat check`: `reduce` is `--por on`, `memory` is in bytes, `time` in seconds, `defines` is `-D`. Limits make an answer
    *undecided*; they raise no exception, except `LimitError` before anything was searched.

    Raises `ModelError` with the diagnostics if the model or a formula is wrong, `OptionError` for options that
    cannot be honoured, and `KeyboardInterrupt` at Ctrl-C.
    """
    text = _check(
        os.fspath(path),
        properties=_words(properties),
        ltl=_words(ltl),
        ctl=_words(ctl),
        fairness=fairness,
        justice=_words(justice),
        compassion=_words(compassion),
        engine=engine,
        shortest=shortest,
        keep_going=keep_going,
        allow_deadlock=allow_deadlock,
        reduce=reduce,
        depth=depth,
        threads=threads,
        memory=memory,
        time=time,
        defines=[(name, str(value)) for name, value in (defines or {}).items()],
        include=[os.fspath(folder) for folder in include],
        overflow=overflow,
    )
    document = json.loads(text)
    answers = tuple(_property(raw) for raw in document["properties"])
    return Checked(answers, tuple(document.get("warnings", ())), document)


def _words(given: Sequence[str]) -> list[str]:
    """One text is a list of one."""
    return [given] if isinstance(given, str) else list(given)


def _property(raw: Mapping[str, Any]) -> Property:
    trace = raw.get("trace")
    return Property(raw["name"], raw["verdict"], None if trace is None else _trace(trace), raw)


def _trace(raw: Mapping[str, Any]) -> Trace:
    state = dict(raw["initial"])
    initial = dict(state)
    steps = []
    for index, entry in enumerate(raw["steps"]):
        changes = {name: (before, after) for name, (before, after) in entry.get("changes", {}).items()}
        for ended in entry.get("ended", ()):
            state = {name: value for name, value in state.items() if not name.startswith(f"{ended}.")}
        state.update(entry.get("appeared", {}))
        state.update({name: after for name, (_, after) in changes.items()})
        number = entry.get("step", index) + 1
        steps.append(
            Step(
                number=number,
                process=entry.get("process", ""),
                pid=entry.get("pid"),
                text=entry.get("text", ""),
                file=entry.get("file"),
                line=entry.get("line"),
                changes=changes,
                state=dict(state),
                raw=entry,
            )
        )
    return Trace(initial, tuple(steps), raw["stem"], raw["loop"])
