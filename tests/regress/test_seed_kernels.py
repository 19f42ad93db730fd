# SPDX-License-Identifier: Apache-2.0
"""Example kernels as users copy them from articles, with their mistakes."""

import numpy as np
import pytest
from outcomes import brief, everywhere, findings_of

import asc
import asc.lib.runtime as rt
from asc.runtime import config

CORES, SIDE, TILES, BUFFERS = 8, 64, 8, 2


def relu_pool(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    pool_size: int,
    TILE_LEN: asc.ConstExpr[int],
    BUF_N: asc.ConstExpr[int],
):
    block_len = pool_size * pool_size
    offset = asc.get_block_idx() * block_len
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, block_len)
    y_gm.set_global_buffer(y + offset, block_len)
    tiles = TILE_LEN * BUF_N
    tile_len = block_len // tiles
    dtype = x.dtype
    x_local = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, tile_len)
    y_local = asc.LocalTensor(dtype, asc.TPosition.VECOUT, tile_len * dtype.sizeof(), tile_len)
    for i in range(tiles):
        event = i % BUF_N
        asc.data_copy(x_local, x_gm[i * tile_len :], tile_len)
        asc.set_flag(asc.HardEvent.MTE2_V, event)
        asc.wait_flag(asc.HardEvent.MTE2_V, event)
        asc.relu(y_local, x_local, tile_len)
        asc.set_flag(asc.HardEvent.V_MTE3, event)
        asc.wait_flag(asc.HardEvent.V_MTE3, event)
        asc.data_copy(y_gm[i * tile_len :], y_local, tile_len)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, event)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, event)


on_cube = asc.jit(kernel_type=config.KernelType.AIC_ONLY)(relu_pool)
on_vector = asc.jit(relu_pool)


def arrays():
    x = np.random.default_rng(5).standard_normal((CORES, SIDE, SIDE)).astype(np.float32)
    return x, np.zeros_like(x)


def as_in_the_article():
    x, y = arrays()
    try:
        on_cube[CORES, rt.current_stream()](x, y, SIDE)
    except TypeError as error:
        return str(error)


def on_a_cube_core():
    x, y = arrays()
    found = findings_of(lambda: on_cube[CORES, rt.current_stream()](x, y, SIDE, TILES, BUFFERS))
    return [(*brief(f)[:2], f.message) for f in found], float(abs(y).max())


def right():
    x, y = arrays()
    on_vector[CORES, rt.current_stream()](x, y, SIDE, TILES, BUFFERS)
    assert asc.last_findings() == []
    return np.array_equal(y, np.maximum(x, 0))


def test_the_missing_arguments_are_named(tmp_path):
    text = everywhere(as_in_the_article, tmp_path / "cache")
    assert text == "relu_pool() missing 2 required positional arguments: 'TILE_LEN' and 'BUF_N'"


def test_a_cube_core_has_no_relu(tmp_path):
    found, largest = everywhere(on_a_cube_core, tmp_path / "cache")
    relu = [(id, message) for id, line, message in found if line == "asc.relu(y_local, x_local, tile_len)"]
    assert relu and relu[0][0] == "ASC-L105"
    for word in ("relu", "vector", "AIC_ONLY"):
        assert word in relu[0][1]
    assert largest == 0


def test_that_is_known_before_the_launch():
    early = on_cube[CORES].compile(*arrays(), SIDE, TILES, BUFFERS).diagnostics
    assert "asc.relu(y_local, x_local, tile_len)" in [
        f.site.text.strip() for f in early if f.id == "ASC-L105"
    ]
    assert on_vector[CORES].compile(*arrays(), SIDE, TILES, BUFFERS).diagnostics == []


def test_relu_pool_on_vector_cores(tmp_path):
    assert everywhere(right, tmp_path / "cache") is True


def test_relu_pool_equals_torch():
    torch = pytest.importorskip("torch")
    x = torch.randn(CORES, SIDE, SIDE, generator=torch.Generator().manual_seed(3))
    y = torch.zeros_like(x)
    on_vector[CORES, rt.current_stream()](x, y, SIDE, TILES, BUFFERS)
    assert torch.equal(y, torch.relu(x))
