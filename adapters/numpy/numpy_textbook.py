# SPDX-License-Identifier: Apache-2.0
"""Pooling as a textbook writes it in numpy: a loop over outputs forwards, np.add.at backwards."""
import itertools

import numpy as np
import poolproof


def pool(self, axes):
    """Maxima over windows: for each axis and each output of it, the places of its window."""
    values = self if self.dtype == np.float64 else poolproof.f32(self)
    numbers = np.arange(self[0, 0].size).reshape(self.shape[2:])
    shape = self.shape[:2] + tuple(len(axis) for axis in axes)
    out, indices = np.empty(shape, np.float32), np.empty(shape, np.int64)
    for at in itertools.product(*(range(len(axis)) for axis in axes)):
        window = np.ix_(*(axis[i] for axis, i in zip(axes, at)))
        flat = values[(..., *window)].reshape(*self.shape[:2], -1)
        best = flat.argmax(-1)
        out[(..., *at)] = flat.max(-1)
        indices[(..., *at)] = numbers[window].reshape(-1)[best]
    return out, indices


def max_pool(self, kernel_size, stride, padding, dilation, ceil_mode):
    axes = []
    for n, k, s, p, d in zip(self.shape[2:], kernel_size, stride, padding, dilation):
        count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= n + p:
            count -= 1
        places = [np.arange(k) * d + o * s - p for o in range(count)]
        axes.append([place[(place >= 0) & (place < n)] for place in places])
    return pool(self, axes)


def adaptive_max_pool(self, output_size):
    return pool(self, [[np.arange(o * n // count, -(-(o + 1) * n // count)) for o in range(count)]
                       for n, count in zip(self.shape[2:], output_size)])


def backward(grad_output, self, indices, **window):
    grad_input = np.zeros((self.shape[0], self.shape[1], self[0, 0].size), np.float32)
    batch, channel = np.ogrid[:self.shape[0], :self.shape[1]]
    places = indices.reshape(*indices.shape[:2], -1)
    gradients = poolproof.f32(grad_output).reshape(places.shape)
    np.add.at(grad_input, (batch[..., None], channel[..., None], places), gradients)
    return grad_input.reshape(self.shape)


max_pool2d_with_indices = max_pool3d_with_argmax = max_pool
adaptive_max_pool2d = adaptive_max_pool3d = adaptive_max_pool
max_pool2d_with_indices_backward = max_pool3d_with_argmax_backward = backward
adaptive_max_pool2d_backward = adaptive_max_pool3d_backward = backward
