"""What a client's ``akm`` section means, and what is said of what means nothing."""

from __future__ import annotations

import pytest

from akm_ls.workspace import Settings, read_settings


def problems(raw: object, base: Settings | None = None) -> list[str]:
    return [problem.message for problem in read_settings(raw, base, relative_to="/w")[1]]


def test_every_setting_is_read_nested_or_dotted() -> None:
    nested = {
        "bundleDirs": ["a"],
        "dataDir": "/data",
        "config": "c.json",
        "offline": True,
        "completion": {"maxItems": 5},
        "diagnostics": {"delay": 7},
        "lint": {"rules": {"missing-ref": "error"}},
    }
    settings, none = read_settings(nested, relative_to="/w")
    assert none == ()
    assert (settings.bundle_dirs, settings.bundle_dirs_from) == (("/w/a",), "akm.bundleDirs")
    assert (settings.data_dir, settings.config, settings.offline) == ("/data", "/w/c.json", True)
    assert (settings.max_completions, settings.diagnostics_delay_ms) == (5, 7)
    assert settings.lint.level("missing-ref", "warning") == "error"
    sections = ("completion", "diagnostics", "lint")
    dotted = {key: value for key, value in nested.items() if key not in sections}
    dotted |= {
        "completion.maxItems": 5,
        "diagnostics.delay": 7,
        "lint.rules": {"missing-ref": "error"},
    }
    assert read_settings(dotted, relative_to="/w") == (settings, ())


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"ofline": True}, "akm.ofline: no such setting; it is ignored. Did you mean akm.offline?"),
        (
            {"lint": {"rule": {}}},
            "akm.lint.rule: no such setting; it is ignored. Did you mean akm.lint.rules?",
        ),
        (
            {"maxItems": 5},
            "akm.maxItems: no such setting; it is ignored. Did you mean akm.completion.maxItems?",
        ),
        ({"zebra": {"x": 1}}, "akm.zebra: no such setting; it is ignored."),
        (
            {"completion": {"maxItems": 0}},
            "akm.completion.maxItems: 0 is not a whole number from 1 to 1000; 100 stays",
        ),
        ({"lint": 5}, "akm.lint: 5 is not an object; the default stays"),
        ({"embedding": 5}, "akm.embedding: 5 is not an object; the default stays"),
        (
            {"embedding": {"modell": "x"}},
            "akm.embedding.modell: no such setting; it is ignored."
            " Did you mean akm.embedding.model?",
        ),
        ([1], "akm: [1] is not an object of settings; what was set before stays"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_stays(raw: object, said: str) -> None:
    assert problems(raw) == [said]


@pytest.mark.parametrize(
    "wrapped",
    [
        {"akm": {"offline": True, "lint": {"portable": True}}},
        {"akm.offline": True, "akm.lint.portable": True},
        {"akm": {"offline": True}, "lint": {"portable": True}},
    ],
)
def test_a_section_may_come_with_its_name_around_it(wrapped: dict[str, object]) -> None:
    plain, _ = read_settings({"offline": True, "lint": {"portable": True}})
    assert read_settings(wrapped) == (plain, ())


def test_values_are_quoted_as_their_author_wrote_them() -> None:
    said = "\n".join(
        problems(
            {
                "offline": {"a": None},
                "usage": "yes",
                "dataDir": True,
                "completion": None,
                "semantic": {"mode": False},
                "hosts": [None],
                "bundleDirs": "x",
                "akm": [True, "größer"],
            }
        )
        + problems(None)
        + problems({"akm": [None]})
    )
    assert 'akm.offline: {"a": null} is not true or false; false stays' in said
    assert 'akm.usage: "yes" is not true or false; true stays' in said
    assert "akm.semantic.mode: false is not one of" in said
    assert "akm: [null] is not an object of settings" in said
    for word in ("None", "True", "False", "dict", "NoneType", "'"):
        assert word not in said


def test_a_level_that_is_none_leaves_the_default() -> None:
    (said,) = problems({"lint": {"rules": {"missing-ref": "loud"}}})
    assert said.startswith('akm.lint.rules.missing-ref: "loud" is none of ')
    assert said.endswith("; the default stays")


def test_keys_of_the_client_are_passed_over() -> None:
    own = {"server": {"command": ["x"]}, "trace": {"server": "off"}, "server.path": "x"}
    assert problems(own) == []


def test_a_foreign_section_is_told_in_few_words() -> None:
    said = problems({f"key-{number}": 1 for number in range(500)})
    assert len(said) == 11
    assert said[-1] == "akm: not known either: 490 more keys"
