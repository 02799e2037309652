"""locodyn: dynamics of locomotion, from the description of a robot to a labelled result.

The words of everyday use are here, all others in their rooms: ``ld.gaits.harmonic_gait``, ``ld.integrate.HHT``, or by an import
``from locodyn.robot import Helix``. Names load when they are first used, so that ``import locodyn`` takes no time. Rooms are
attributes too, but for those whose name differs from a class by a capital only.
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
        study as study,
        symbolic as symbolic,
        view as view,
        world as world,
        zoo as zoo,
    )
    from locodyn.contact.options import HardContact as HardContact
    from locodyn.dynamics.model import Model as Model
    from locodyn.errors import (
        DescriptionError as DescriptionError,
        InputError as InputError,
        LocodynError as LocodynError,
        RunError as RunError,
    )
    from locodyn.files import (
        load_robot as load_robot,
        save_robot as save_robot,
        scenario_of as scenario_of,
    )
    from locodyn.locomotion.contact.friction_problem import contact_problem as contact_problem
    from locodyn.integrate.methods import (
        Adaptive as Adaptive,
        GeneralizedAlpha as GeneralizedAlpha,
        Moreau as Moreau,
        Radau3 as Radau3,
    )
    from locodyn.linearisation.linearise import linearise as linearise
    from locodyn.locomotion.servo import Servo as Servo
    from locodyn.motion.function import function as function
    from locodyn.motion import (
        constant as constant,
        cosine as cosine,
        polynomial as polynomial,
        ramp as ramp,
        samples as samples,
        sine as sine,
        spline as spline,
    )
    from locodyn.phases import Phases as Phases
    from locodyn.robot import (
        Box as Box,
        Capsule as Capsule,
        Circle as Circle,
        Compound as Compound,
        Cylinder as Cylinder,
        Ellipsoid as Ellipsoid,
        Friction as Friction,
        Material as Material,
        Mesh as Mesh,
        Rectangle as Rectangle,
        Robot as Robot,
        Sphere as Sphere,
        StrainField as StrainField,
        about_centre as about_centre,
        about_origin as about_origin,
        aluminium as aluminium,
        roll_pitch_yaw as roll_pitch_yaw,
        roll_pitch_yaw_of as roll_pitch_yaw_of,
        rotation_about as rotation_about,
        silicone as silicone,
        standing as standing,
        steel as steel,
        travelling as travelling,
        travelling_bump as travelling_bump,
    )
    from locodyn.sim.simulate import simulate as simulate, statics as statics
    from locodyn.sim import (
        Result as Result,
        Scenario as Scenario,
        Sensor as Sensor,
        Start as Start,
        workspace as workspace,
    )
    from locodyn.world import (
        Anchor as Anchor,
        Drag as Drag,
        Feedback as Feedback,
        Ground as Ground,
        LuGre as LuGre,
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
