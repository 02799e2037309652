"""Hard contact: impacts, stick and slip of all contacts of a step together, and what surrounds their solution."""
