"""Queries on the tree of a robot: the example of Aguirre (2010, 3.1.1), inbody = [0 1 2 3 2 5 6 6]."""

import pytest

import locodyn as ld


@pytest.fixture(scope="module")
def tree():
    robot = ld.Robot("tree")
    handles = [robot.base("0", moves="fixed")]
    for number, parent in enumerate([0, 1, 2, 3, 2, 5, 6, 6], start=1):
        handles.append(robot.body(str(number), mass=1.0, centre=(0.5, 0, 0)).on(handles[parent], at=(1, 0, 0)).turning("z"))
    return robot.description


def test_parents_and_children(tree):
    assert tree.children("2") == ("3", "5") and tree.children("6") == ("7", "8") and tree.children("4") == ()


def test_leaves(tree):
    assert tree.leaves == ("4", "7", "8")


def test_ancestors_and_descendants(tree):
    assert tree.ancestors("7") == ("6", "5", "2", "1", "0") and tree.ancestors("0") == ()
    assert tree.descendants("5") == ("6", "7", "8") and tree.descendants("0") == tuple("12345678")
    for body in tree.body_names:  # one is the ancestor of the other exactly where the other is its descendant
        assert all(body in tree.ancestors(other) for other in tree.descendants(body))


def test_chains(tree):
    assert tree.chain("4", "8") == ("4", "3", "2", "5", "6", "8")
    assert tree.chain("2", "7") == ("2", "5", "6", "7") and tree.chain("7", "2") == ("7", "6", "5", "2")
    assert tree.chain("3", "3") == ("3",)


def test_unknown_body(tree):
    with pytest.raises(ld.InputError, match="no body '9'"):
        tree.ancestors("9")
