# SPDX-License-Identifier: Apache-2.0
"""Libraries beside the kernel language."""
