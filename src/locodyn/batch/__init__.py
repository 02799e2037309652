"""Many robots at once: SIMD lanes and cores."""

from locodyn.batch.batch import Batch

__all__ = ["Batch"]
