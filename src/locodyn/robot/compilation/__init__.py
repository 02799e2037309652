"""From a description to the flat arrays of kernels, and from these back to names."""
