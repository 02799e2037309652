"""A snake of 15 links on anisotropic ground: which bend of the body goes fastest?"""

import locodyn as ld

links, length, mass = 15, 0.08, 0.2
robot = ld.Robot("my snake")
parts = {"mass": mass, "shape": ld.Capsule(0.02, length - 0.04, axis="x")}
last = robot.base("link_0", moves="planar", **parts)
for k in range(links):
    if k:
        end = (length / 2, 0, 0)
        last = robot.body(f"link_{k}", **parts).on(last, at=end, body_at=end).turning("z", name=f"joint_{k}")
    last.rests(mass * 9.81, friction=ld.Friction(0.05, 0.5))  # along, across: scales
joints = [f"joint_{k}" for k in range(1, links)]


def speed(amplitude):
    wave = ld.gaits.serpenoid_gait(joints, amplitude=amplitude, omega=4.0, lag=0.5)
    servo = {name: ld.Servo(law.soft_start(0.5), stiffness=30.0, damping=0.3) for name, law in wave.items()}
    run = ld.simulate(robot, servo=servo, integrator="moreau", dt=0.002, t_end=4.0, record_every=10, progress=False)
    way = run.mass_centre[-1] - run.mass_centre[run.time.values.searchsorted(2.0)]
    return float((way**2).sum() ** 0.5) / 2.0, run


runs = {amplitude: speed(amplitude) for amplitude in (0.1, 0.2, 0.3, 0.4, 0.5)}
for amplitude, (value, run) in runs.items():
    print(f"amplitude {amplitude:.1f} rad: {100 * value:.1f} cm/s, {run.status}")
best = max(runs, key=lambda amplitude: runs[amplitude][0])
runs[best][1].plot("snake.png", "path")
