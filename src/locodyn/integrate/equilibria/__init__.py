"""Equilibria: statics, paths with folds and branches, shooting along rods, quasi-static runs, workspaces."""
