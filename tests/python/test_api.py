# SPDX-License-Identifier: Apache-2.0
"""Names: enums, dtypes, known but unbuilt names, import cost."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import asc
from asc._names import NAMES


def test_every_public_name_resolves():
    for name in NAMES:
        if name.count(".") == 1:
            assert getattr(asc, name.split(".")[1]) is not None, name


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no_such_op"):
        asc.no_such_op
    for module in (asc.runtime, asc.lib):
        with pytest.raises(AttributeError, match=f"'{module.__name__}' has no attribute 'no_such'"):
            module.no_such


@pytest.mark.parametrize(
    "path", ["runtime.config", "runtime.jit", "lib.runtime", "lib.host", "errors", "codegen", "language.core"]
)
def test_modules_are_there_after_import_asc(path):
    """As in the reference, whose `import asc` brings most of them."""
    done = subprocess.run(
        [sys.executable, "-c", f"import asc; print(asc.{path}.__name__)"], capture_output=True, text=True
    )
    assert done.stdout.strip() == f"asc.{path}", done.stderr


def test_dir_names_what_is_loaded_late():
    late = {"Field", "Struct", "StructField", "BoundsError", "adv", "errors", "lib", "runtime", "torch_op"}
    assert late <= set(dir(asc)) and len(dir(asc)) == len(set(dir(asc)))


def test_unbuilt_name_says_so_with_the_line():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        asc.gather(x, x, x)

    with pytest.raises(asc.CompileError, match=r"asc\.gather is not yet supported") as caught:
        kernel[1](np.zeros(8, np.float32))
    assert caught.value.text.strip() == "asc.gather(x, x, x)"
    assert caught.value.file == __file__
    with pytest.raises(NotImplementedError, match=r"asc\.gather is not yet supported"):
        asc.gather()


def test_ops_do_not_run_outside_kernels():
    with pytest.raises(RuntimeError, match=r"asc\.add works only inside a function decorated with @asc\.jit"):
        asc.add(1, 2, 3)
    assert asc.ceildiv(7, 2) == 4 and asc.ceildiv(-7, 2) == -3


def test_enums_speak_enum():
    assert asc.HardEvent.MTE2_V.name == "MTE2_V" and asc.HardEvent.MTE2_V.value == 4
    assert asc.HardEvent(4) is asc.HardEvent.MTE2_V is asc.HardEvent["MTE2_V"]
    assert asc.HardEvent.MTE2_V == 4 and asc.HardEvent.MTE2_V in asc.HardEvent
    assert [m.name for m in asc.TPosition][:3] == ["GM", "A1", "A2"] and len(asc.TPosition) == 13
    assert list(asc.TPosition.__members__)[9] == "VECIN"
    assert (
        repr(asc.TPosition.VECIN) == "<TPosition.VECIN: 9>" and str(asc.TPosition.VECIN) == "TPosition.VECIN"
    )
    assert pickle.loads(pickle.dumps(asc.TPosition.VECIN)) is asc.TPosition.VECIN
    assert {asc.TPosition.VECIN: 1}[asc.TPosition(9)] == 1
    with pytest.raises(ValueError, match="77 is not a valid TPosition"):
        asc.TPosition(77)
    with pytest.raises(KeyError):
        asc.TPosition["NOWHERE"]


def test_dtypes_of_other_libraries_are_equal_by_name():
    numpy = pytest.importorskip("numpy")
    same = [numpy.float32, numpy.dtype("float32"), "float32", numpy.zeros(1, numpy.float32).dtype]
    other = [numpy.float16, numpy.dtype("int32"), "half precision", float, 4, None, asc.float16]
    if torch := sys.modules.get("torch"):
        same.append(torch.float32)
        other.append(torch.float16)
    for dtype in same:
        assert asc.float32 == dtype and dtype == asc.float32 and not asc.float32 != dtype, dtype
    for dtype in other:
        assert asc.float32 != dtype and not asc.float32 == dtype, dtype
    assert asc.float32 in same and {asc.float32: 1, asc.float16: 2}[asc.float32] == 1


def test_dtypes():
    from asc.language.core.dtype import KnownTypes

    assert asc.DataType("int32") is asc.int32 is asc.int_ is KnownTypes.int32
    assert asc.half is asc.float16 and asc.float16.sizeof() == 2 and str(asc.float16) == "float16"
    assert asc.uint8.is_unsigned() and asc.int8.is_signed() and asc.float_.is_float() and asc.void.is_void()
    assert pickle.loads(pickle.dumps(asc.float32)) is asc.float32
    with pytest.raises(ValueError, match="unknown data type 'int33'"):
        asc.DataType("int33")


def test_star_import_has_the_reference_names():
    namespace = {}
    exec("from asc import *", namespace)
    for name in (
        "jit",
        "GlobalAddress",
        "GlobalTensor",
        "add",
        "data_copy",
        "range",
        "TPosition",
        "ConstExpr",
        "float16",
    ):
        assert name in namespace, name
    assert "TimeoutError" not in namespace and "print" not in namespace


def test_import_is_lean():
    heavy = ("inspect", "dataclasses", "typing", "ast", "re", "pathlib", "numpy", "torch")
    program = (
        "import sys; before = set(sys.modules); import asc; "
        f"print(','.join(m for m in {heavy!r} if m in sys.modules and m not in before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_kernel_shows_as_its_function():
    @asc.jit
    def documented(x: asc.GlobalAddress):
        """What it does."""

    assert documented.__name__ == "documented" and documented.__doc__ == "What it does."
    assert documented.fn is documented.__wrapped__ and documented.__module__ == __name__


def test_import_paths_of_unbuilt_parts_exist():
    import asc.adv
    import asc.lib.host
    from asc.language.fwk.tpipe import TQueBind

    for name, qualified in (
        (asc.adv.softmax, "asc.adv.softmax"),
        (asc.lib.host.MatmulApiTiling, "asc.lib.host.MatmulApiTiling"),
        (TQueBind, "asc.TQueBind"),
    ):
        with pytest.raises(NotImplementedError, match=f"{qualified} is not yet supported"):
            name()
    with pytest.raises(AttributeError, match="no_such_name"):
        asc.adv.no_such_name
