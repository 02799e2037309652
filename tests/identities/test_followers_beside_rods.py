"""Dependent joints beside rods and passive joints that carry no wheel: kinematics of the wheels, dynamics of the rest.

The wheels give the motion of the base and of the dependent joints D; a rod or a flap L that no wheel feels then moves as on a
body whose motion is given: M_LL a_L = tau_L - (h + M a)_L. Both are solved densely here, with rows from markers and elastic
forces EI l / (2 k + 1) q_k of the modes of Legendre (Gotelli 2024, (2.38)).
"""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from constrained_cases import GRAVITY, Case, random_law
from feature_cases import BASES
from locodyn.locomotion.problem import Problem
from locodyn.robot import GivenSection, Robot, rotation_about
from random_robots import random_inertia

pytestmark = pytest.mark.slow

LENGTH, BENDING, MODES, DAMPING = 0.4, 3.0, 2, 0.02
SECTION = GivenSection((1.0, 1.0, 1.0, 1.0, 1.0, BENDING), mass=1.5, inertia=(1e-3, 1e-3, 1e-3))
ROD = {"length": LENGTH, "section": SECTION, "bending": (0, MODES), "nodes": 6, "damping": DAMPING}
FLAP = 0.7  # N m/rad


class Train(Case):
    """``followers``: dependent coordinates; ``loose``: those of rods and flaps."""

    followers: list[int]
    loose: list[int]


def train(rng: np.random.Generator) -> Train:
    """Three wheeled bodies with imposed hinges, two that follow; a rod on the second and on the last, a flap on the fourth."""
    case = Train(Robot("train"))
    case.robot.base("b0", moves="planar", **random_inertia(rng))
    case.wheel("b0", (*(0.2 * rng.standard_normal(2)), -0.1), rng.uniform(-1.0, 1.0), "fixed", rng)
    for i in range(1, 5):
        at, turned = (rng.uniform(0.2, 0.5), 0.1 * rng.standard_normal(), 0.0), rotation_about("z", rng.uniform(-0.5, 0.5))
        case.robot.body(f"b{i}", **random_inertia(rng)).on(f"b{i - 1}", at=at, turned=turned).turning("z")
        case.wheel(f"b{i}", (rng.uniform(0.1, 0.4), 0.05, -0.1), rng.uniform(-0.5, 0.5), "fixed", rng)
    case.robot["b1"].rod("feeler", at=(0.0, 0.1, 0.0), turned=("z", rng.uniform(0.5, 2.0)), **ROD)
    case.robot["b4"].rod("tail", at=(0.3, 0.0, 0.0), **ROD)
    flap = case.robot.body("flap", **random_inertia(rng)).on("b3", at=(0.0, 0.2, 0.0)).turning("z")
    flap.actuator(stiffness=FLAP)
    case.model = case.robot.model(gravity=GRAVITY)
    names = list(case.model.compiled.coordinate_names)
    case.imposed = {names.index(name): random_law(rng) for name in ("b1", "b2")}
    case.followers = [names.index("b3"), names.index("b4")]
    case.loose = [i for i, name in enumerate(names) if name.split(".")[0] in ("feeler", "tail", "flap")]
    case.problem = Problem(case.model, case.imposed, dependent=case.followers)
    return case


def good_train(seed: int) -> Train:
    """The first one whose rows are well conditioned in the coordinates that they determine."""
    for attempt in range(200):
        rng = np.random.default_rng(1000 * seed + attempt)
        case = train(rng)
        q, v = 0.5 * rng.standard_normal(case.model.nv), rng.standard_normal(case.model.nv)
        for i, law in case.imposed.items():
            q[i], v[i] = law.at(case.time)[:2]
        jacobian = np.array([row.jacobian for row in case.rows(case.time, q, v)])
        values = np.linalg.svd(jacobian[:, [0, 1, 2, *case.followers]], compute_uv=False)
        head = np.linalg.svd(jacobian[:3, :3], compute_uv=False)
        if values[-1] > 0.02 * values[0] and head[-1] > 0.02 * head[0]:
            case.q, case.v = case.problem.imposed_state(case.time, q, v)
            np.testing.assert_array_equal(case.v[case.loose], v[case.loose])  # wheels ask nothing of them
            return case
    raise AssertionError("no good train in 200 attempts")


