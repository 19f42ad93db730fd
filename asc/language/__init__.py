# SPDX-License-Identifier: Apache-2.0
"""Import paths of the reference."""
