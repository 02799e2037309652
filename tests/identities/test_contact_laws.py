"""Friction sets: projections, their derivatives, the flow rule; the three solvers on one problem with one solution."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.robot import Friction, Robot, Sphere
from locodyn.world.contact_pairs import LAW_CODES
from locodyn.world.friction_sets import disc_projection, ellipse_projection, tangential_response

pytestmark = pytest.mark.slow

rng = np.random.default_rng(0)


def test_ellipse_projection_is_the_nearest_point():
    angles = np.linspace(0.0, 2.0 * np.pi, 200001)
    for _ in range(20):
        a, b, *x = rng.uniform(0.1, 1.0, 2).tolist() + rng.normal(size=2).tolist()
        px, py, *_ = ellipse_projection(x[0], x[1], a, b)
        edge = np.array([a * np.cos(angles), b * np.sin(angles)])
        inside = (x[0] / a) ** 2 + (x[1] / b) ** 2 <= 1.0
        best = 0.0 if inside else np.hypot(edge[0] - x[0], edge[1] - x[1]).min()
        assert np.hypot(px - x[0], py - x[1]) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("law", ["coulomb", "rectangle", "regularised", "arctan", "viscous"])
def test_derivative_of_the_response(law):
    """-dz/dw against central differences (1e-6: 1e-9 of round-off), for a set with backward unlike forward."""
    forward, backward = (0.4, 1.0) if law == "coulomb" else (1.0, 1.0)
    for _ in range(50):
        zx, zy, wx, wy = rng.normal(size=4).tolist()
        arguments = (LAW_CODES[law], 0.7, forward, backward, 0.3, 0.5, 0.2, zx, zy)
        _, _, dxx, dxy, dyy = tangential_response(*arguments, wx, wy, 2.0)
        h = 1e-6
        ahead, back = tangential_response(*arguments, wx + h, wy, 2.0), tangential_response(*arguments, wx - h, wy, 2.0)
        assert [(b - a) / (2 * h) for a, b in zip(ahead[:2], back[:2], strict=True)] == pytest.approx([dxx, dxy], abs=1e-7)
        ahead, back = tangential_response(*arguments, wx, wy + h, 2.0), tangential_response(*arguments, wx, wy - h, 2.0)
        assert [(b - a) / (2 * h) for a, b in zip(ahead[:2], back[:2], strict=True)] == pytest.approx([dxy, dyy], abs=1e-7)


def test_slip_on_an_ellipse_follows_the_associated_law():
    """The fixed point of z = proj(z - rho w) at a given velocity: lambda = -A^2 gamma / |A gamma| in both forms."""
    for _ in range(20):
        mu, load, velocity = rng.uniform(0.1, 1.0, 2), rng.uniform(0.5, 2.0), rng.normal(size=2)
        expected = -((mu * load) ** 2) * velocity / np.linalg.norm(mu * load * velocity)
        z = np.zeros(2)
        for _ in range(2000):  # change of variables: a disc
            z = np.array(disc_projection(*(z - 0.5 * mu * velocity), load)[:2])
        assert mu * z == pytest.approx(expected, abs=1e-8)
        force = np.zeros(2)
        for _ in range(2000):  # root form: an ellipse
            force = np.array(ellipse_projection(*(force - 0.5 * velocity), *(mu * load))[:2])
        assert force == pytest.approx(expected, abs=1e-8)


def fixed_point(project, g, c, variables):
    """P <- prox(P - r (G P + c)) of three contacts in scaled variables P = variables * Z, to round-off."""
    g, c = variables[:, None] * g * variables, variables * c
    r, z = 1.0 / np.linalg.eigvalsh(g).max(), np.zeros(6)
    for _ in range(200000):
        moved = z - r * (g @ z + c)
        new = np.concatenate([project(k, *moved[2 * k : 2 * k + 2]) for k in range(3)])
        change, z = np.abs(new - z).max(), new
        if change < 1e-14:
            break
    return variables * z


@pytest.mark.parametrize("seed", range(8))
def test_ellipse_and_change_of_variables_solve_the_same_problem(seed):
    """Row prox: three coupled contacts, -(G P + c) in the normal cone of ellipses. Projection on ellipses (root form), discs
    after a change of variables, and the quadratic programme of the law by another code have one solution."""
    from scipy.optimize import minimize

    random = np.random.default_rng(seed)
    factor, c = random.normal(size=(6, 6)), 2.0 * random.normal(size=6)
    g, axes = factor @ factor.T + 0.3 * np.eye(6), random.uniform(0.1, 1.0, (3, 2))
    root = fixed_point(lambda k, x, y: ellipse_projection(x, y, *axes[k])[:2], g, c, np.ones(6))
    disc = fixed_point(lambda k, x, y: disc_projection(x, y, 1.0)[:2], g, c, axes.ravel())
    assert root == pytest.approx(disc, abs=1e-8)
    inside = [{"type": "ineq", "fun": lambda p, k=k: 1.0 - np.sum((p[2 * k : 2 * k + 2] / axes[k]) ** 2)} for k in range(3)]
    other = minimize(
        lambda p: 0.5 * p @ g @ p + c @ p, np.zeros(6), jac=lambda p: g @ p + c, method="SLSQP", constraints=inside,
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert disc == pytest.approx(other.x, abs=1e-6)


def test_rectangle_is_the_double_sign_law():
    """Row prox: each direction by itself, -mu N sign(v), whatever the other does; and a puck that slides so."""
    for _ in range(20):
        load, velocity = rng.uniform(0.5, 2.0), rng.normal(size=2)
        z = (0.0, 0.0)
        for _ in range(2000):
            z = tangential_response(LAW_CODES["rectangle"], load, 1.0, 1.0, 0.3, 0.5, 0.0, *z, *velocity, 0.5)[:2]
        assert z == pytest.approx(-load * np.sign(velocity), abs=1e-12)
    robot = Robot("puck")
    robot.base("puck", moves="planar", mass=1.0, inertia=np.eye(3)).rests(9.81, friction=Friction(0.2, 0.5, law="rectangle"))
    start = ld.Start(None, {"puck": (1.0, 0.7, 0.0)})
    result = ld.Scenario("puck", robot, start=start, t_end=0.6, dt=1e-3, integrator="moreau").run(progress=False)
    t = result.time.values[:, None]
    expected = np.maximum(0.0, np.array([1.0, 0.7]) - 9.81 * np.array([0.2, 0.5]) * t)
    assert result.v[:, :2] == pytest.approx(expected, abs=1e-9)


def tripod(friction, **options):
    """A body on three balls, which share its weight in one way only."""
    robot = Robot("tripod")
    body = robot.base("body", mass=2.0, inertia=np.diag([0.02, 0.03, 0.04]))
    for k, place in enumerate([(0.2, 0.0, -0.1), (-0.1, 0.15, -0.1), (-0.1, -0.15, -0.1)]):
        body.collides(Sphere(0.05, at=place), name=f"foot_{k}", friction=friction)
    start = ld.Start({"body": (0.0, 0.0, 0.15, 0.0, 0.0, 0.3)}, {"body": (0.5, 0.3, 0.0, 0.0, 0.0, 3.0)})
    return ld.Scenario(
        "tripod", robot, obstacles=[ld.Ground()], start=start, t_end=0.4, dt=1e-3, integrator="moreau",
        contact=ld.HardContact(tolerance=1e-9, iterations=20000, **options),
    )  # fmt: skip


FRICTION = {
    "isotropic": Friction(0.4),
    "orthotropic": Friction(0.2, 0.5),
    "one way": Friction(0.1, 0.4, backward=0.6),
}


@pytest.mark.parametrize("name", FRICTION)
def test_solvers_agree(name):
    """Newton, Gauss-Seidel and the prox fixed point end in the same state (residual 1e-9 of the weight: 1e-8 over 400 steps)."""
    ends = {}
    for solver in ("newton", "gauss_seidel", "prox"):
        result = tripod(FRICTION[name], solver=solver).run(progress=False)
        assert result.attributes["contact_unconverged_steps"] == 0, solver
        ends[solver] = np.concatenate([result.q[-1], result.v[-1]])
    assert ends["gauss_seidel"] == pytest.approx(ends["newton"], abs=1e-7)
    assert ends["prox"] == pytest.approx(ends["newton"], abs=1e-7)


def test_solvers_agree_on_rolling_and_spinning():
    """A ball thrown with spin: five rows of one contact."""
    ends = {}
    robot = Robot("ball")
    robot.base("ball", mass=1.0, shape=Sphere(0.1)).collides(friction=Friction(0.3, 0.2, rolling=0.05, spinning=0.01))
    start = ld.Start({"ball": (0, 0, 0.1, 0, 0, 0)}, {"ball": (1.0, 0.2, 0.0, 3.0, -5.0, 8.0)})
    for solver in ("newton", "gauss_seidel", "prox"):
        options = ld.HardContact(solver=solver, tolerance=1e-9, iterations=20000)
        scenario = ld.Scenario(
            "ball", robot, obstacles=[ld.Ground()], start=start, t_end=0.5, dt=1e-3, integrator="moreau", contact=options
        )
        result = scenario.run(progress=False)
        assert result.attributes["contact_unconverged_steps"] == 0, solver
        ends[solver] = np.concatenate([result.q[-1], result.v[-1]])
    assert ends["gauss_seidel"] == pytest.approx(ends["newton"], abs=1e-6)
    assert ends["prox"] == pytest.approx(ends["newton"], abs=1e-6)


def test_forces_lie_in_their_sets_and_resist_the_motion():
    """Every record: contact force within the cone; a sphere that slides forward is held by mu, backward by the larger one."""
    scenario = tripod(FRICTION["one way"])
    result = scenario.run(progress=False)
    force = result.contact_force.values
    for n, q in enumerate(result.q[1:], start=1):
        turn = 2.0 * np.arctan2(q[6], q[3])
        along = force[n, :, 0] * np.cos(turn) + force[n, :, 1] * np.sin(turn)
        across = -force[n, :, 0] * np.sin(turn) + force[n, :, 1] * np.cos(turn)
        size = np.hypot(along / np.where(along < 0.0, 0.1, 0.6), across / 0.4)
        assert np.all(size <= force[n, :, 2] * 1.01 + 1e-6)  # 1 %: the axes turn by 1.5 mrad during a step
    assert force[:, :, 2].min() > -1e-7


@pytest.mark.parametrize("direction, coefficient", [(1.0, 0.1), (-1.0, 0.6)])
def test_forward_and_backward_differ(direction, coefficient):
    """v^2 / (2 mu g) for a block that slides with its direction and against it (to v dt)."""
    robot = Robot("block")
    robot.base("block", mass=1.0, shape=ld.Box((0.4, 0.4, 0.02))).collides(friction=Friction(0.1, 0.3, backward=0.6))
    start = ld.Start({"block": (0, 0, 0.01, 0, 0, 0)}, {"block": (direction, 0, 0, 0, 0, 0)})
    scenario = ld.Scenario("block", robot, obstacles=[ld.Ground()], start=start, t_end=1.5, dt=1e-3, integrator="moreau")
    problem = scenario.problem
    solution = solve(problem, *scenario.initial_state(), 0.0, 1.5, step=1e-3, method="moreau")
    assert abs(solution.q[-1, 0]) == pytest.approx(1.0 / (2.0 * coefficient * 9.81), abs=1e-3)
    assert np.abs(solution.v[-1]).max() < 1e-12
