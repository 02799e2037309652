"""A made-up scene with everything that a scene can hold, in motion that does not repeat."""

import numpy as np

from locodyn.view.ground import Ground, Terrain
from locodyn.view.look import WheelLook
from locodyn.view.parts import Part
from locodyn.view.quaternions import about
from locodyn.view.scene import BodyLook, Contacts, Frame, Rod, Scene, Tendon, Trail

Z = np.array([0.0, 0.0, 1.0])


def rod_centre(times, k, sections=60):
    """A waving centre line (n, s, 3), m."""
    s = np.linspace(0.0, 1.0, sections)
    t = times[:, None]
    y = 0.15 * np.sin(5.0 * s + (1.7 + 0.31 * k) * t) + 0.05 * np.sin(11.0 * s - 2.3 * t)
    z = 0.4 + 0.1 * np.cos(4.0 * s - (1.1 + 0.17 * k) * t)
    return np.stack([np.broadcast_to(s, y.shape), y + 0.2 * k, z], axis=-1)


def synthetic(bodies=4, rods=3, frames=121, t_end=10.0):
    """The scene."""
    times = np.linspace(0.0, t_end, frames)
    t = times[:, None]
    k = np.arange(bodies)
    x = 0.3 * t - 0.25 * k
    y = 0.2 * np.sin(0.9 * k - 1.3 * t) + 0.02 * np.sin(2.9 * t)
    positions = np.stack([x, y, 0.2 + 0.05 * np.sin(1.1 * t + k)], axis=-1)
    orientations = about(Z, 0.4 * np.cos(0.9 * k - 1.3 * t))
    tetrahedron = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]], dtype=np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.uint32)
    mesh = Part("mesh", np.zeros(3), vertices=tetrahedron, triangles=faces)
    box = Part("box", np.zeros(3), lengths={"size": [0.2, 0.08, 0.06]})
    looks = tuple(BodyLook(f"body_{i}", (mesh if i == 1 else box,), i) for i in range(bodies))
    wheel = WheelLook("wheel", "body_0", "steered", np.zeros(3), (np.zeros(3),), np.array([0.0, 1.0, 0.0]), Z, 0.05)
    force = np.stack([np.sin(3 * t), np.cos(2 * t), 1 + 0 * t], axis=-1)
    return Scene(
        "synthetic",
        times,
        looks,
        positions,
        orientations,
        (wheel,),
        25.0 * t,
        0.5 * np.sin(t),
        Contacts(("wheel",), positions[:, :1] * (1, 1, 0), force, 0.1),
        (Trail("body_0", positions[:, 0], True),),
        positions.mean(axis=1),
        (Frame("tip", "body_0", np.array([0.1, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])),),
        tuple(
            Rod(
                f"rod_{i}",
                rod_centre(times, i),
                np.tile(np.linspace(0.02, 0.01, 60), (len(times), 1)),
                np.sin(np.linspace(0, 3, 60) - t),
                "curvature (1/m)",
            )
            for i in range(rods)
        ),
        (Tendon("thread", rod_centre(times, 0, 8) + 0.05),),
        (Part("cylinder", np.array([1.0, 0.5, 0.2]), lengths={"radius": 0.05, "length": 0.4}, role="fixture"),),
        Ground(np.zeros(3), Z),
        Terrain(np.array([-1.0, 1.5]), np.array([0.25, 0.25]), 0.1 * np.sin(np.arange(12.0))[:, None] * np.cos(np.arange(7.0))),
        extreme=np.array([[-1.0, -0.5, 0.0], [3.0, 1.0, 0.6]]),
        size=1.2,
    )
