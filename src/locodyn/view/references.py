"""Where things come from: the sources that a result rests on, in full. The same list is in ``docs/references.md``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from locodyn.integrate.methods import METHODS

if TYPE_CHECKING:
    from locodyn.sim import Result

# short name -> (how it is found in a text, the source in full)
SOURCES: dict[str, tuple[str, str]] = {
    "Ali 2011": (
        r"Ali 2011",
        "S. Ali, Newton-Euler approach for bio-robotics locomotion dynamics: from discrete to continuous systems, PhD thesis,"
        " École des Mines de Nantes, 2011, tel-00669588",
    ),
    "Bennett 1903": (
        r"Bennett 1903",
        "G. T. Bennett, A new mechanism, Engineering 76",
    ),
    "Bricard 1897": (
        r"Bricard 1897",
        "R. Bricard, Mémoire sur la théorie de l'octaèdre articulé, Journal de mathématiques pures et appliquées 3",
    ),
    "González et al. 2006": (
        r"IFToMM library of multibody benchmarks",
        "M. González, D. Dopico, U. Lugrís, J. Cuadrado, A benchmarking system for MBS simulation software: problem"
        " standardization and performance measurement, Multibody System Dynamics 16",
    ),
    "Brüls et al. 2012": (
        r"Br[uü]ls[^;]*2012",
        "O. Brüls, A. Cardona, M. Arnold, Lie group generalized-alpha time integration of constrained flexible multibody systems,"
        " Mechanism and Machine Theory 48",
    ),
    "Chaplygin 1911": (
        r"Chaplygin 1911",
        "S. A. Chaplygin, On the theory of motion of nonholonomic systems. The reducing-multiplier theorem, Matematicheskii"
        " Sbornik 28 (English translation: Regular and Chaotic Dynamics 13(4), 2008)",
    ),
    "Kane, Scher 1969": (
        r"Kane(,| and) Scher 1969",
        "T. R. Kane, M. P. Scher, A dynamical explanation of the falling cat phenomenon, Int. J. Solids and Structures 5",
    ),
    "Kelly, Murray 1996": (
        r"Kelly(,| and) Murray 1996",
        "S. D. Kelly, R. M. Murray, The geometry and control of dissipative systems, 35th IEEE Conference on Decision and"
        " Control",
    ),
    "Chitta et al. 2005": (
        r"Chitta[^;]* 2005",
        "S. Chitta, P. Cheng, E. Frazzoli, V. Kumar, RoboTrikke: a novel undulatory locomotion system, IEEE International"
        " Conference on Robotics and Automation",
    ),
    "Krishnaprasad, Tsakiris 2001": (
        r"Krishnaprasad(,| and) Tsakiris 2001",
        "P. S. Krishnaprasad, D. P. Tsakiris, Oscillations, SE(2)-snakes and motion control: a study of the roller racer,"
        " Dynamical Systems 16(4)",
    ),
    "Mauny et al. 2017": (
        r"Mauny[^;]*2017",
        "J. Mauny, M. Porez, F. Boyer, Symbolic dynamic modelling of locomotion systems with persistent contacts - application to"
        " the 3D bicycle, IFAC World Congress 2017",
    ),
    "Meijaard et al. 2007": (
        r"Meijaard[^;]*2007",
        "J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a"
        " bicycle: a benchmark and review, Proc. R. Soc. A 463",
    ),
    "Kane, Levinson 1982": (
        r"Kane(,| and) Levinson 1982",
        "T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear Mechanics 17(3)",
    ),
    "Hubbard 1979": (
        r"Hubbard 1979",
        "M. Hubbard, Lateral dynamics and stability of the skateboard, ASME J. Applied Mechanics 46",
    ),
    "Wisse, Schwab 2005": (
        r"Wisse(,| and) Schwab 2005",
        "M. Wisse, A. L. Schwab, Skateboards, bicycles, and three-dimensional biped walking machines: velocity-dependent"
        " stability by means of lean-to-yaw coupling, Int. J. Robotics Research 24(6)",
    ),
    "Routh 1905": (
        r"Routh 1905",
        "E. J. Routh, The Advanced Part of a Treatise on the Dynamics of a System of Rigid Bodies, 6th edition, Macmillan",
    ),
    "Neimark, Fufaev 1972": (
        r"Neimark(,| and) Fufaev 1972",
        "J. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, American Mathematical Society",
    ),
    "Gotelli 2024": (
        r"Gotelli 2024",
        "A. Gotelli, Dynamics modelling of continuum parallel robots, PhD thesis, École centrale de Nantes, 2024, tel-05351835",
    ),
    "Transeth 2007": (
        r"Transeth \(?2007",
        "A. A. Transeth, Modelling and control of snake robots, PhD thesis, Norwegian University of Science and Technology,"
        " Trondheim, 2007",
    ),
    "Glocker 1995": (
        r"Glocker \(?1995",
        "C. Glocker, Dynamik von Starrkörpersystemen mit Reibung und Stößen, VDI Fortschritt-Berichte 18(182), 1995",
    ),
    "Leine et al. 2003": (
        r"Leine[^;]*2003",
        "R. I. Leine, D. H. van Campen, C. Glocker, Nonlinear dynamics and modeling of various wooden toys with impact and"
        " friction, J. Vibration and Control 9(1-2)",
    ),
    "Dorbolo et al. 2005": (
        r"Dorbolo[^;]*2005",
        "S. Dorbolo, D. Volfson, L. Tsimring, A. Kudrolli, Dynamics of a bouncing dimer, Physical Review Letters 95, 044101",
    ),
    "Euler 1744": (
        r"Euler 1744",
        "L. Euler, Methodus inveniendi lineas curvas maximi minimive proprietate gaudentes, Additamentum I: De curvis elasticis,"
        " Bousquet, Lausanne and Geneva",
    ),
    "Bathe, Bolourchi 1979": (
        r"Bathe(,| and) Bolourchi 1979",
        "K.-J. Bathe, S. Bolourchi, Large displacement analysis of three-dimensional beam structures, Int. J. Numerical"
        " Methods in Engineering 14",
    ),
    "Argyris, Symeonidis 1981": (
        r"Argyris(,| and) Symeonidis 1981",
        "J. H. Argyris, S. Symeonidis, Nonlinear finite element analysis of elastic systems under nonconservative loading -"
        " natural formulation. Part I: quasistatic problems, Computer Methods in Applied Mechanics and Engineering 26",
    ),
    "Simo, Vu-Quoc 1986": (
        r"(?<!1981; )Simo(,| and) Vu-Quoc 1986",
        "J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions - the plane case, Parts I and"
        " II, ASME J. Applied Mechanics 53",
    ),
    "Simo, Vu-Quoc 1986 (statics)": (
        r"1981; Simo(,| and) Vu-Quoc 1986",
        "J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model. Part II: computational aspects, Computer"
        " Methods in Applied Mechanics and Engineering 58",
    ),
    "Dowell, Traybar 1975": (
        r"Dowell(,| and) Traybar 1975",
        "E. H. Dowell, J. J. Traybar, An experimental study of the nonlinear stiffness of a rotor blade undergoing flap, lag"
        " and twist deformations, AMS Report 1194, Princeton University",
    ),
    "Bauchau et al. 2016": (
        r"Bauchau[^;]*2016",
        "O. A. Bauchau, P. Betsch, A. Cardona, J. Gerstmayr, B. Jonker, P. Masarati, V. Sonneville, Validation of flexible"
        " multibody dynamics beam formulations using benchmark problems, Multibody System Dynamics 37",
    ),
    "Kane et al. 1987": (
        r"Kane, Ryan(,| and) Banerjee 1987",
        "T. R. Kane, R. R. Ryan, A. K. Banerjee, Dynamics of a cantilever beam attached to a moving base, J. Guidance,"
        " Control, and Dynamics 10(2)",
    ),
    "Boyer et al. 2010": (
        r"Boyer, Porez and Leroyer 2010|Boyer et al\. 2010",
        "F. Boyer, M. Porez, A. Leroyer, Poincare-Cosserat equations for the Lighthill three-dimensional large amplitude"
        " elongated body theory: application to robotics, J. Nonlinear Sci. 20",
    ),
    "Bouguer 1746": (r"Bouguer 1746", "P. Bouguer, Traite du navire, Paris, 1746"),
    "Lamb 1932": (r"\bLamb\b", "H. Lamb, Hydrodynamics, 6th edition, Cambridge University Press"),
    "Lighthill 1971": (
        r"Lighthill 1971",
        "M. J. Lighthill, Large-amplitude elongated-body theory of fish locomotion, Proc. R. Soc. B 179",
    ),
    "Webster, Jones 2010": (
        r"Webster(,| and) Jones 2010",
        "R. J. Webster III, B. A. Jones, Design and kinematic modeling of constant curvature continuum robots: a review, Int."
        " J. Robotics Research 29(13)",
    ),
    "Garcia et al. 1998": (
        r"Garcia[^;]*1998",
        "M. Garcia, A. Chatterjee, A. Ruina, M. Coleman, The simplest walking model: stability, complexity, and scaling,"
        " ASME J. Biomechanical Engineering 120(2)",
    ),
    "Goswami et al. 1998": (
        r"Goswami[^;]*1998",
        "A. Goswami, B. Thuilot, B. Espiau, A study of the passive gait of a compass-like biped robot: symmetry and"
        " chaos, Int. J. Robotics Research 17(12)",
    ),
    "McGeer 1990": (
        r"McGeer 1990",
        "T. McGeer, Passive dynamic walking, Int. J. Robotics Research 9(2)",
    ),
    "Coleman et al. 1997": (
        r"Coleman[^;]*1997",
        "M. J. Coleman, A. Chatterjee, A. Ruina, Motions of a rimless spoked wheel: a simple three-dimensional system"
        " with impacts, Dynamics and Stability of Systems 12(3)",
    ),
    "Chen 2007": (
        r"Chen 2007",
        "V. F. Hsu Chen, Passive dynamic walking with knees: a point foot model, Master's thesis, Massachusetts"
        " Institute of Technology, 2007",
    ),
    "Blickhan 1989": (
        r"Blickhan 1989",
        "R. Blickhan, The spring-mass model for running and hopping, J. Biomechanics 22, 1989, 1217-1227",
    ),
    "Schiehlen 1990": (
        r"Schiehlen 1990",
        "W. Schiehlen (editor), Multibody Systems Handbook, Springer, 1990",
    ),
    "Mazzia, Magherini 2008": (
        r"Mazzia[^;]*2008",
        "F. Mazzia, C. Magherini, Test set for initial value problem solvers, release 2.4, University of Bari, 2008",
    ),
    "Seyfarth et al. 2002": (
        r"Seyfarth[^;]*2002",
        "A. Seyfarth, H. Geyer, M. Guenther, R. Blickhan, A movement criterion for running, J. Biomechanics 35, 2002, 649-655",
    ),
    "Canudas de Wit et al. 1995": (
        r"Canudas de Wit[^;]*1995",
        "C. Canudas de Wit, H. Olsson, K. J. Astrom, P. Lischinsky, A new model for control of systems with friction, IEEE"
        " Trans. Automatic Control 40, 1995, 419-425",
    ),
    "Aguirre 2010": (
        r"Aguirre \(?2010",
        "P. Aguirre, thesis on modelling, simulation and control of the planar biped RABBIT, October 2010",
    ),
    "Westervelt et al. 2003": (
        r"Westervelt[^;]*2003",
        "E. R. Westervelt, J. W. Grizzle, D. E. Koditschek, Hybrid zero dynamics of planar biped walkers, IEEE Trans."
        " Automatic Control 48(1)",
    ),
}
# What every run rests on.
ALWAYS = {
    "Featherstone 1983": "R. Featherstone, The calculation of robot dynamics using articulated-body inertias, Int. J. Robotics"
    " Research 2(1)"
}


def cited(result: Result) -> list[tuple[str, str]]:
    """Short name and full source of everything that the robot, its parameters, its checks and the integrator rest on."""
    from locodyn.zoo.registry import module, robot_of

    about = result.attributes
    method = METHODS[str(about["integrator"])]
    words = [p["source"] for p in json.loads(about["parameter_table"])]
    robot = robot_of(str(about["scenario"]))
    if robot is not None:
        words.append(module(robot).__doc__ or "")
    if result.scenario is not None:
        words += [check.source for check in result.scenario.checks]
    text = " ; ".join(words)
    found = {name: full for name, (pattern, full) in SOURCES.items() if re.search(pattern, text)}
    return list({**found, **dict(method.sources), **ALWAYS}.items())


def all_sources() -> dict[str, str]:
    """Every source that a result may cite: short name and full."""
    return {
        **{name: full for name, (_, full) in SOURCES.items()},
        **{name: full for method in METHODS.values() for name, full in method.sources},
        **ALWAYS,
    }
