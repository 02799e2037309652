"""Snakeboard (Ali 2011, section 4.2): a board with a rotor and two steered axles moves by turning its rotor.

Rotor S_1 (angle psi) in the middle of board S_0; axles S_2 at +l (angle -phi) and S_3 at -l (angle +phi). Two ideal axles on
SE(2) leave one free direction, so the board is under-constrained. Inertia set A fulfils I_o + I_r + 2 I_w + 2 m_w l^2 = m l^2, on
which the formulas (4.12)-(4.20) of Ali rest; set B does not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.motion import Law, sine
from locodyn.robot import Box, Cylinder, Robot, about_centre
from locodyn.sim import Check, Kind, Parameter, Result, Scenario
from locodyn.zoo import measures

DOC = "Ali 2011, 4.2"
CHOSEN = "chosen (Ali 2011, 4.2 gives formulas only)"
PARAMETERS = (
    Parameter("gait", "drive", "-", CHOSEN, "forward, on the spot, sideways", choices=("drive", "rotate", "park")),
    Parameter("inertia", "A", "-", CHOSEN, "A: (4.12)-(4.20) of Ali (2011) hold; B: they do not", choices=("A", "B")),
    Parameter("l", 0.2, "m", CHOSEN, "distance of the axles from the middle of the board", above=0.0),
    Parameter("m_o", 2.0, "kg", CHOSEN, "mass of the board", above=0.0),
    Parameter("m_r", 1.0, "kg", CHOSEN, "mass of the rotor", above=0.0),
    Parameter("m_w", 0.5, "kg", CHOSEN, "mass of each axle", above=0.0),
    Parameter("I_oA", 0.076, "kg m^2", CHOSEN, "moment of the board about z in set A", above=0.0),
    Parameter("I_oB", 0.030, "kg m^2", CHOSEN, "moment of the board about z in set B", above=0.0),
    Parameter("I_r", 0.04, "kg m^2", CHOSEN, "moment of the rotor about z", above=0.0),
    Parameter("I_w", 0.002, "kg m^2", CHOSEN, "moment of each axle about z", above=0.0),
    Parameter("a_phi", 0.4, "rad", CHOSEN, "amplitude of the steering angle phi"),
    Parameter("a_psi", 0.8, "rad", CHOSEN, "amplitude of the rotor angle psi"),
    Parameter("w", 2.0, "rad/s", CHOSEN, "base frequency of the gait", above=0.0, aliases=("omega",)),
)
VALIDATION: tuple[dict[str, Any], ...] = ({}, {"inertia": "B"}, {"gait": "rotate"}, {"gait": "park"})

# Frequencies of phi and psi as multiples of w.
GAITS = {"drive": (1, 1), "rotate": (1, 2), "park": (2, 3)}


def robot(p: dict[str, Any]) -> Robot:
    """Board, rotor, two axles with ideal wheels."""
    board_inertia = p["I_oA"] if p["inertia"] == "A" else p["I_oB"]
    snakeboard = Robot("snakeboard")
    plank = Box((2 * p["l"], 0.1, 0.02))
    board = snakeboard.base("board", moves="planar", mass=p["m_o"], inertia=about_centre(zz=board_inertia), shape=plank)
    disc, rail = Cylinder(radius=0.12, length=0.03, axis="z"), Cylinder(radius=0.02, length=0.16, axis="y")
    rotor = snakeboard.body("rotor", mass=p["m_r"], inertia=about_centre(zz=p["I_r"]), shape=disc)
    rotor.on(board).turning("z", name="joint_1")
    for number, name, x in ((2, "front", p["l"]), (3, "rear", -p["l"])):
        axle = snakeboard.body(name, mass=p["m_w"], inertia=about_centre(zz=p["I_w"]), shape=rail)
        axle.on(board, at=(x, 0.0, 0.0)).turning("z", name=f"joint_{number}").wheels(axis="y")
    return snakeboard


def motion(p: dict[str, Any]) -> dict[str, Law]:
    """psi, -phi and +phi."""
    steering, turning = (k * p["w"] for k in GAITS[p["gait"]])
    phi = sine(p["a_phi"], omega=steering)
    return {"joint_1": sine(p["a_psi"], omega=turning), "joint_2": -1 * phi, "joint_3": phi}


def scenario(p: dict[str, Any]) -> Scenario:
    """Ten seconds from rest."""
    return Scenario("snakeboard", robot(p), imposed=motion(p), t_end=10.0, dt=0.01, checks=(*own_checks(p), *checks(p)))


def torque_defect(p: dict[str, Any], result: Result) -> float:
    """Largest difference of the joint torques from (4.20) in set A, N m; xi from eta_0 = (-2 l cos^2 phi, 0, sin 2 phi) xi."""
    phi, rate, turn = (
        x.sel(joint="joint_3").values for x in (result.joint_position, result.joint_velocity, result.joint_acceleration)
    )
    psi = result.joint_acceleration.sel(joint="joint_1").values
    m, half, i_r, i_w = p["m_o"] + p["m_r"] + 2 * p["m_w"], p["l"], p["I_r"], p["I_w"]
    xi = -result.twist.values[:, 0] / (2 * half * np.cos(phi) ** 2)
    coupled = 2 * np.cos(phi) ** 2 * rate * xi - i_r / (m * half**2) * np.sin(phi) ** 2 * psi
    wanted = np.column_stack([i_r * (psi + coupled), i_w * (coupled - turn), i_w * (coupled + turn)])
    return float(np.abs(result.joint_torque.values - wanted).max())


def checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """What holds for any parameters."""
    found = [
        Check("side slip of both axles (m/s)", 0.0, 1e-10, measures.side_slip, "ideal wheels", Kind.CLOSED_FORM),
        Check("power balance tau.rdot = dT/dt (relative)", 0.0, 1e-12, measures.power_balance, "first law", Kind.CONSERVATION),
    ]
    if p["inertia"] == "A" and all(p[q.name] == q.value for q in PARAMETERS[2:10]):
        found.append(
            Check("torques equal (4.20) (N m)", 0.0, 1e-12, lambda r: torque_defect(p, r), f"{DOC}, (4.20)", Kind.CLOSED_FORM)
        )
    return tuple(found)


def own_checks(p: dict[str, Any]) -> tuple[Check, ...]:
    """Independent values for the parameters of the table above."""
    if not all(p[q.name] == q.value for q in PARAMETERS[2:]):
        return ()
    source, cycle = "independent integration (DOP853, 1e-12)", 2.0 * math.pi / p["w"]
    known = {
        ("drive", "A"): ("pose(10) (m, rad)", (-1.485843, 0.044811, -0.114662), 1e-5, measures.final_pose),
        ("drive", "B"): ("pose(10) (m, rad)", (-1.5259, 0.0474, -0.1191), 1e-4, measures.final_pose),
        ("rotate", "A"): ("turn in a cycle (rad)", 0.19402, 1e-4, lambda r: measures.step_of_cycle(r, cycle)[2]),
        ("park", "A"): ("step in a cycle, dy (m)", -0.014770, 1e-5, lambda r: measures.step_of_cycle(r, cycle)[1]),
    }
    found = known.get((p["gait"], p["inertia"]))
    return () if found is None else (Check(*found, source, Kind.INDEPENDENT),)
