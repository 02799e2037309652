"""Hard contact in a problem: bilateral rows beside contacts, what joints do in a step, loops closed outward, room and start."""
