# SPDX-License-Identifier: Apache-2.0
"""Structs of your own: parameters of a kernel in one argument, and local groups of numbers.

    class Tiling(Struct):
        total = Field(asc.int32)
        scale = Field(asc.float32, default=1.0)

    kernel[8](x, y, Tiling(total=4096))     # in the kernel: tiling.total, tiling.scale

The layout is C's: fields in the order of the class, each at a multiple of its own alignment (a number's is
its size in bytes, a struct's the largest of its fields), and a total size that is a multiple of the struct's
alignment. `pack()` gives these bytes, little-endian, as the printed struct has them on the device.
"""

from __future__ import annotations

import ctypes
import math

_CTYPES = {
    "bool": ctypes.c_bool, "int8": ctypes.c_int8, "int16": ctypes.c_int16, "int32": ctypes.c_int32,
    "int64": ctypes.c_int64, "uint8": ctypes.c_uint8, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double,
}  # fmt: skip
_NATURAL_PACK = 8  # no field is larger


class _Missing:
    def __repr__(self):
        return "<no default>"


missing = _Missing()


class BaseField:
    """A field of a struct; `default` is its value where none is given."""

    def __init__(self, default, name):
        self.default = default
        self.name = name

    def __set_name__(self, owner, name):
        if self.name not in (None, name):
            raise ValueError(
                f"field '{name}': a field has one name, in Python and on the device, not '{self.name}'"
            )
        self.name = name

    def __get__(self, instance, owner=None):
        return self if instance is None else instance._read(self)

    def __set__(self, instance, value):
        instance._write(self, value)


class Field(BaseField):
    """A number: bool, int8 to int64, uint8 to uint64, float32, float64. TypeError for another dtype.

    A number that its dtype cannot hold raises OverflowError or TypeError when it is set.
    """

    def __init__(self, dtype, default=missing, name=None, enum=None):
        super().__init__(default, name)
        dtype_name = getattr(dtype, "name", None)
        if dtype_name not in _CTYPES:
            raise TypeError(f"a field cannot be {dtype!r}; its dtype is one of {', '.join(_CTYPES)}")
        if enum is not None:
            raise NotImplementedError("Field(enum=...) is not yet supported")
        self.dtype = dtype
        if default is not missing:
            self.default = self.checked(default)

    def ctypes_cls(self):
        return _CTYPES[self.dtype.name]

    def checked(self, value):
        kind, where = self.dtype.name, f"field '{self.name}'" if self.name else "default of a field"
        if kind.startswith("float"):
            number = float(value)
            if kind == "float32" and math.isfinite(number) and math.isinf(ctypes.c_float(number).value):
                raise OverflowError(f"{where}: {value!r} is not a value of {kind}")
            return ctypes.c_float(number).value if kind == "float32" else number
        if (
            isinstance(value, float)
            or not hasattr(value, "__index__")
            and type(value).__name__ not in ("bool", "bool_")
        ):
            raise TypeError(f"{where}: {value!r} is not a value of {kind}")
        number = int(value)
        if kind == "bool":
            return bool(number)
        bits = 8 * self.dtype.sizeof()
        low, high = (0, 2**bits - 1) if kind.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        if not low <= number <= high:
            raise OverflowError(f"{where}: {number} is not a value of {kind}")
        return number


class StructField(BaseField):
    """A struct inside a struct; its default is a `struct_cls()`."""

    def __init__(self, struct_cls, default=None, name=None):
        super().__init__(struct_cls() if default is None else default, name)
        self.struct_cls = struct_cls
        self.checked(self.default)

    def ctypes_cls(self):
        return self.struct_cls.ctypes_class

    def checked(self, value):
        if type(value) is not self.struct_cls:
            raise TypeError(f"field '{self.name}': {value!r} is no {self.struct_cls.__name__}")
        return value.ctypes_struct


def _annotations(cls):
    try:
        return cls.__annotations__
    except NameError:  # Python 3.14 evaluates them here, and some are there for type checkers only
        return {}


def _field_for(annotation):
    """How the field is written that somebody meant by an annotation, `n: asc.int32`; None for others."""
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return f"StructField({annotation.__name__})"
    if isinstance(annotation, str):  # from __future__ import annotations
        return f"Field({annotation})" if annotation.rpartition(".")[2] in _CTYPES else None
    name = getattr(annotation, "name", None)
    return f"Field(asc.{name})" if isinstance(name, str) and name in _CTYPES else None