def loose_forces(case: Train) -> np.ndarray:
    """Of the springs of rods and flap, along the loose coordinates."""
    names, found = case.model.compiled.coordinate_names, []
    for i in case.loose:
        if names[i] == "flap":
            found.append(-FLAP * case.q[i])
        else:
            stiffness = BENDING * LENGTH / (2.0 * int(names[i].rsplit(".", 1)[1]) + 1.0)
            found.append(-stiffness * (case.q[i] + DAMPING * case.v[i]))
    return np.array(found)


@pytest.mark.parametrize("seed", range(6))
def test_wheels_move_the_robot_and_dynamics_the_rest(seed: int) -> None:
    """Condition below 50: 1e-11 is 2e3 round-offs, of speeds and accelerations; forces of accelerations up to 100 m/s^2."""
    case = good_train(seed)
    t, q, v, model, loose = case.time, case.q, case.v, case.model, case.loose
    rows = case.rows(t, q, v)
    jacobian, drift = np.array([row.jacobian for row in rows]), np.array([row.drift for row in rows])
    moved, held = [0, 1, 2, *case.followers], list(case.imposed)
    assert np.abs(jacobian[:, loose]).max() == 0.0
    np.testing.assert_allclose(v[moved], np.linalg.solve(jacobian[:, moved], -jacobian[:, held] @ v[held]), atol=1e-11)
    wanted = np.zeros(model.nv)
    wanted[held] = [case.imposed[i].at(t)[2] for i in held]
    wanted[moved] = np.linalg.solve(jacobian[:, moved], -drift - jacobian[:, held] @ wanted[held])
    mass, bias = model.mass_matrix(q), model.bias(q, v)
    right = loose_forces(case) - bias[loose] - mass[loose] @ wanted
    wanted[loose] = np.linalg.solve(mass[np.ix_(loose, loose)], right)
    a = case.problem.accelerations(t, q.copy(), v.copy())
    np.testing.assert_allclose(a, wanted, atol=1e-10 * max(1.0, np.abs(wanted).max()))
    # Forces: of smallest norm where the base is held; the loose parts need none but their springs'.
    series = case.problem.series(np.array([t]), q[None], v[None])
    need = mass @ wanted + bias
    multipliers = np.linalg.pinv(jacobian[:, :3].T) @ need[:3]
    scale = np.abs(need).max()
    np.testing.assert_allclose(series["multiplier"][0], multipliers, atol=1e-9 * scale)
    driven = [*held, *case.followers]
    np.testing.assert_allclose(
        series["joint_torque"][0][np.array(driven) - 3], (need - jacobian.T @ multipliers)[driven], atol=1e-9 * scale
    )


def whip(loose: bool) -> ld.Scenario:
    """Four links on skates, two joints imposed and the last one dependent, with or without a rod and a flap on the last link."""
    robot, given = BASES["train"]()
    del given["speeds"]
    if loose:
        robot["third"].rod("tail", at=(0.3, 0.0, 0.0), **ROD)
        robot.body("flap", mass=0.1, centre=(0.1, 0.0, 0.0), inertia=ld.about_centre(zz=1e-3)).on("arm").turning("z")
    return ld.Scenario("whip", robot, **given, t_end=0.1, dt=5e-4, record_every=20)


@pytest.mark.parametrize(("method", "order"), [("gauss2", 4), ("generalized_alpha", 2), ("moreau", 1), ("event_driven", 0)])
def test_all_methods_move_them_alike(method: str, order: int) -> None:
    """Implicit methods, Moreau's and events move dependent joints as passive ones; Runge-Kutta has equations of its own for them.

    Half the step leaves 2^-p of the errors of positions, torques and multipliers, here 2^-(p - 0.6) at least, or 1e-7 as
    by events (their tolerance is 1e-9 a step); multipliers of Moreau are means since the last record, torques over the last
    step. Links go where they go without tail and flap.
    """
    exact = whip(True).changed(integrator="rkmk4", dt=2.5e-4, record_every=40).run(progress=False)
    bare = whip(False).changed(integrator=method).run(progress=False)
    coarse, fine = (
        whip(True).changed(integrator=method, dt=dt, record_every=round(0.01 / dt)).run(progress=False) for dt in (1e-3, 5e-4)
    )
    told = ("joint_position", "joint_torque") if method == "moreau" else ("joint_position", "joint_torque", "multiplier")
    assert fine.status == "completed"
    for name in told:
        wanted, one, two = (getattr(result, name).values[1:] for result in (exact, coarse, fine))
        errors = [np.abs(values - wanted).max() / np.abs(wanted).max() for values in (one, two)]
        assert errors[1] < 1e-7 or (order and errors[1] < 0.02 and errors[0] / errors[1] > 2.0 ** (order - 0.6)), (name, errors)
    names = [str(name) for name in bare.joint_position.joint.values]
    links = [result.joint_position.sel(joint=names).values for result in (bare, fine)]
    np.testing.assert_allclose(links[1], links[0], atol=1e-8)
    assert np.abs(exact.joint_torque.sel(joint="third").values).max() > 1e-3
    assert np.abs(exact.joint_torque.sel(joint="flap").values).max() == 0.0
    assert np.abs(exact.rod_strain.values[-1]).max() > 1e-3  # it swings


