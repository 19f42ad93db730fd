# SPDX-License-Identifier: Apache-2.0
"""Each rule of language_rules.txt is shown accepted and refused by examples, tests or golden files."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_language_doc import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"


@dataclasses.dataclass
class Rule:
    name: str
    sentence: str
    accepted: list = dataclasses.field(default_factory=list)
    refused: list = dataclasses.field(default_factory=list)
    never: str = ""  # why no kernel breaks it


def read():
    rules = []
    for line in (ROOT / "tests/python/language_rules.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        mark, item = line.split(maxsplit=1) if line.startswith("  ") else ("", line)
        item = item.replace(r"\n", "\n")
        if mark == "+":
            rules[-1].accepted.append(item)
        elif mark == "-":
            rules[-1].refused.append(item)
        elif mark == "=":
            rules[-1].never = item
        else:
            assert not mark, line
            rules.append(Rule(*line.split(maxsplit=1)))
    return rules


RULES = read()
# Statements that no kernel has: each is shown refused, with a message of its own.
UNSUPPORTED = [rule for rule in RULES if not rule.accepted]


def is_test(item):
    return re.match(r"test_\w+\.py::", item) is not None


@pytest.fixture(scope="module")
def node_ids():
    """Every test of the files that the rules name, as FILE::NAME[PARAMETERS]; pytest collects them once."""
    names = {item.split("::")[0] for rule in RULES for item in rule.accepted + rule.refused if is_test(item)}
    files = [str(path) for name in sorted(names) for path in (ROOT / "tests").rglob(name)]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    ids = re.findall(r"^tests/\w+/(test_\w+\.py::.+)$", done.stdout, re.MULTILINE)
    assert len(ids) > 300
    return ids


def exists(item, kind, node_ids):
    """Is there such a test, golden text, or example of this kind that is expected to pass?"""
    if is_test(item):
        return any(node.startswith(item) for node in node_ids)
    if golden := re.match(r"([\w.]+\.cpp): (.*)", item, re.DOTALL):
        path = GOLDEN / golden[1]
        return path.exists() and golden[2] in path.read_text(encoding="utf-8")
    for block in EXAMPLES:
        if block.words[0] == kind and "xfail:" not in block.words:
            printed = [shown.text for shown in block.below if kind == "accepted"]
            if any(item in text for text in (block.text, *printed)):
                return True
    return False


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_rule(rule, node_ids):
    missing = [item for item in rule.accepted if not exists(item, "accepted", node_ids)]
    missing += [item for item in rule.refused if not exists(item, "refused", node_ids)]
    assert not missing, f"{rule.name} {rule.sentence}: there is no {missing}"
    assert bool(rule.refused) != bool(rule.never), "a rule is refused, or says why it never is"


def test_each_rule_is_there_once():
    names = [rule.name for rule in RULES]
    inside = {section: sum(name.startswith(f"{section}.") for name in names) for section in range(1, 8)}
    assert all(count > 5 for count in inside.values())
    assert names == [f"{section}.{i}" for section in inside for i in range(1, inside[section] + 1)]


def test_each_unsupported_statement_has_a_message_of_its_own():
    """At least one row of the document for each, no two with one message."""
    assert [rule.sentence for rule in UNSUPPORTED] == [
        "lambda", "def", "class", "try", "raise", "generators", "del", "global", "nonlocal", "async", "match",
        "starred arguments", "calls of Python functions with runtime arguments",
    ]  # fmt: skip
    messages = {}
    for rule in UNSUPPORTED:
        rows = [
            b for item in rule.refused if not is_test(item) for b in EXAMPLES if b.error and item in b.text
        ]
        assert rows, rule.sentence
        for row in rows:
            text = re.sub(r"function \w+ is|: \w+$", "", row.error)  # the name and type at hand
            assert messages.setdefault(text, rule.name) == rule.name, (row.error, rule.sentence)


# ---- what holds for every golden text ----

TEXTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(GOLDEN.glob("*.cpp"))}


def test_no_golden_text_has_a_using():
    assert len(TEXTS) > 30
    for name, text in TEXTS.items():
        assert "using namespace" not in text, name


def test_helpers_are_printed_only_when_used():
    """A function of ours, such as asc_floor_div, stands in a text that calls it."""
    seen = set()
    for name, text in TEXTS.items():
        for helper in re.findall(r"inline [^(\n]*?(asc_\w+)\(", text):
            seen.add(helper)
            definitions = len(re.findall(rf"inline [^(\n]*?{helper}\(", text))
            assert len(re.findall(rf"\b{helper}(?:<\w+>)?\(", text)) > definitions, (name, helper)
    assert {"asc_floor_div", "asc_floor_mod", "asc_min", "asc_max"} <= seen


def test_functions_stand_in_an_anonymous_namespace():
    found = 0
    for name, text in TEXTS.items():
        for definition in re.finditer(r"^__aicore__ inline ", text, re.MULTILINE):
            before = text[: definition.start()]
            assert before.count("namespace {\n") == before.count("}  // namespace\n") + 1, name
            found += 1
    assert found > 10
