"""Charts of wheels, contacts along rods, surfaces that roll in space, and loops: forces, torques, angles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from locodyn.sim.touching import contact_angles, contacts_of
from locodyn.view.chart import MANY, Chart, at_least, distinct, over_time

if TYPE_CHECKING:
    from locodyn.sim import Result

SIDE = (".side",)
HEADING = (".heading",)
PLANE = (".first", ".second")
PIN = (".x", ".y", ".z", ".along", ".across_1", ".across_2")
NORMAL = (".normal", ".ground.z")
SMALL = 1e-3  # of the force in a rod: contact forces that are smaller are drawn as flat lines


# ------------------------------------------------------------------------- rows
def row_names(result: Result, ending: tuple[str, ...]) -> list[str]:
    """Rows of forces with these endings that are not zero, nor round-off, all the time."""
    if "multiplier" not in result.dataset:
        return []
    array = result.multiplier
    sizes = np.abs(array.values).max(axis=0, initial=0.0)
    least = max(1e-12, 1e-9 * float(sizes.max(initial=0.0)))
    return [
        str(name)
        for name, size in zip(array["constraint"].values, sizes, strict=True)
        if str(name).endswith(ending) and ".about_" not in str(name) and size > least
    ]


def rows(ending: tuple[str, ...], title: str) -> Callable[[Result], Chart]:
    """Forces of ideal wheels, contacts or loops."""

    def make(result: Result) -> Chart:
        names = row_names(result, ending)
        values = result.multiplier.sel(constraint=names).values
        labels = [_wheel(name.rsplit(".", 1)[0]) if ending in (SIDE, HEADING) else name for name in names]
        values, labels = distinct(values, labels)
        return over_time(title, "force on the robot", "N", labels, values)

    return make


def loop_names(result: Result) -> list[str]:
    """Rows of closed loops that carry a force; those of contacts along rods are forces of contacts."""
    held = held_contacts(result)
    return [name for name in row_names(result, PIN) if name.rsplit(".", 1)[0] not in held]


def loop_forces(result: Result) -> Chart:
    """Forces of closed loops."""
    names = loop_names(result)
    values, labels = distinct(result.multiplier.sel(constraint=names).values, names)
    return over_time("loop forces", "force on the robot", "N", labels, values)


def _wheel(name: str) -> str:
    """A body with one wheel has given it its name."""
    return name.removesuffix(".wheel")


def law_contacts(result: Result) -> list[str]:
    """Wheels whose contact is a law: their forces stand in no row."""
    if "contact_force" not in result.dataset:
        return []
    known = set(result.dataset["constraint"].values.tolist()) if "constraint" in result.dataset.coords else set()
    spatial = contacts_of(result.dataset)
    held = held_contacts(result)
    wheels = [str(name) for name in result.contact.values if name not in spatial and name not in held]
    return [name for name in wheels if f"{name}.side" not in known and f"{name}.roll" not in known]


# ------------------------------------------------------------------------- contacts by laws, and along rods
def plane_normals(result: Result) -> dict[str, np.ndarray]:
    """Normals (3,) of the grounds that surfaces touch, by the names of the contacts; none where something else is touched too."""
    names = law_contacts(result)
    grounds = {
        one["name"]: np.array(one["normal"])
        for one in json.loads(result.attributes.get("obstacles", "[]"))
        if one["kind"] == "ground"
    }
    on = {name: name.rpartition(" on ")[2] for name in names}
    plain = 0 < len(names) <= MANY and all(ground in grounds for ground in on.values()) and not held_contacts(result)
    return {name: grounds[ground] for name, ground in on.items()} if plain else {}


def surface_names(result: Result) -> list[str]:
    """Short names of these contacts: that of the ground is left out where there is one."""
    names = list(plane_normals(result))
    grounds = {name.rpartition(" on ")[2] for name in names}
    return [name.rpartition(" on ")[0] for name in names] if len(grounds) == 1 else names


def tangential_forces(result: Result) -> Chart:
    """Forces along the ground, by direction of the world where it is level, or their sizes."""
    normals = plane_normals(result)
    force = result.contact_force.sel(contact=list(normals)).values
    along = force - np.einsum("nci,ci,cj->ncj", force, np.array(list(normals.values())), np.array(list(normals.values())))
    names = surface_names(result)
    if any(abs(normal[2]) < 1.0 for normal in normals.values()):
        return over_time("tangential forces", "size of the force on the robot", "N", names, np.linalg.norm(along, axis=2))
    sizes = np.abs(along).max(axis=(0, 1))
    axes = [i for i in (0, 1) if sizes[i] > 1e-9 * np.abs(force).max(initial=1e-300)] or [0]
    labels = [f"{name}, {'xy'[i]}" for name in names for i in axes]
    return over_time("tangential forces", "force on the robot", "N", labels, along[:, :, axes].reshape(len(force), -1))


def held_contacts(result: Result) -> list[str]:
    """Ideal contacts along rods: anchors, sleeves, pegs."""
    if "contact_abscissa" not in result.dataset:
        return []
    there = ~np.isnan(result.contact_abscissa.values).all(axis=0)
    return [str(name) for name, known in zip(result.contact.values, there, strict=True) if known]


def held_rows(result: Result, turning: bool) -> list[str]:
    """Rows of contacts along rods: their forces, or (``turning``) their moments."""
    if "multiplier" not in result.dataset:
        return []
    held = held_contacts(result)
    names = [str(name) for name in result.multiplier["constraint"].values if str(name).rsplit(".", 1)[0] in held]
    return [name for name in names if (".about_" in name) == turning]


def touches(result: Result) -> bool:
    """Whether there are contacts by laws or along rods."""
    return bool(law_contacts(result) or held_contacts(result))


def contact_forces(result: Result) -> Chart:
    """Forces of contacts along rods in the axes of their sections, if they are few; with contact laws, sizes of all."""
    laws, held, rows = law_contacts(result), held_contacts(result), held_rows(result, turning=False)
    if laws or len(rows) > MANY or not rows:
        names = laws + held
        sizes = np.linalg.norm(result.contact_force.sel(contact=names).values, axis=2)
        chart = over_time("contact forces", "size of the force on the robot", "N", [_wheel(name) for name in names], sizes)
    else:
        values = result.multiplier.sel(constraint=rows).values
        chart = over_time("contact forces", "force, section axes", "N", rows, values)
    return at_least(chart, SMALL * _in_rods(result, slice(0, 3))) if held else chart


def contact_moments(result: Result) -> Chart:
    """Moments of contacts along rods."""
    names = held_rows(result, turning=True)
    labels = [name.replace(".about_", " about ") for name in names]
    values = result.multiplier.sel(constraint=names).values
    chart = over_time("contact moments", "moment, section axes", "N m", labels, values)
    return at_least(chart, SMALL * _in_rods(result, slice(3, 6)))


def _in_rods(result: Result, part: slice) -> float:
    """Largest component of the force (N) or moment (N m) in the sections of all rods."""
    return float(np.nan_to_num(np.abs(result.rod_wrench.values[..., part])).max(initial=0.0))


def wheels(variable: str, title: str, quantity: str) -> Callable[[Result], Chart]:
    """A wheel variable."""

    def make(result: Result) -> Chart:
        array = result.dataset[variable]
        values, names = distinct(array.values, [_wheel(str(name)) for name in array[array.dims[1]].values])
        return over_time(title, quantity, array.attrs["units"], names, values)

    return make


# ------------------------------------------------------------------------- surfaces that roll in space
def has_carriers(result: Result) -> bool:
    """Whether a rolling disc turns on an axle."""
    return any("carrier" in about for about in contacts_of(result.dataset).values())


def angles(result: Result) -> Chart:
    """Where the wheels touch, about their axles, from where they do standing upright (dotted; its value is in the name)."""
    found, contacts = contact_angles(result.dataset), contacts_of(result.dataset)
    standing = np.array([contacts[name]["standing"] for name in found])
    values = np.unwrap(np.array(list(found.values())).T, axis=0) - standing
    names = [f"{name} ({value:.4g})" for name, value in zip(found, standing, strict=True)]
    return over_time("contact angles", "from standing", "rad", names, values, level=0.0)


def normal_names(result: Result) -> list[str]:
    """Rows along the normal of the ground."""
    if "multiplier" not in result.dataset:
        return []
    return [str(name) for name in result.multiplier["constraint"].values if str(name).endswith(NORMAL)]


def normal_forces(result: Result) -> Chart:
    """Forces of the ground along its normal; from where it would have to pull they are marked."""
    names, normals = normal_names(result), plane_normals(result)
    labels = [name.removesuffix(".normal").removesuffix(".ground.z") for name in names]
    lifts = json.loads(result.attributes.get("lifts", "{}"))
    marks = ((float(min(time for time, _ in lifts.values())), "lifts off"),) if lifts else ()
    values = result.multiplier.sel(constraint=names).values if names else np.zeros((len(result.time), 0))
    if normals:
        force = result.contact_force.sel(contact=list(normals)).values
        values = np.hstack([values, np.einsum("nci,ci->nc", force, np.array(list(normals.values())))])
        labels += surface_names(result)
    return over_time("normal forces", "force on the robot", "N", labels, values, marks=marks, level=0.0 if lifts else None)


def is_bicycle(result: Result) -> bool:
    """Whether it is one of the bicycles of the zoo."""
    tyres = {"rear.tyre", "front.tyre"}
    return set(result.body.values) == {"frame", "fork", "rear", "front"} and set(contacts_of(result.dataset)) == tyres


def rear_load(result: Result) -> Chart:
    """lambda_4 of Mauny 2017: the force on the rear wheel along the upward axis of the frame."""
    from locodyn.zoo.whipple import rear_force_up

    return over_time("lambda_4", "rear force along the frame's z", "N", ["lambda_4"], rear_force_up(result)[:, None])


def force_at(result: Result, name: str) -> Chart:
    """Force of the ground at one contact, world axes."""
    values = result.contact_force.sel(contact=name).values
    return over_time(f"force at {name}", "on the robot", "N", ["x", "y", "z"], values)