def struck(method: str, dt: float, peg: tuple[float, float, float]) -> ld.Result:
    """The train with a soft rod alone, whose tip may hit a peg."""
    robot, given = BASES["train"]()
    del given["speeds"]
    section, material = ld.Circle(0.01), ld.Material(young=1e6, density=1000.0, shear=1e6 / 3.0)
    rod = {"length": 0.3, "section": section, "material": material, "bending": (0, 2), "nodes": 5, "damping": 0.01}
    robot["third"].rod("tail", at=(0.3, 0.0, 0.0), **rod)
    robot["tail"].collides(ld.Sphere(0.01), friction=0.2, restitution=0.5)
    obstacles, every = [ld.Obstacle(ld.Sphere(0.03), at=peg)], round(0.01 / dt)
    whole = {**given, "obstacles": obstacles, "t_end": 0.3, "dt": dt, "record_every": every, "integrator": method}
    return ld.Scenario("whip", robot, **whole).run(progress=False)


def test_an_impact_on_a_rod_behind_a_dependent_joint() -> None:
    """Time stepping and events, which have no formula of impacts in common, end at one place.

    An impact is placed within a step of its time, so that the tip errs by a step times the jump of its velocity, which is at most
    (1 + e) times its speed. The energy account of time stepping closes with the second power of the step, and the links go where
    they go without the peg.
    """
    away, near = (10.0, 0.0, 0.0), (-0.147, 0.887, 0.0)  # on the path of the tip, 0.06 m from its start
    coarse, fine = 2.5e-4, 1.25e-4
    free, one, two = (struck("moreau", dt, peg) for dt, peg in ((coarse, away), (coarse, near), (fine, near)))
    exact = struck("event_driven", 1e-3, near)
    ends = [result.body_position.sel(body="tail").values[-1] for result in (free, two, exact)]
    path = free.body_position.sel(body="tail").values
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1).max() / 0.01
    assert np.linalg.norm(ends[1] - ends[2]) < 1.5 * speed * fine < 0.01 * np.linalg.norm(ends[0] - ends[2])
    defects = [abs(result.attributes["energy_defect"]) / result.attributes["energy_scale"] for result in (one, two)]
    assert defects[0] < 1e-6 and (defects[0] / defects[1] > 2.0**1.4 or defects[1] < 1e-9)
    links = [result.joint_position.sel(joint=["arm", "second", "third"]).values for result in (free, one)]
    np.testing.assert_allclose(links[1], links[0], atol=1e-12)


@pytest.mark.parametrize(("part", "moving"), [("rod", "tail.bending_z.1"), ("hinge", "last")])
def test_nothing_swings_between_a_dependent_joint_and_a_wheel(part: str, moving: str) -> None:
    """A rod or a hinge there would move as the wheels and the dependent joint share their load, which nothing decides."""
    robot, given = BASES["train"]()
    del given["speeds"]
    last = robot.body("last", mass=0.1, inertia=ld.about_centre(zz=1e-3))
    if part == "rod":
        robot["third"].rod("tail", at=(0.3, 0.0, 0.0), **ROD)
        last.on("tail").fixed()
    else:
        last.on("third", at=(0.4, 0.0, 0.0)).turning("z")
    last.skate("edge of last", at=(0.1, 0.0, 0.0), along="x")
    with pytest.raises(ld.InputError, match=rf"'third' cannot be dependent: between it and 'edge of last', '{moving}' moves"):
        ld.simulate(robot, **given, t_end=0.1, progress=False)
    given["dependent"] = []
    assert (
        ld.Scenario("passive", robot, **given, t_end=0.01, dt=1e-3, integrator="gauss2").run(progress=False).status == "completed"
    )
