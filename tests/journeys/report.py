"""A run to share: report, plot, table, and what to cite."""

import locodyn as ld

run = ld.zoo.mobile_manipulator().run(progress=False)
print(run)
print(f"energy account off by {run.attributes['energy_defect']:.1e} of {run.attributes['energy_scale']:.3g} J")
for outcome in run.checks():
    print(outcome)
run.save("arm.nc")
run.to_csv("arm.csv")
run.plot("arm.pdf", "path,torques,energy")
run.report("arm.html")

again = ld.Result.load("arm.nc")
print(again.joint_torque.max(dim="time"))
