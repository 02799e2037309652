"""From the coordinates to the frames: poses, twists, accelerations, Jacobians; moving a configuration along a velocity."""
