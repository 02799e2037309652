"""From the description of a robot to the flat arrays of :mod:`locodyn.robot.layout`.

Only ``+``, ``-``, ``*`` and ``@`` touch the parameters, so a description whose masses, inertias and positions are symbols
compiles with ``dtype=object``; whole numbers then stay exact integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.errors import DescriptionError
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.parts import (
    compiled_collisions,
    compiled_contacts,
    compiled_couplings,
    compiled_loops,
    compiled_rod_contacts,
    compiled_ties,
    compiled_wheels,
    compiled_wrenches,
    drive_memories,
)
from locodyn.robot.compilation.rods import strand_arrays
from locodyn.robot.compilation.tree import Tree, compose
from locodyn.robot.description import RobotDescription, holds_symbols
from locodyn.robot.values import read_only

_KEPT = "_compiled"  # attribute of a description: its arrays, by their data type


def compile_robot(description: RobotDescription, dtype: Any = float) -> CompiledRobot:
    """Compile a valid description.

    A description does not change and neither do its arrays (both are frozen), so they are computed once and kept with it: the
    check of the description, scenarios and their copies, and models share them.

    Parameters
    ----------
    description : RobotDescription
    dtype : data type
        ``float``, or ``object`` when parameters are symbols.

    Returns
    -------
    CompiledRobot
    """
    kept: dict[np.dtype[Any], CompiledRobot] = description.__dict__.setdefault(_KEPT, {})
    kind = np.dtype(dtype)
    if kind not in kept:
        if kind.kind != "O" and holds_symbols(description):
            raise DescriptionError(f"Robot '{description.name}' has symbols as parameters: compile it with dtype=object.")
        kept[kind] = _assembled(Tree(description, kind))
    return kept[kind]


def _assembled(tree: Tree) -> CompiledRobot:
    """All arrays of a tree and of what is on it."""
    description, reference = tree.description, tree.bodies[0]
    bodies = [tree.placed[body.name] for body in tree.bodies]
    lags, bristles = drive_memories(tree)
    markers = []
    for body, marker in description.markers:
        frame, within = tree.placed[body.name]
        markers.append((marker.name, frame, compose(within, tree.exact_pose(marker.pose))))
    velocities: list[str] = []
    positions: list[str] = []
    for body, *_ in tree.joints:
        owner = reference.name if body is reference else None
        velocities += body.joint.velocity_names(owner)
        positions += body.joint.position_names(owner)
    return CompiledRobot(
        name=description.name,
        frames=read_only(np.array(tree.frames, dtype=np.int64).reshape(-1, layout.FRAME_COLUMNS)),
        constants=_stack(tree, tree.constants + tree.terms, tree.width),
        dofs=read_only(np.array(tree.dofs, dtype=np.int64).reshape(-1, layout.DOF_COLUMNS)),
        dof_constants=_stack(tree, tree.dof_constants, layout.DOF_CONSTANT_COLUMNS + 2 * tree.modes),
        neutral=_stack(tree, tree.neutral),
        body_names=tuple(body.name for body in tree.bodies),
        body_frame=read_only(np.array([frame for frame, _ in bodies], dtype=np.int64)),
        body_rotation=_stack(tree, [pose[0] for _, pose in bodies], 3, 3),
        body_position=_stack(tree, [pose[1] for _, pose in bodies], 3),
        marker_names=tuple(name for name, *_ in markers),
        marker_frame=read_only(np.array([frame for _, frame, _ in markers], dtype=np.int64)),
        marker_rotation=_stack(tree, [pose[0] for *_, pose in markers], 3, 3),
        marker_position=_stack(tree, [pose[1] for *_, pose in markers], 3),
        joint_names=tuple(body.joint.name for body, *_ in tree.joints),
        joint_types=tuple(body.joint.type for body, *_ in tree.joints),
        joint_frames=tuple(frames for _, frames, _, _ in tree.joints),
        joint_positions=tuple(span for _, _, span, _ in tree.joints),
        joint_velocities=tuple(span for *_, span in tree.joints),
        coordinate_names=tuple(velocities),
        position_names=tuple(positions),
        total_mass=sum(row[layout.MASS] for row in tree.constants),
        wrenches=tuple(compiled_wrenches(tree)),
        wheels=tuple(compiled_wheels(tree)),
        contacts=tuple(compiled_contacts(tree)),
        collisions=tuple(compiled_collisions(tree)),
        loops=tuple(compiled_loops(tree)),
        couplings=tuple(compiled_couplings(tree)),
        ties=tuple(compiled_ties(tree)),
        rod_contacts=tuple(compiled_rod_contacts(tree)),
        reference_body=reference.name,
        base_code=tree.frames[0][layout.CODE],
        description=description,
        lags=lags,
        bristles=bristles,
        **strand_arrays(tree.bodies, {body.name: (q.start, v.start) for body, _, q, v in tree.joints}, tree.modes),
    )


def _stack(tree: Tree, rows: list[Any], *shape: int) -> np.ndarray:
    """Rows as one read-only array (number of rows, *shape) of the working data type."""
    result = tree.exact(np.zeros((len(rows), *shape)))
    for i, row in enumerate(rows):
        result[i] = row
    return read_only(result)
