"""locodyn: dynamics of locomotion, from the description of a robot to a labelled result.

Public names load when they are first used, so that ``import locodyn`` takes no time. Rarer ones are imported from their room,
``from locodyn.robot import Wheel``; rooms are attributes too, but for those whose name differs from a class by a capital only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from locodyn import (
        controllers as controllers,
        dynamics as dynamics,
        equilibria as equilibria,
        files as files,
        gaits as gaits,
        identify as identify,
        integrate as integrate,
        lie as lie,
        linearisation as linearisation,
        locomotion as locomotion,
        motion as motion,
        sim as sim,
        symbolic as symbolic,
        view as view,
        world as world,
        zoo as zoo,
    )
    from locodyn.batch import Batch as Batch
    from locodyn.controllers import FeedbackLinearisation as FeedbackLinearisation, JointPD as JointPD
    from locodyn.dynamics.model import Model as Model
    from locodyn.errors import (
        DescriptionError as DescriptionError,
        InputError as InputError,
        LocodynError as LocodynError,
        RunError as RunError,
    )
    from locodyn.files import load_robot as load_robot, save_robot as save_robot, scenario_of as scenario_of
    from locodyn.gaits import (
        Gait as Gait,
        harmonic_gait as harmonic_gait,
        inverse_gait as inverse_gait,
        net_displacement as net_displacement,
        serpenoid_gait as serpenoid_gait,
    )
    from locodyn.integrate.choice import StabilityWarning as StabilityWarning
    from locodyn.integrate.methods import (
        HHT as HHT,
        RKMK4 as RKMK4,
        WBZ as WBZ,
        Adams as Adams,
        Adaptive as Adaptive,
        EnergyMomentum as EnergyMomentum,
        EventDriven as EventDriven,
        Gauss2 as Gauss2,
        GeneralizedAlpha as GeneralizedAlpha,
        ImplicitEuler as ImplicitEuler,
        Moreau as Moreau,
        Newmark as Newmark,
        QuasiStatic as QuasiStatic,
        Radau3 as Radau3,
        RadauAdaptive as RadauAdaptive,
        Variational as Variational,
    )
    from locodyn.linearisation.eigenvalue_sweep import eigenvalue_sweep as eigenvalue_sweep
    from locodyn.linearisation.linearise import linearise as linearise
    from locodyn.linearisation.steady_motion import steady_motion as steady_motion
    from locodyn.contact.options import HardContact as HardContact
    from locodyn.locomotion.servo import Servo as Servo
    from locodyn.motion.filtered import filtered as filtered
    from locodyn.motion.function import function as function
    from locodyn.motion import (
        Law as Law,
        constant as constant,
        cosine as cosine,
        cycloid as cycloid,
        from_csv as from_csv,
        polynomial as polynomial,
        ramp as ramp,
        samples as samples,
        sine as sine,
        spline as spline,
        transition as transition,
    )
    from locodyn.phases import (
        LiftOff as LiftOff,
        Mirror as Mirror,
        Phase as Phase,
        Phases as Phases,
        PoincareMap as PoincareMap,
        Reaches as Reaches,
        Touchdown as Touchdown,
        When as When,
    )
    from locodyn.robot import (
        Actuator as Actuator,
        Annulus as Annulus,
        Box as Box,
        Capsule as Capsule,
        Circle as Circle,
        Compound as Compound,
        Cylinder as Cylinder,
        Ellipse as Ellipse,
        Ellipsoid as Ellipsoid,
        Friction as Friction,
        GivenSection as GivenSection,
        Helix as Helix,
        Inertia as Inertia,
        Material as Material,
        Mesh as Mesh,
        PolynomialRoute as PolynomialRoute,
        Pose as Pose,
        Rectangle as Rectangle,
        Robot as Robot,
        RobotDescription as RobotDescription,
        RodFluid as RodFluid,
        Sphere as Sphere,
        Tapered as Tapered,
        about_centre as about_centre,
        about_origin as about_origin,
        aluminium as aluminium,
        roll_pitch_yaw as roll_pitch_yaw,
        rotation_about as rotation_about,
        silicone as silicone,
        steel as steel,
    )
    from locodyn.sim.simulate import simulate as simulate, statics as statics
    from locodyn.sim.phase_notes import AdmissibilityWarning as AdmissibilityWarning
    from locodyn.sim import (
        EnergyWarning as EnergyWarning,
        LiftWarning as LiftWarning,
        LimitWarning as LimitWarning,
        RankWarning as RankWarning,
        Result as Result,
        Scenario as Scenario,
        Start as Start,
        StartWarning as StartWarning,
        WedgeWarning as WedgeWarning,
        workspace as workspace,
    )
    from locodyn.world import (
        Anchor as Anchor,
        ArctanFriction as ArctanFriction,
        Drag as Drag,
        Feedback as Feedback,
        Ground as Ground,
        Obstacle as Obstacle,
        SelfCollision as SelfCollision,
        Sliding as Sliding,
        Terrain as Terrain,
        Thrust as Thrust,
        UserLaw as UserLaw,
        Wake as Wake,
        WorldForce as WorldForce,
    )
    from locodyn.zoo import resume as resume
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