class Struct:
    """Base of structs; a subclass lists its fields as `Field` and `StructField` in its body.

    `Tiling(total=4096)` makes an instance: fields that are not given have their defaults, and RuntimeError
    names a field without one. In a kernel such a field begins as zero. A kernel's argument arrives as its
    values were at the launch, and is read-only there; `create_local()` in the kernel gives a copy that can be
    changed.

    `ctypes_class` has the layout: `ctypes.sizeof(Tiling.ctypes_class)` bytes, and
    `Tiling.ctypes_class.total.offset`.
    """

    __slots__ = ("ctypes_struct",)

    def __init__(self, **fields):
        self.ctypes_struct = type(self).ctypes_class()
        for name in fields:
            self.get_field(name)
        for name, field in self.struct_fields.items():
            value = fields.get(name, field.default)
            if value is missing:
                raise RuntimeError(f"{type(self).__name__} does not have a default value for '{name}'")
            self._write(field, value)

    def __init_subclass__(cls, pack=_NATURAL_PACK, _device=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if pack < _NATURAL_PACK:
            raise NotImplementedError(
                f"struct {cls.__name__}: pack={pack} is not yet supported, the layout is C's"
            )
        own = {name: value for name, value in vars(cls).items() if isinstance(value, BaseField)}
        known = {**getattr(cls.__base__, "struct_fields", {}), **own}
        for name, annotation in _annotations(cls).items():
            written = _field_for(annotation)
            if written and name not in known:
                default = f", default={vars(cls)[name]!r}" if name in vars(cls) else ""
                raise RuntimeError(
                    f"Struct '{cls.__name__}': '{name}' is annotated, which makes no field; "
                    f"write {name} = {written[:-1]}{default})"
                )
        for name in own:
            if hasattr(Struct, name) or name in ("ctypes_class", "struct_fields"):
                raise RuntimeError(f"Struct '{cls.__name__}': a field cannot be named '{name}'")
        cls.struct_fields = known
        if not cls.struct_fields:
            raise RuntimeError(
                f"Struct '{cls.__name__}' must have at least one field, such as n = Field(asc.int32)"
            )
        members = [(name, field.ctypes_cls()) for name, field in cls.struct_fields.items()]
        cls.ctypes_class = type(f"_ctypes_{cls.__name__}", (ctypes.Structure,), {"_fields_": members})
        # What the compiler reads: name, bytes, of each field name, dtype or class, offset, default; and the
        # struct of the device that the class stands for, if there is one.
        cls.__asc_layout__ = (
            cls.__name__,
            ctypes.sizeof(cls.ctypes_class),
            tuple(
                (
                    name,
                    field.struct_cls if isinstance(field, StructField) else field.dtype,
                    getattr(cls.ctypes_class, name).offset,
                    None if field.default is missing else field.default,
                )
                for name, field in cls.struct_fields.items()
            ),
            *([_device] if _device else []),
        )

    def _read(self, field):
        value = getattr(self.ctypes_struct, field.name)
        if not isinstance(field, StructField):
            return value
        part = field.struct_cls.__new__(field.struct_cls)
        part.ctypes_struct = value  # shares the memory: tiling.tile.rows = 3 changes the tiling
        return part

    def _write(self, field, value):
        setattr(self.ctypes_struct, field.name, field.checked(value))

    def __setattr__(self, name, value):
        if name != "ctypes_struct":
            self.get_field(name)
        elif not isinstance(value, self.ctypes_class):
            raise TypeError(f"ctypes_struct of a {type(self).__name__} is a {self.ctypes_class.__name__}")
        super().__setattr__(name, value)

    def __repr__(self):
        fields = ", ".join(f"{name}={self._read(field)!r}" for name, field in self.struct_fields.items())
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other):
        return self.pack() == other.pack() if type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # mutable

    @classmethod
    def get_field(cls, name):
        """The field of that name; RuntimeError if there is none."""
        field = cls.struct_fields.get(name)
        if field is None:
            raise RuntimeError(f"{cls.__name__} does not have a field '{name}'")
        return field

    def addressof(self):
        """Where the bytes are in host memory, as long as the instance lives."""
        return ctypes.addressof(self.ctypes_struct)

    def pack(self):
        """The bytes that a kernel gets."""
        return bytes(self.ctypes_struct)

    def create_local(self):
        """A copy with memory of its own."""
        return _from_bytes(type(self), self.pack())

    def __reduce__(self):  # copies have memory of their own, shallow ones too
        return _from_bytes, (type(self), self.pack())


def _from_bytes(cls, data):
    made = cls.__new__(cls)
    made.ctypes_struct = cls.ctypes_class.from_buffer_copy(data)
    return made
