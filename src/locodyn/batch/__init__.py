"""Many robots at once: SIMD lanes and cores, or a graphics card."""

from locodyn.batch.batch import Batch
from locodyn.batch.device_batch import DeviceBatch

__all__ = ["Batch", "DeviceBatch"]
