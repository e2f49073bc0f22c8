"""akm's directories, its config.json and akm.lock."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_ls.bundles.config import AkmConfig, load_config
from akm_ls.bundles.directories import akm_directories
from akm_ls.bundles.jsonc import parse_jsonc

Load = Callable[[str], AkmConfig]


@pytest.fixture
def load(env: dict[str, str], home: str) -> Load:
    def write_and_load(text: str) -> AkmConfig:
        path = Path(home, ".config", "akm", "config.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return load_config(env)

    return write_and_load


class TestDirectories:
    def test_defaults_lie_below_home(self) -> None:
        found = akm_directories({}, "/home/ada", windows=False)
        assert found.config == "/home/ada/.config/akm"
        assert found.cache == "/home/ada/.cache/akm"
        assert found.data == "/home/ada/.local/share/akm"
        assert found.state == "/home/ada/.local/state/akm"
        assert found.platform_bundle == "/home/ada/akm"

    def test_xdg_variables_move_them(self) -> None:
        names = ("CONFIG", "CACHE", "DATA", "STATE")
        env = {f"XDG_{name}_HOME": f"/xdg/{name}" for name in names}
        found = akm_directories(env, "/home/ada", windows=False)
        assert (found.config, found.cache) == ("/xdg/CONFIG/akm", "/xdg/CACHE/akm")
        assert (found.data, found.state) == ("/xdg/DATA/akm", "/xdg/STATE/akm")

    def test_akm_variables_win_over_everything(self) -> None:
        names = ("CONFIG", "CACHE", "DATA", "STATE")
        env = {f"XDG_{name}_HOME": "/xdg" for name in names}
        env |= {f"AKM_{name}_DIR": f"/mine/{name}" for name in names}
        found = akm_directories(env, "/home/ada", windows=False)
        assert (found.config, found.cache) == ("/mine/CONFIG", "/mine/CACHE")
        assert (found.data, found.state) == ("/mine/DATA", "/mine/STATE")

    def test_an_empty_variable_is_not_set(self) -> None:
        env = {"AKM_CONFIG_DIR": "", "XDG_CONFIG_HOME": ""}
        assert akm_directories(env, "/home/ada", windows=False).config == "/home/ada/.config/akm"

    @pytest.mark.parametrize("where", ["/tmp/x", "/var/tmp/x", "/private/var/folders/1/x"])
    def test_a_transient_bundle_directory_holds_its_own_configuration(self, where: str) -> None:
        found = akm_directories({"AKM_BUNDLE_DIR": where}, "/home/ada", windows=False)
        assert found.config == f"{where}/.akm"
        assert found.cache == f"{where}/.akm/cache"
        assert found.data == "/home/ada/.local/share/akm"

    def test_a_lasting_bundle_directory_does_not(self) -> None:
        found = akm_directories({"AKM_BUNDLE_DIR": "/srv/stash"}, "/home/ada", windows=False)
        assert found.config == "/home/ada/.config/akm"
        assert found.override == "/srv/stash"

    def test_xdg_wins_over_a_transient_bundle(self) -> None:
        env = {"AKM_BUNDLE_DIR": "/tmp/x", "XDG_CONFIG_HOME": "/xdg"}
        assert akm_directories(env, "/home/ada", windows=False).config == "/xdg/akm"

    def test_windows_uses_the_application_data_directories(self) -> None:
        env = {"APPDATA": r"C:\Users\ada\Roam", "LOCALAPPDATA": r"C:\Users\ada\Loc"}
        found = akm_directories(env, r"C:\Users\ada", windows=True)
        assert found.config == r"C:\Users\ada\Roam\akm"
        assert found.cache == r"C:\Users\ada\Loc\akm"
        assert found.data == r"C:\Users\ada\Loc\akm\data"
        assert found.platform_bundle == r"C:\Users\ada\Documents\akm"

    def test_windows_falls_back_to_the_profile(self) -> None:
        found = akm_directories({"USERPROFILE": r"C:\Users\ada"}, None, windows=True)
        assert found.config == r"C:\Users\ada\AppData\Roaming\akm"
        assert found.cache == r"C:\Users\ada\AppData\Local\akm"


class TestJsonWithComments:
    def test_comments_and_trailing_commas_are_taken(self) -> None:
        text = '{ // one\n "a": [1, 2,], /* two\n lines */ "b": {"c": 1,},\n}'
        assert parse_jsonc(text) == ({"a": [1, 2], "b": {"c": 1}}, None)

    @pytest.mark.parametrize(
        "value", ["https://example.org//x", "/* no comment */", 'quote " // x', "back\\", ",]"]
    )
    def test_strings_survive_whatever_they_hold(self, value: str) -> None:
        assert parse_jsonc(json.dumps({"a": value})) == ({"a": value}, None)

    def test_a_byte_order_mark_is_taken(self) -> None:
        assert parse_jsonc('\ufeff{"a": 1}') == ({"a": 1}, None)

    def test_a_problem_has_its_true_place_behind_comments(self) -> None:
        _, problem = parse_jsonc('{\n  /* a\n  b */ "a": nope\n}')
        assert problem is not None
        assert (problem.line, problem.column) == (3, 13)

    def test_nesting_without_end_is_a_problem_and_no_crash(self) -> None:
        assert parse_jsonc("[" * 100_000)[1] is not None

    @given(st.text(alphabet='{}[]",:/*\\ \n\r\t1a-\ud800\0', max_size=60) | st.text(max_size=60))
    @settings(deadline=None)
    def test_nothing_raises(self, text: str) -> None:
        parse_jsonc(text)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
    @settings(deadline=None)
    def test_plain_json_is_read_as_it_is(self, value: object) -> None:
        assert parse_jsonc(json.dumps({"v": value})) == ({"v": value}, None)


class TestConfigFile:
    def test_a_missing_file_is_an_empty_configuration(self, env: dict[str, str]) -> None:
        config = load_config(env)
        assert (config.found, config.entries, config.warnings) == (False, (), ())

    def test_a_missing_file_that_was_asked_for_is_a_warning(self, env: dict[str, str]) -> None:
        config = load_config(env, path="/nowhere/config.json")
        assert "/nowhere/config.json: no such configuration file" in config.warnings[0]

    def test_a_directory_stands_for_the_config_in_it(
        self, env: dict[str, str], tmp_path: Path
    ) -> None:
        (tmp_path / "config.json").write_text('{"bundles": {"a": {"path": "/a"}}}')
        assert [e.key for e in load_config(env, path=str(tmp_path)).entries] == ["a"]

    def test_every_locator(self, load: Load) -> None:
        config = load(
            """{
            "configVersion": "0.9.0",
            "defaultBundle": "p",
            "bundles": {
              "p": {"path": "~/stash"},
              "g": {"git": "github:o/r#v1"}, // a comment
              "n": {"npm": "@o/pkg@1"},
              "w": {"website": {"url": "https://example.org//docs", "maxPages": 5}},
            },
            }"""
        )
        assert config.warnings == ()
        assert config.default_bundle == "p"
        assert [(e.key, e.kind, e.locator) for e in config.entries] == [
            ("p", "path", "~/stash"),
            ("g", "git", "github:o/r#v1"),
            ("n", "npm", "@o/pkg@1"),
            ("w", "website", "https://example.org//docs"),
        ]

    @pytest.mark.parametrize(
        ("entry", "writable"),
        [
            ('{"path": "/a"}', True),
            ('{"path": "/a", "writable": false}', False),
            ('{"git": "u/r"}', False),
            ('{"git": "u/r", "writable": true}', True),
            ('{"path": "/a", "components": {"c": {"writable": false}}}', False),
            ('{"path": "/a", "writable": false, "components": {"c": {"writable": true}}}', True),
            ('{"npm": "p", "writable": true}', False),
            ('{"website": {"url": "https://x.y"}, "writable": true}', False),
        ],
    )
    def test_writable_is_the_components_word_then_the_entrys_then_the_kinds(
        self, load: Load, entry: str, writable: bool
    ) -> None:
        config = load(f'{{"bundles": {{"a": {entry}}}}}')
        assert config.entries[0].effective_writable is writable

    def test_a_writable_website_is_a_warning(self, load: Load) -> None:
        config = load('{"bundles": {"a": {"npm": "p", "writable": true}}}')
        assert "bundles.a.writable" in config.warnings[0]

    def test_broken_json_is_a_warning_with_its_place(self, load: Load) -> None:
        config = load('{\n  "bundles": {\n    "a": nope\n}}')
        assert config.entries == ()
        assert config.warnings[0].startswith(f"{config.path}:3:10: not valid JSON")

    @pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "", "\0", "\ufeff"])
    def test_anything_else_than_an_object_is_a_warning_at_most(self, load: Load, text: str) -> None:
        assert load(text).entries == ()

    def test_bytes_that_are_no_text_are_a_warning(self, env: dict[str, str], home: str) -> None:
        path = Path(home, ".config", "akm", "config.json")
        path.parent.mkdir(parents=True)
        path.write_bytes(b"\xff\xfe\x00{\x80")
        assert len(load_config(env).warnings) == 1

    @pytest.mark.parametrize(
        ("text", "named"),
        [
            ('{"bundles": []}', "bundles"),
            ('{"bundles": {"a": "x"}}', "bundles.a"),
            ('{"bundles": {"a": {}}}', "bundles.a"),
            ('{"bundles": {"a": {"path": "/a", "git": "x"}}}', "bundles.a"),
            ('{"bundles": {"a": {"path": 5}}}', "bundles.a.path"),
            ('{"bundles": {"a": {"path": ""}}}', "bundles.a.path"),
            ('{"bundles": {"a": {"path": "x\\u0000y"}}}', "bundles.a.path"),
            ('{"bundles": {"a": {"website": "https://x"}}}', "bundles.a.website"),
            ('{"bundles": {"a": {"website": {"url": 1}}}}', "bundles.a.website.url"),
            ('{"bundles": {"a": {"path": "/a", "writable": "yes"}}}', "bundles.a.writable"),
            ('{"bundles": {"a": {"path": "/a", "enabled": 0}}}', "bundles.a.enabled"),
            ('{"bundles": {"a": {"path": "/a", "components": []}}}', "bundles.a.components"),
            ('{"bundles": {"a": {"path": "/", "components": {"c": 1}}}}', "bundles.a.components.c"),
            (
                '{"bundles": {"a": {"path": "/", "components": {"c": {"root": 1}}}}}',
                "bundles.a.components.c.root",
            ),
            (
                '{"bundles": {"a": {"path": "/", "components": {"c": {"adapter": "nope"}}}}}',
                "bundles.a.components.c.adapter",
            ),
            (
                '{"bundles": {"a": {"path": "/", "components": {"c": {}, "d": {}}}}}',
                "bundles.a.components",
            ),
            ('{"defaultBundle": "zz"}', "defaultBundle"),
            ('{"defaultBundle": ["zz"]}', "defaultBundle"),
            ('{"defaultWriteTarget": "zz"}', "defaultWriteTarget"),
            ('{"configVersion": 9}', "configVersion"),
            ('{"configVersion": "1.0"}', "configVersion"),
            ('{"embedding": "x"}', "embedding"),
            ('{"embedding": {"dimension": "many"}}', "embedding.dimension"),
            ('{"embedding": {"dimension": true}}', "embedding.dimension"),
            ('{"search": {"minScore": "low"}}', "search.minScore"),
        ],
    )
    def test_a_wrong_value_is_one_warning_that_names_its_key(
        self, load: Load, text: str, named: str
    ) -> None:
        warnings = load(text).warnings
        assert any(f": {named}" in warning for warning in warnings), warnings

    @pytest.mark.parametrize(
        "key", ["stashDir", "sources", "installed", "profiles", "llm", "agent", "writable"]
    )
    def test_a_retired_key_is_a_warning_and_the_bundles_are_still_read(
        self, load: Load, key: str
    ) -> None:
        config = load(f'{{"{key}": {{}}, "bundles": {{"a": {{"path": "/a"}}}}}}')
        assert [e.key for e in config.entries] == ["a"]
        assert len(config.warnings) == 1
        assert f"{key} is retired" in config.warnings[0]

    def test_a_retired_default_is_a_warning(self, load: Load) -> None:
        assert "defaults.llm is retired" in load('{"defaults": {"llm": "x"}}').warnings[0]

    def test_unknown_keys_pass(self, load: Load) -> None:
        assert load('{"shiny": 1, "bundles": {"a": {"path": "/a", "new": []}}}').warnings == ()

    def test_one_bad_entry_does_not_cost_the_others(self, load: Load) -> None:
        config = load('{"bundles": {"a": 1, "b": {"path": "/b"}, "c": {"path": []}}}')
        assert [e.key for e in config.entries] == ["b"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
    def test_a_pipe_in_its_place_does_not_hang(self, env: dict[str, str], home: str) -> None:
        directory = Path(home, ".config", "akm")
        directory.mkdir(parents=True)
        os.mkfifo(directory / "config.json")
        assert load_config(env).entries == ()

    def test_keys_of_models_are_not_shown(self, load: Load) -> None:
        config = load('{"embedding": {"apiKey": "s3cret"}, "bundles": {"a": {"path": 1}}}')
        assert "s3cret" not in repr(config) + "".join(config.warnings)

    @given(st.text(max_size=80))
    @settings(deadline=None, max_examples=60)
    def test_no_value_anywhere_raises(self, text: str) -> None:
        from akm_ls.bundles.config import _ConfigReader

        for value in (text, [text], {text: text}, 1, True, None):
            for key in ("bundles", "defaultBundle", "configVersion", "defaults", "embedding"):
                _ConfigReader("config.json", []).read({key: value})
                _ConfigReader("config.json", []).read({"bundles": {"a": {"path": "/", key: value}}})


class TestLock:
    def write(self, home: str, text: str) -> None:
        path = Path(home, ".local", "share", "akm", "akm.lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_records_say_where_content_was_put(self, env: dict[str, str], home: str) -> None:
        self.write(home, '[{"id": "g", "source": "git", "ref": "x", "localRoot": "/c/g"}]')
        record = load_config(env).lock[0]
        assert (record.id, record.local_root, record.source) == ("g", "/c/g", "git")

    def test_bad_records_are_warnings(self, env: dict[str, str], home: str) -> None:
        self.write(home, '[3, {}, {"id": "g", "localRoot": 4}]')
        config = load_config(env)
        assert [record.local_root for record in config.lock] == [None]
        assert len(config.warnings) == 3

    @pytest.mark.parametrize("text", ["{}", "{", ""])
    def test_a_broken_lock_is_a_warning(self, env: dict[str, str], home: str, text: str) -> None:
        self.write(home, text)
        config = load_config(env)
        assert config.lock == ()
        assert "akm.lock" in config.warnings[0]
