"""A notebook in cells (the percent format of Jupytext, Spyder and VS Code): each cell shows its last line."""

# %%
import locodyn as ld

board = ld.zoo.snakeboard(gait="rotate")
board

# %%
board.robot

# %%
run = board.changed(t_end=4.0).run(progress=False)
run

# %%
run.joint_torque.mean(dim="time")

# %%
run.inline(height=300)

# %%
ld.linearise(ld.zoo.pendulum(n=2).changed(start=None))
