"""``locodyn workspace``: what it prints and writes, and how it refuses."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

ARCH = ("cpr_rfrfr_gravity", "--set", "clamps=facing", "--set", "d=0.9", "--set", "m_p=0.05")
GRID = ("--grid", "x=-0.05:0.05:3", "--grid", "z=0.1:0.13:3")


def test_workspace_is_computed_and_drawn(locodyn, tmp_path) -> None:
    plot, out = tmp_path / "w.png", tmp_path / "w.nc"
    code, printed, _ = locodyn("workspace", *ARCH, "--body", "platform", *GRID, "--plot", plot, "--out", out)
    assert code == 0
    assert "of 9 places are equilibria" in printed and f"wrote {plot}" in printed
    assert plot.stat().st_size > 5000 and out.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((*ARCH, "--body", "platform", "--grid", "x=1:2"), "is not of the form DIRECTION=FROM:TO:COUNT"),
        ((*ARCH, "--body", "table", *GRID), "has no body or marker 'table'"),
        ((*ARCH, "--body", "platform", *GRID, "--plot", "w.gif"), "must end in .png, .pdf, .svg"),
        (("cpr_tendon", "--body", "platform", *GRID), "by 4 drives (tendon_1, tendon_2, tendon_3, tendon_4)"),
        (("pendulum", "--body", "platform", *GRID), "by 0 drives (none)"),
    ],
)
def test_refusals(locodyn, words: tuple[str, ...], sentence: str) -> None:
    code, _, said = locodyn("workspace", *words)
    assert code == 2 and sentence in said
