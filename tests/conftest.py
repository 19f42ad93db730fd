# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: options, an environment of their own, and golden files."""

import difflib
import os
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"

# Set before the first `import asc`: no test may see, or leave anything in, the user's own folders.
for _name in (
    "PYASC_DUMP_PATH",
    "PYASC_SIM",
    "PYASC_DRY_RUN",
    "PYASC_COMPILER",
    "PYASC_LINKER",
    "PYASC_CACHE_MAX_BYTES",
    "PYASC_TEST_CACHE_FAULT",
):
    os.environ.pop(_name, None)
# Started in the background of a script it may be ignored: then nothing would stop what Ctrl-C is to stop.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="rewrite the golden files with what is printed now")
    parser.addoption(
        "--wheel", action="store_true", help="also build and try the archive and a wheel: minutes"
    )
    parser.addoption("--seed", type=int, default=None, help="replay the random tests with this seed")


def pytest_configure(config):
    config.addinivalue_line("markers", "host: compiles printed kernels with the host compiler")
    config.addinivalue_line("markers", "slow: takes more than a few seconds")
    if "ASC_UNDER_SANITIZER" in os.environ:
        from asc import _asc

        if not _asc.__file__.startswith(os.environ["ASC_UNDER_SANITIZER"]):
            raise pytest.UsageError(f"{_asc.__file__} is not the instrumented module")
    if config.getoption("--seed") is not None:
        os.environ["ASC_TEST_SEED"] = str(config.getoption("--seed"))


@pytest.fixture(autouse=True, scope="session")
def own_home(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    os.environ["PYASC_HOME"] = str(home)
    os.environ["PYASC_CACHE_DIR"] = str(home / "cache")


@pytest.fixture
def seed(request):
    """The seed of a random test; the failure report shows it, and --seed replays it."""
    chosen = request.config.getoption("--seed")
    if chosen is None:
        chosen = int.from_bytes(os.urandom(4), "little")
    print(f"replay with --seed {chosen}")
    return chosen


@pytest.fixture
def golden(request):
    """`golden(name, text)`: text equals tests/golden/NAME; with --bless the file is rewritten instead."""

    def check(name, text):
        path = GOLDEN / name
        if request.config.getoption("--bless"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if not path.exists():
            pytest.fail(f"tests/golden/{name} does not exist; ./dev bless writes it", pytrace=False)
        wanted = path.read_text(encoding="utf-8")
        if text != wanted:
            diff = difflib.unified_diff(
                wanted.splitlines(True), text.splitlines(True), f"tests/golden/{name}", "printed now"
            )
            pytest.fail("".join(diff) + "\nIf this is wanted: ./dev bless", pytrace=False)

    return check
