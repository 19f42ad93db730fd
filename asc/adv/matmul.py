# SPDX-License-Identifier: Apache-2.0
"""What a Matmul object is made of."""

from asc import _asc


class MatmulType:
    """One matrix of a Matmul, known at compile time.

    position: the memory it lies in, TPosition.GM for A, B and bias; C may also go to VECIN or VECCALC.
    format: CubeFormat.ND, rows one behind another. dtype: of its elements. is_trans: set_tensor_a or
    set_tensor_b may say that it lies transposed. layout: LayoutMode.NONE. TypeError for other values.
    """

    __slots__ = ("dtype", "format", "is_trans", "layout", "position")
    __asc_matmul_type__ = True

    def __init__(self, position, format, dtype, is_trans=False, layout=_asc.LayoutMode.NONE):
        wanted = (
            ("position", position, _asc.TPosition),
            ("format", format, _asc.CubeFormat),
            ("dtype", dtype, _asc.DataType),
            ("is_trans", is_trans, bool),
            ("layout", layout, _asc.LayoutMode),
        )
        for name, value, kind in wanted:
            if not isinstance(value, kind):
                raise TypeError(f"MatmulType: {name} is a {kind.__name__}, not {value!r}")
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise AttributeError("a MatmulType does not change: make another")

    def _fields(self):
        return tuple(getattr(self, name) for name in ("position", "format", "dtype", "is_trans", "layout"))

    def __eq__(self, other):
        return self._fields() == other._fields() if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash(self._fields())

    def __reduce__(self):
        return type(self), self._fields()

    def __repr__(self):
        return f"MatmulType({', '.join(str(field) for field in self._fields())})"
