"""Contacts that would have to pull: the ground can only push."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray


class LiftWarning(UserWarning):
    """The ground would have to pull at a wheeled body: it would lift off."""


def note_lifting(dataset: xarray.Dataset) -> None:
    """Attribute ``lifts``: for each body or wheel that the ground would have to hold down, first time (s) and largest pull (N).

    Looks at the multipliers ``<body>.ground.z`` and ``<contact>.normal``, the forces of the ground along its normal, and at the
    vertical parts of ``contact_force`` of wheels with a contact law. Robots whose reference body moves in the plane have none:
    their vertical forces are not computed.
    """
    dataset.attrs.pop("lifts", None)
    forces: dict[str, np.ndarray] = {}  # by name: vertical force last, beside what tells its scale; (time, k)
    if "multiplier" in dataset:
        for name in map(str, dataset["constraint"].values):
            if name.endswith((".ground.z", ".normal")):
                body = name.removesuffix(".ground.z").removesuffix(".normal")
                forces[body] = dataset["multiplier"].sel(constraint=[name]).values
    if "contact_force" in dataset and "contact_gap" not in dataset:  # hard contacts never pull
        for name in map(str, dataset["contact"].values):
            forces.setdefault(name, dataset["contact_force"].sel(contact=name).values)
    found = {}
    for name, all_parts in forces.items():
        force = all_parts[:, -1]
        pulled = np.flatnonzero(force < -1e-9 * np.abs(all_parts).max(initial=0.0))
        if len(pulled):
            found[name] = (float(dataset["time"].values[pulled[0]]), float(-force.min()))
    if found:
        dataset.attrs["lifts"] = json.dumps(found)
        body, (time, pull) = min(found.items(), key=lambda item: item[1][0])
        warnings.warn(
            f"the ground would have to hold '{body}' down from t = {time:g} s on (by up to {pull:.3g} N): it would lift off.",
            LiftWarning,
            stacklevel=4,
        )
