"""A run that goes on from its file, as if it had never stopped."""

import numpy as np

import locodyn as ld

scenario = ld.zoo.satellite(case="B").changed(t_end=4.0)
whole = scenario.run(progress=False)
scenario.changed(t_end=2.0).run(out="half.nc", progress=False)

both = ld.resume("half.nc", t_end=4.0, scenario=scenario, progress=False)
print(both)
same = np.array_equal(both.orientation, whole.orientation) and np.array_equal(both.joint_torque, whole.joint_torque)
print("the same bits" if same else "not the same")
