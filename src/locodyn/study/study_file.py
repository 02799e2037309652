"""A study in a YAML file: which scenario, what varies, which metrics.

    scenario: snakeboard           # a name of the zoo, or a file beside this one
    settings: {gait: drive}
    vary:
      a_phi: 10..60:11deg
      a_psi: [0.4, 0.8]
    metrics: [speed, cost_of_transport]

Further keys: ``table`` (a CSV file in place of ``vary``), ``design``, ``samples``, ``seed``, ``cycle``, ``series``,
``series_samples``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.files.paths import beside
from locodyn.files.reading import is_file_name
from locodyn.files.yaml_reader import Entry, read_yaml
from locodyn.study.study import Study

_REQUIRED = ("scenario", "metrics")
_OPTIONS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "settings": (dict, "a mapping of parameters to values"),
    "design": (str, "a word: grid, list, random, latin or sobol"),
    "samples": (int, "a whole number"),
    "seed": (int, "a whole number"),
    "cycle": ((int, float), "a time in s"),
    "series": (list, "a list of variables"),
    "series_samples": (int, "a whole number"),
}
_KEYS = (*_REQUIRED, "vary", "table", *_OPTIONS)


def is_study_file(path: Path) -> bool:
    """Whether a YAML file says what varies."""
    if path.suffix.lower() not in (".yaml", ".yml") or not path.is_file():
        return False
    found = read_yaml(path).value
    return isinstance(found, dict) and ("vary" in found or "table" in found) and "metrics" in found


def load_study(path: str | Path) -> Study:
    """The study of a YAML file."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no study file '{file}'.")
    entry = read_yaml(file)
    if not isinstance(entry.value, dict):
        raise entry.error("a study file is a mapping of keys to values.")
    section: dict[str, Entry] = entry.value
    for key in section:
        if key not in _KEYS:
            raise section[key].error(f"a study has no '{key}'{nearest(key, _KEYS)}")
    for key in _REQUIRED:
        if key not in section:
            raise entry.error(f"the study has no '{key}'; give it.")
    if ("vary" in section) == ("table" in section):
        raise entry.error("a study has either 'vary' or 'table'; give one of them.")
    words = {key: section[key].plain for key in section}
    for key, (kind, meant) in _OPTIONS.items():
        if key in words and (not isinstance(words[key], kind) or isinstance(words[key], bool)):
            raise section[key].error(f"'{key}' is {words[key]!r}; it must be {meant}.")
    if "vary" in words and not isinstance(words["vary"], dict):
        raise section["vary"].error("'vary' is not a mapping of parameters to values, such as A: 10..60:11deg.")
    if not isinstance(words["metrics"], (list, str)):
        raise section["metrics"].error("'metrics' is not a list of names, such as [speed, cost_of_transport].")
    return _study(words, file)


def _study(words: dict[str, Any], file: Path) -> Study:
    def function(word: str, what: str) -> str:
        script, _, name = word.rpartition(":")
        return f"{beside(script, file, what)}:{name}"

    source = str(words["scenario"])
    if ".py:" in source:
        source = function(source, "the scenario")
    elif is_file_name(source):
        source = beside(source, file, "the scenario")
    metrics = words["metrics"] if isinstance(words["metrics"], list) else [words["metrics"]]
    metrics = [function(str(one), "a metric") if ".py:" in str(one) else one for one in metrics]
    vary = Path(beside(str(words["table"]), file, "the table")) if "table" in words else words["vary"]
    return Study(source, vary, metrics, **{key: words[key] for key in _OPTIONS if key in words})
