# SPDX-License-Identifier: Apache-2.0
"""For functions that Poolproof judges: what their arrays hold."""

deterministic = False  # during a call: the option that the caller set


def f32(array):
    """The values as float32. Arrays of uint16 are bfloat16, by its bits."""
    import numpy as np  # here, since the plug-in for pytest needs none
    if array.dtype != np.uint16:
        return array.astype(np.float32, copy=False)
    return (array.astype(np.uint32) << 16).view(np.float32)


def bf16(values):
    """float32 rounded to nearest bfloat16, as its bits (uint16)."""
    import numpy as np
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)
