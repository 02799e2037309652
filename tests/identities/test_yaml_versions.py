"""What locodyn writes means the same in YAML 1.1 (PyYAML and many others) and in YAML 1.2 (our reader)."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

import locodyn as ld
from file_robots import colliding_robot, full_robot, held_robot, rod_robot, rolling_robot
from locodyn import world
from locodyn.files import load_robot, save_robot
from locodyn.files.schema import KINDS, schema
from locodyn.files.template import write_template
from locodyn.files.yaml_reader import parse_yaml
from locodyn.files.yaml_writer import dump

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "files"
# The types of YAML 1.1 as yaml.org/type has them; PyYAML leaves out 'y' and 'n', other readers do not.
TRUTH = re.compile(r"(?i)(y|yes|n|no|true|false|on|off)\Z")
NOT_WORDS = [
    TRUTH,
    re.compile(r"(?i)(~|null|)\Z"),
    re.compile(r"[-+]?(0b[0-1_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)\Z"),
    re.compile(r"[-+]?(([0-9][0-9_]*)?\.[0-9_.]*([eE][-+][0-9]+)?|[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*)\Z"),
    re.compile(r"(?i)([-+]?\.inf|\.nan)\Z"),
    re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?\Z"),
    re.compile(r"(<<|=)\Z"),
]
TRICKY = [
    *("on", "off", "yes", "no", "y", "n", "Y", "N", "On", "NO", "true", "null", "Null", "~", "", "1_000", "1:30", "190:20:30.15"),
    *("2001-12-14", "2001-12-14t21:59:43.10-05:00", "1e-3", "1.5e3", "017", "0o17", "0x1F", "0b101", ".5", ".inf", "-.INF"),
    *(".NaN", "<<", "=", "- x", "a: b", "a #b", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", '"a"', " a", "a ", "a\nb", "\u2028"),
    *("é", "-y", "|", ">"),
]  # fmt: skip
names = st.text(min_size=1, max_size=12) | st.sampled_from([name for name in TRICKY if name])
values = st.recursive(
    st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(max_size=12) | st.sampled_from(TRICKY),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=10,
)


def same_in_both(text: str) -> dict:
    """The content of a text, which both versions of YAML read alike."""
    old, new = yaml.safe_load(text), parse_yaml(text, "text").plain
    assert json.dumps(old) == json.dumps(new)  # types too: 1, 1.0 and true are equal to each other in Python
    for token in yaml.scan(text):
        if isinstance(token, yaml.ScalarToken) and token.plain and token.value not in ("true", "false"):
            number = isinstance(parse_yaml(f"- {token.value}", "text").plain[0], (int, float))
            assert number == any(kind.match(token.value) for kind in NOT_WORDS), token.value
    return new


@given(st.dictionaries(names, values, min_size=1, max_size=4))
@example({name: name for name in TRICKY if name})
@example({"x": [1e-7, 1e22, 5e-324, 1.0, -0.0, math.inf, -math.inf, 10**15, 1]})
@settings(max_examples=300, deadline=None)
def test_whatever_is_written_is_read_alike(content):
    assert same_in_both(dump(content)) == content


def robot_named(name: str, other: str) -> ld.Robot:
    robot = ld.Robot(name)
    base = robot.base(name, mass=1e-7, inertia=ld.about_centre(xx=1e-9, yy=1e22, zz=1e22), moves="free").marker(f"{name}.m")
    arm = robot.body(other, mass=1.0, inertia=ld.about_centre(xx=1.0, yy=1.0, zz=1.0)).on(base, at=(1e-5, 0, 0)).turning("y")
    robot.wrench(f"{other}.w", on=arm, law=world.Drag(1e-3))
    return robot


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([name for name in TRICKY if name.strip() == name and name]), st.sampled_from(["yes", "1_0", "arm", "1:30"])
)
def test_names_of_robots(tmp_path_factory, name, other):
    try:
        robot = robot_named(name, other)
        robot.description  # noqa: B018  a name that no robot may have is refused here
    except ld.LocodynError:
        return
    file = tmp_path_factory.mktemp("yaml") / "robot.yaml"
    assert not save_robot(robot, file)
    content = same_in_both(file.read_text(encoding="utf-8"))
    assert content["robot"] == name and content["bodies"][other]["parent"] == name
    assert load_robot(file).robot.description.bodies[1].parent == name


@pytest.mark.parametrize("build", [full_robot, rolling_robot, rod_robot, colliding_robot, held_robot])
def test_robots_that_say_everything(build, tmp_path):
    save_robot(build(), tmp_path / "robot.yaml")
    same_in_both((tmp_path / "robot.yaml").read_text(encoding="utf-8"))


def test_the_template_and_the_examples(tmp_path):
    same_in_both(write_template(tmp_path / "on.yaml").read_text(encoding="utf-8"))
    for file in EXAMPLES.glob("*.yaml"):
        assert json.dumps(yaml.safe_load(file.read_text())) == json.dumps(parse_yaml(file.read_text(), file.name).plain)


@pytest.mark.parametrize("kind", KINDS)
def test_no_key_of_the_formats_is_a_truth_value(kind):
    def keys(node):
        if isinstance(node, dict):
            yield from node.get("properties", {})
            for value in node.values():
                yield from keys(value)
        elif isinstance(node, list):
            for value in node:
                yield from keys(value)

    found = set(keys(schema(kind))) - {"y"}  # a coordinate, beside x and z: it is written in quotes
    assert len(found) > 100 and not [key for key in found if any(pattern.match(key) for pattern in NOT_WORDS)]
