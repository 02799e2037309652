"""The result of a run: a labelled dataset, with units, on disk as NetCDF."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.robot.pose import roll_pitch_yaw_of, rotation_of_quaternion
from locodyn.sim.check import Check, Outcome
from locodyn.sim.store import load_dataset, save_dataset

if TYPE_CHECKING:
    import xarray

    from locodyn.dynamics.model import Model
    from locodyn.sim.scenario import Scenario
    from locodyn.view.film import PictureOptions, VideoOptions
    from locodyn.view.viewer import Inline, Viewer


class Result:
    """What a run gave: ``result.joint_torque``, ``result.time``, ... are labelled arrays (xarray) of ``result.dataset``.

    ``result.q`` (n, nq) and ``result.v`` (n, nv) are the states in the coordinates of the robot, while the run is in memory;
    ``result.scenario`` and ``result.model`` are what made it. A loaded result has the dataset only.
    """

    def __init__(
        self,
        dataset: xarray.Dataset,
        *,
        scenario: Scenario | None = None,
        model: Model | None = None,
        q: np.ndarray | None = None,
        v: np.ndarray | None = None,
    ) -> None:
        self.dataset: xarray.Dataset = dataset
        self.scenario = scenario
        self.model = model
        self.q = q
        self.v = v

    def __getattr__(self, name: str) -> xarray.DataArray:
        dataset = self.__dict__.get("dataset")
        if dataset is not None and name in dataset.variables:
            found: xarray.DataArray = dataset[name]
            return found
        if name.startswith("_") or dataset is None:
            raise AttributeError(name)
        raise AttributeError(f"the result has no variable '{name}'{nearest(name, dataset.variables)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *map(str, self.dataset.variables)]

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the dataset: scenario, parameters, integrator, times, status, ..."""
        return dict(self.dataset.attrs)

    def states(self) -> tuple[np.ndarray, np.ndarray]:
        """``q`` (n, nq) and ``v`` (n, nv) of the records; refused where the run is no longer in memory."""
        if self.q is None or self.v is None:
            raise InputError("this needs the states of a run in memory, and a file does not keep them; run the scenario again.")
        return self.q, self.v

    @property
    def status(self) -> str:
        """``completed``, ``interrupted at t = ...`` or ``failed: ...``."""
        return str(self.dataset.attrs["status"])

    @property
    def failed(self) -> bool:
        """True when the numbers of the run went bad."""
        return self.status.startswith("failed")

    @property
    def parameters(self) -> dict[str, Any]:
        """Values of the scenario's parameters, by name."""
        found: dict[str, Any] = json.loads(self.dataset.attrs["parameters"])
        return found

    def total_energy(self) -> xarray.DataArray:
        """Kinetic plus potential energy, J."""
        total = self.dataset["kinetic_energy"] + self.dataset["potential_energy"]
        return total.assign_attrs(units="J", long_name="total energy")

    def tracking_error(self) -> xarray.DataArray:
        """Positions of the joints that follow a target, less the target, (time, tracked), rad or m."""
        if "joint_target" not in self.dataset:
            raise InputError("no joint of the run follows a target: it has no servo and no controller that tells its targets.")
        target = self.dataset["joint_target"]
        error = self.dataset["joint_position"].sel(joint=target["tracked"].values).values - target.values
        return target.copy(data=error).assign_attrs(long_name="joint positions less their targets")

    def roll_pitch_yaw(self) -> xarray.DataArray:
        """Angles of the reference body, (time, angle), rad: ``sel(angle="pitch")``; the yaw is followed over whole turns."""
        import xarray

        data = self.dataset
        angles = roll_pitch_yaw_of(rotation_of_quaternion(data["orientation"].values))
        angles[:, 2] = np.unwrap(angles[:, 2])
        about = {"units": "rad", "long_name": "angles of the reference body: turned about z, then y', then x''"}
        coords = {"time": data["time"], "angle": ["roll", "pitch", "yaw"]}
        return xarray.DataArray(angles, coords, ("time", "angle"), "roll_pitch_yaw", about)

    def at_mass_centre(self) -> xarray.Dataset:
        """Motion of the floating frame at the mass centre of the whole robot, with the axes of the reference body.

        ``position`` m, ``orientation``, ``twist`` (V, Omega) in the axes of that frame: V is the velocity of the mass centre, so
        that the linear momentum is m V (without a fluid), whatever the shape does.
        """
        import xarray

        data = self.dataset
        axes = rotation_of_quaternion(data["orientation"].values)
        velocity = np.einsum("nji,nj->ni", axes, data["mass_centre_velocity"].values)
        twist = np.concatenate([velocity, data["twist"].values[:, 3:]], axis=1)
        about = "of the frame at the mass centre of the robot, with the axes of the reference body"
        frame = xarray.Dataset(coords={name: data[name] for name in ("time", "xyz", "quat")})
        frame["position"] = data["mass_centre"].assign_attrs(units="m", long_name=f"origin {about}")
        frame["orientation"] = data["orientation"].assign_attrs(units="1", long_name=f"orientation {about}")
        frame["twist"] = data["twist"].copy(data=twist).assign_attrs(units="m/s, rad/s", long_name=f"body twist {about}")
        return frame.reset_coords("twist") if "twist" in frame.coords else frame

    def energy_supplied(self) -> xarray.DataArray:
        """Work of actuators and outer sources less what friction and impacts took, since the start, J.

        A quadrature of recorded powers, with the work between records that they do not tell; with hard contact the sums that
        the time stepping has kept.
        """
        like = self.dataset["work_supplied" if "work_supplied" in self.dataset else "power_actuators"]
        return like.copy(data=self._supplied()).assign_attrs(units="J", long_name="energy supplied since the start")

    def energy_defect(self) -> float:
        """By how much the energy at most differs from that of the start and what was supplied since, J."""
        energy: np.ndarray = self.dataset["kinetic_energy"].values + self.dataset["potential_energy"].values
        return float(abs(energy - energy[0] - self._supplied()).max())

    def slice_defect(self) -> float:
        """By how much nodes and slices of rods with imposed strains miss the continuous rod, as a share of the largest wrench.

        The largest ``rod_residual``, Lambda(l) - F_+ (Ali 2011, 5.3), over the largest ``rod_wrench``; moments over the length of
        the rod at the start. It falls with the fourth power of the number of slices.
        """
        if "rod_residual" not in self.dataset:
            raise InputError("the result has no 'rod_residual'; runs of rods with imposed strains record it.")
        line = self.dataset["rod_position"].values[0]
        lengths = np.linalg.norm(np.diff(line, axis=1), axis=2).sum(axis=1)  # (rods,)
        left, carried = (np.abs(self.dataset[name].values) for name in ("rod_residual", "rod_wrench"))
        sizes = []
        for values in (left, carried.max(axis=2)):  # (n, rods, 6)
            forces, moments = values[..., :3].max(axis=(0, 2)), values[..., 3:].max(axis=(0, 2))
            sizes.append(float(np.maximum(forces, moments / lengths).max()))
        return sizes[0] / sizes[1] if sizes[1] > 0.0 else 0.0

    def _supplied(self) -> np.ndarray:
        if "work_supplied" in self.dataset:
            losses = [name for name in ("friction_loss", "impact_loss", "damping_loss") if name in self.dataset]
            kept = self.dataset["work_supplied"].values
            return functools.reduce(np.subtract, (self.dataset[name].values for name in losses), kept)
        from locodyn.sim.energy_account import works_of
        from locodyn.sim.quadrature import cumulative_integral

        # What powers do not tell is what their trapezoids leave out; a spline would swing there: it ends before and begins after.
        integral = functools.partial(cumulative_integral, breaks=[*self._exchanges(), *self._unresolved()])
        works, _ = works_of(self.dataset["time"].values, self.dataset, integral)
        return np.asarray(sum(works.values()))

    def _unresolved(self) -> list[float]:
        """Times (s) of the records on both sides of what powers do not tell: see :mod:`locodyn.integrate.unrecorded_work`."""
        if "work_unrecorded" not in self.dataset:
            return []
        there = np.flatnonzero(np.diff(self.dataset["work_unrecorded"].values))
        return [float(t) for t in self.dataset["time"].values[np.unique(np.concatenate([there, there + 1]))]]

    def _exchanges(self) -> list[float]:
        """Times (s) of the first records after contacts along rods came or went: powers have kinks there."""
        if "contact_abscissa" not in self.dataset:
            return []
        there = ~np.isnan(self.dataset["contact_abscissa"].values)
        changed = np.flatnonzero((there[1:] != there[:-1]).any(axis=1)) + 1
        return [float(t) for t in self.dataset["time"].values[changed]]

    def at_exchanges(self) -> xarray.Dataset:
        """Both sides of the records at which contacts along rods come, go or go around: (side, time, ...).

        ``sel(side="before")``: under the contacts that held so far; ``"after"``: as recorded. See :mod:`locodyn.sim.exchanges`.
        """
        from locodyn.sim.exchanges import at_exchanges

        return at_exchanges(self)

    def checks(self, checks: tuple[Check, ...] | None = None) -> list[Outcome]:
        """Outcomes of the scenario's acceptance checks."""
        if checks is None:
            if self.scenario is None:
                raise InputError("a result read from a file does not know its checks; run the scenario, or give the checks.")
            checks = self.scenario.checks
        return [check.outcome(self) for check in checks]

    def save(self, path: str | Path) -> Path:
        """Write the dataset as NetCDF-4, beside and renamed."""
        if self.scenario is not None and "seen_numbers" not in self.dataset.attrs:
            from locodyn.sim.seen_numbers import seen_numbers

            return save_dataset(self.dataset.assign_attrs(seen_numbers=seen_numbers(self.scenario)), path)
        return save_dataset(self.dataset, path)

    def to_csv(self, path: str | Path) -> Path:
        """Write time and state as comma-separated values, a row for each record; ``ld.motion.from_csv`` reads columns as laws."""
        from locodyn.sim.store import write_csv

        return write_csv(self.dataset, path)

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a result from disk."""
        return cls(load_dataset(path))

    def plot(self, path: str | Path, what: str | Sequence[str] | None = None, at: float | None = None) -> Path:
        """Draw the run into a file; the ending says the format (png, pdf, svg).

        ``what``: all (default), or groups, panels, pictures, joints, wheels and contacts by name, several with commas:
        ``"path,torques"``, ``"snapshots"``, ``"joint_10"``; an unknown name is answered with a list.
        ``at``: a time (s), for the torques of all joints at this instant.
        """
        from locodyn.view.plots import plot

        return plot(self, path, what, at)

    def report(self, path: str | Path) -> Path:
        """Write a self-contained HTML page about the run, with its animation and curves."""
        from locodyn.view.report_page import report

        return report(self, path)

    def video(self, path: str | Path, **options: Unpack[VideoOptions]) -> Path:
        """Write a video (mp4, gif); the options are those of :func:`locodyn.view.film.video`: ``fps``, ``size``, ``view``, ..."""
        from locodyn.view.film import video

        return video(self, path, **options)

    def picture(self, path: str | Path, at: float | Sequence[float] | None = None, **options: Unpack[PictureOptions]) -> Path:
        """Write a picture (png) of the robot at a time (s), or frames at several; options ``size``, ``view``, ``follow``."""
        from locodyn.view.film import picture

        return picture(self, path, at, **options)

    def log(self, path: str | Path) -> Path:
        """Write an MCAP log (mcap) for Foxglove: frames, bodies, rods, contact forces and numbers over time."""
        from locodyn.view.log import log

        return log(self, path)

    def view(self, *others: Result, host: str = "127.0.0.1", port: int = 8080) -> Viewer:
        """Show the run in a browser, with others as ghosts; gives the viewer back, which is there until its ``stop()``.

        In a script: ``result.view().wait()`` opens a browser and stays until Ctrl-C.
        """
        from locodyn.view.viewer import view

        return view([self, *others], host, port)

    def inline(self, height: int = 420) -> Inline:
        """The motion as a player inside a notebook, ``height`` px high; it needs no server and stays in the saved notebook."""
        from locodyn.view.viewer import inline

        return inline(self, height)

    def _repr_html_(self) -> str:
        from locodyn.view.html import result_html

        return result_html(self)

    def __repr__(self) -> str:
        sizes = self.dataset.sizes
        last = float(self.dataset["time"].values[-1]) if sizes["time"] else 0.0
        return f"Result({self.dataset.attrs['scenario']}: {sizes['time']} records to t = {last:g} s, {self.status})"
