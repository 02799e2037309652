"""Hard contact of a problem: pairs, options and arrays, and the checks of a start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from locodyn.contact.law import pair_forces
from locodyn.contact.options import HardContact
from locodyn.errors import InputError
from locodyn.locomotion.arrays import ProblemArrays
from locodyn.locomotion.contact.allocation import new_contact_arrays
from locodyn.locomotion.contact.outward import no_outward, outward_loops
from locodyn.locomotion.contact.stops import joint_stops
from locodyn.locomotion.servo import longest_explicit_step
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.shape.kinematics import frame_poses
from locodyn.world.contact_pairs import pair_gaps
from locodyn.world.contact_table import ContactPairs
from locodyn.world.gaps import PAIR
from locodyn.world.obstacles import Fixture
from locodyn.world.self_collision import SelfCollision


class ContactProblem:
    """What may touch what, and how it is solved.

    Parameters
    ----------
    compiled : CompiledRobot
    arrays : ProblemArrays
    obstacles : of :mod:`locodyn.world.obstacles`
    self_collision : also between bodies, see :class:`~locodyn.world.self_collision.SelfCollision`
    options : HardContact
    """

    def __init__(
        self,
        compiled: CompiledRobot,
        arrays: ProblemArrays,
        obstacles: Sequence[Fixture] = (),
        self_collision: bool | SelfCollision = False,
        options: HardContact | None = None,
    ) -> None:
        self.options = options or HardContact()
        self.obstacles = tuple(obstacles)
        stops = joint_stops(compiled, arrays) if self.options.stops else ()
        self.table = ContactPairs(compiled, self.obstacles, self_collision, stops)
        other = self.obstacles[0].what if self.obstacles else "another of its bodies" if self_collision else ""
        if other and not compiled.collisions:
            raise InputError(
                f"robot '{compiled.name}' has no surface that could touch {other}; give its bodies surfaces with"
                " body.collides(...)."
            )
        outward = no_outward(arrays) if self.options.projection == "smallest" else outward_loops(compiled, arrays)
        self.arrays = new_contact_arrays(self.table, arrays, compiled.nq, self.options, outward)
        self._problem = arrays

    def begin(self, q: np.ndarray) -> None:
        """Forget the run before: no impulses, no losses, every pair is due."""
        contacts, look, warm = self.arrays, self.arrays.detection, self.arrays.warm
        arrays = (look.travel, look.due, warm.step, warm.force, warm.force_change, warm.acceleration, contacts.impulse)
        for array in arrays:
            array[:] = 0
        warm.steps = contacts.closed = 0
        contacts.broad.candidates = 0 if contacts.broad.used else contacts.broad.candidates
        contacts.pair_impulse[:] = 0.0
        contacts.bilateral.impulse[:] = 0.0
        contacts.report.clear()
        frame_poses(self._problem.frames, self._problem.constants, q, 1, look.poses)

    def nearest(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gap (n,) m and point (n, 3) m, in the world, of every pair at the configuration q."""
        gaps, points, _ = self._geometry(q)
        return gaps, points

    def normals(self, q: np.ndarray) -> np.ndarray:
        """Unit normals (n, 3) at q, world axes, towards the side on which a contact force of the result acts."""
        found: np.ndarray = np.where(self.table.arrays.frame >= 0, 1.0, -1.0)[:, None] * self._geometry(q)[2]
        return found

    def _geometry(self, q: np.ndarray, pairs: Iterable[int] | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        poses = np.zeros((len(self._problem.frames), 12))
        frame_poses(self._problem.frames, self._problem.constants, q, 1, poses)
        rows = np.arange(len(self.table)) if pairs is None else np.array([*pairs], dtype=np.int64)
        gaps, points, normals = np.zeros(len(rows)), np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
        pair_gaps(self.table.arrays, poses, rows, gaps, points, normals)
        return gaps, points, normals

    def gaps(self, q: np.ndarray, pairs: Iterable[int] | None = None) -> np.ndarray:
        """Gap of every pair (n,) m, or of some, at the configuration q."""
        return self._geometry(q, pairs)[0]

    def forces(self, step: float) -> np.ndarray:
        """Force on the robot at every pair in the last step, of ``step`` s, (n, 3) N, world axes."""
        result = np.zeros((len(self.table), 3))
        pair_forces(self.arrays, step, result)
        return result

    def check_explicit_servos(self, mass: np.ndarray, step: float) -> None:
        """Refuse a step at which servos taken at its start are unstable; ``mass`` (nv, nv) is the mass matrix at the start."""
        arrays = self._problem
        driven = np.flatnonzero(arrays.target >= 0)
        if self.options.implicit_servo or not len(driven):
            return
        stiffness, damping = arrays.gains[driven].T
        longest = longest_explicit_step(np.linalg.inv(mass)[np.ix_(driven, driven)], stiffness, damping)
        if step > longest:
            raise InputError(
                f"the step is {step:g} s, but servos taken at the start of a step are stable up to {longest:.3g} s only; take"
                " a smaller step, or HardContact(implicit_servo=True)."
            )

    def overlap(self, q: np.ndarray) -> tuple[float, str]:
        """How deep surfaces overlap at q (m, 0 where they do not), and the pair that does most."""
        if not len(self.table):
            return 0.0, ""
        gaps = np.where(self.table.arrays.kind == PAIR.support, 0.0, self.gaps(q))
        worst = int(np.argmin(gaps))
        return max(0.0, -float(gaps[worst])), self.table.names[worst]

    def check_start(self, q: np.ndarray, tolerance: float = 1e-6) -> None:
        """Refuse a start in which surfaces overlap by more than ``tolerance`` m."""
        depth, name = self.overlap(q)
        if depth > tolerance:
            raise InputError(
                f"the start has '{name}' overlap by {depth:.3g} m; move the robot or the obstacle until they do not overlap, or"
                " let the robot be moved: --resolve, Start(resolve=True)."
            )
