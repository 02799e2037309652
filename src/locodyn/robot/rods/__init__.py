"""Rods: length, section, material, strain functions; what runs along them and acts on them."""
