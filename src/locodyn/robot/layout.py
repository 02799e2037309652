"""The compiled robot's arrays: which column holds what. :mod:`locodyn.robot.compilation.compile` fills them, kernels read them.

A *frame* is the unit of every recursion: a pose that moves with the shape of the robot. Frames are in topological order, the
frame of the reference body is frame 0, and its parent -1 is the world. A lumped joint of one axis is one frame; a
universal, cylindrical joint is two (the first one massless); a rod is a run of frames, its *slices*, that share one range of
coordinates: its strain modes, then the coordinates of its strain fields. Bodies held by fixed joints have no frame of their own:
they are part of their parent's.

Every frame k sits in its parent p at ``g_pk = g_offset * g_joint(q)``; the motion subspace of its joint is constant in frame k
(but for rods). Axes of single-axis joints are the z axis of their frame, rods run along the x axis.

=============  =============================================  ====  ====  ===============================================
code           joint                                          nq    nv    coordinates q; velocities v
=============  =============================================  ====  ====  ===============================================
FIXED          none (reference body fixed to the world)       0     0
REVOLUTE       turns about z                                  1     1     angle; rate
PRISMATIC      slides along z                                 1     1     displacement; rate
HELICAL        turns about z and advances by pitch * angle    1     1     angle; rate
SPHERICAL      SO(3)                                          4     3     unit quaternion (w,x,y,z); body angular velocity
TRANSLATION    R^3                                            3     3     position; velocity
PLANAR         SE(2) in the x-y plane of the offset frame     3     3     x, y, angle; body twist (vx, vy, wz)
FREE           SE(3)                                          7     6     position, unit quaternion; body twist (v; w)
ROD            slice of a rod: exp(Omega(q))                  n     n     strain modes of the rod; their rates
=============  =============================================  ====  ====  ===============================================
"""

from __future__ import annotations

from locodyn.record import record

FIXED, REVOLUTE, PRISMATIC, HELICAL, SPHERICAL, TRANSLATION, PLANAR, FREE, ROD = range(9)

# Of lumped joints.
NQ = (0, 1, 1, 1, 4, 3, 3, 7)
NV = (0, 1, 1, 1, 3, 3, 3, 6)

# frames[k, column], int64
PARENT, CODE, FIRST_Q, FIRST_V, COUNT_V, FLUID, FIRST_COLUMN, ROOT = range(8)
# FLUID: 1 when the frame moves fluid along. FIRST_COLUMN: the coordinates of a frame own the columns (of Jacobians, say) from
# here on; without rods it is FIRST_V. ROOT: the frame that carries the joint; the parent, but for slices the parent of the first
# slice.
FRAME_COLUMNS = 8

# constants[k, column], float64
OFFSET_ROTATION = 0  # 9 values, row by row: rotation of the offset, parent <- frame at q = 0
OFFSET_POSITION = 9  # 3 values, m
MASS = 12  # kg
FIRST_MOMENT = 13  # 3 values: mass times centre of mass, kg m, in the frame
INERTIA = 16  # 6 values xx, xy, xz, yy, yz, zz about the frame's origin, kg m^2
PITCH = 22  # m/rad, of a helical joint
ARMATURE = 23  # up to 6 values, one for each velocity of the joint: reflected rotor inertia, kg m^2 or kg
ADDED = 29  # 21 values: inertia of the fluid moved along, blocks A (6), B (9), C (6) of [[A, B], [B^T, C]] about the origin
CONSTANT_COLUMNS = 50
# Only robots with rods have the columns that follow; they are filled for slices.
MOST_PLACES = 3
SLICE = record(
    of_frames=CONSTANT_COLUMNS,
    field_first=1,  # the terms of the strain fields of its rod are the rows from this one ...
    place_count=1,  # places at which fields are evaluated, up to MOST_PLACES
    places=MOST_PLACES,  # where they are on the rod, m
    place_weights=2 * MOST_PLACES,  # of these places in the first point of the slice, then in the second
    # From here on what every slice is read for, side by side.
    field_last=1,  # ... to before this one (whole numbers; 0 without fields)
    length=1,  # m
    strain_end=6,  # the modes of strain c end before this one (whole numbers)
    rest_strain=12,  # strain without load at the two points of the slice, (linear; angular) each
    modes=0,  # 2 values for each mode: its function at the two points
)
# The rows after those of the frames are terms of strain fields, see locodyn.motion.field_base: no mass, no offset, and their
# columns from this one on.
FIELD_TERM = CONSTANT_COLUMNS

# dofs[i, column], int64: one row for each velocity coordinate
DOF_FRAME, DOF_AXIS = range(2)  # axis 0, 1, 2 of the frame; of a rod: its first slice, strain 0 ... 5
DOF_COLUMNS = 2

# dof_constants[i, column], float64. The motion of dof i is the twist (LINEAR * e_axis ; ANGULAR * e_axis) in its frame.
LINEAR, ANGULAR, DOF_ARMATURE, VISCOUS, COULOMB, COULOMB_SPEED, STIFFNESS, REST, LIMIT, FADING = range(10)
DOF_CONSTANT_COLUMNS = 10
# Only robots with rods have the columns that follow: the row of the stiffness matrix of the rod, then that of its viscosity, each
# as wide as the rod with the most modes has modes.

# Kinds of strands, by what is given: a tension; a length, with a stiffness; a pressure; an activation.
TENDON, SPRING, CHAMBER, MUSCLE = range(4)
