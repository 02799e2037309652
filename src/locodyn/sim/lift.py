"""Contacts that would have to pull: an ideal wheel on the ground can only push."""

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
    """Attribute ``lifts``: for each wheeled body that the ground would have to hold down, first time (s) and largest pull (N).

    Looks at the multipliers ``<body>.ground.z`` and ``<contact>.normal``, the forces of the ground along its
    normal. Robots whose reference body moves in the plane have none: their vertical forces are not computed.
    """
    dataset.attrs.pop("lifts", None)
    if "multiplier" not in dataset:
        return
    found = {}
    for name in dataset["constraint"].values:
        if str(name).endswith((".ground.z", ".normal")):
            force = dataset["multiplier"].sel(constraint=name).values
            scale = float(np.abs(force).max(initial=0.0))
            pulled = np.flatnonzero(force < -1e-9 * scale)
            if len(pulled):
                body = str(name).removesuffix(".ground.z").removesuffix(".normal")
                found[body] = (float(dataset["time"].values[pulled[0]]), float(-force.min()))
    if found:
        dataset.attrs["lifts"] = json.dumps(found)
        body, (time, pull) = min(found.items(), key=lambda item: item[1][0])
        warnings.warn(
            f"the ground would have to hold '{body}' down from t = {time:g} s on (by up to {pull:.3g} N): it would lift off.",
            LiftWarning,
            stacklevel=4,
        )
