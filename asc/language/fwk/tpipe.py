# SPDX-License-Identifier: Apache-2.0
"""Pipes, queues and buffers under the reference's import path."""

import asc


def __getattr__(name):
    return getattr(asc, name)
