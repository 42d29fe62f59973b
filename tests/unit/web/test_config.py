import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from web.accounts.providers import providers
from web.config import ROOT, Config
from web.setting import ConfigError, Setting


def test_nothing_has_to_be_set():
    config = Config.from_env({})
    assert config.data_dir == ROOT / "var"
    assert config.host == "127.0.0.1"
    assert not config.debug
    assert config.database_url == ""


def test_other_variables_are_left_alone():
    of_the_client = {"WARPCOURT_URL": "https://judge.example.org", "WARPCOURT_TOKEN": "wct_x"}
    others = {"PATH": "/bin", "DATABASE_URL": "nonsense", **of_the_client}
    assert Config.from_env(others) == Config.from_env({})


def test_values_are_parsed():
    config = Config.from_env(
        {
            "WARPCOURT_PORT": "81",
            "WARPCOURT_DEBUG": "Yes",
            "WARPCOURT_ALLOWED_HOSTS": "a.example, b.example,",
            "WARPCOURT_DATA_DIR": "/srv/warpcourt",
        }
    )
    assert (config.port, config.debug) == (81, True)
    assert config.allowed_hosts == ("a.example", "b.example")
    assert config.data_dir == Path("/srv/warpcourt")


@pytest.mark.parametrize(
    ("variable", "value", "fix"),
    [
        ("WARPCOURT_PORT", "http", "port number"),
        ("WARPCOURT_PORT", "65536", "port number"),
        ("WARPCOURT_DEBUG", "maybe", "yes or no"),
        ("WARPCOURT_WORKER_CONCURRENCY", "0", "above 0"),
        ("WARPCOURT_HOST", "localhost", "IP address"),
        ("WARPCOURT_BROKER_URL", "amqp://x", "redis://"),
        ("WARPCOURT_TARGET", "tpu", "one of cpu"),
        ("WARPCOURT_BOARD_KEY", "5A" * 31, "64 hexadecimal digits"),
        ("WARPCOURT_PROT", "80", "docs/operations/install.md"),
    ],
)
def test_an_error_names_the_variable_and_the_fix(variable, value, fix):
    with pytest.raises(ConfigError) as caught:
        Config.from_env({variable: value})
    assert variable in str(caught.value)
    assert fix in str(caught.value)


def test_an_error_does_not_show_a_value_which_may_be_a_secret():
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"WARPCOURT_BROKER_URL": "amqp://user:hunter2@host"})
    assert "hunter2" not in str(caught.value)


def test_all_errors_are_named_at_once():
    with pytest.raises(ConfigError, match=r"WARPCOURT_PORT.*; WARPCOURT_LOG_LEVEL"):
        Config.from_env({"WARPCOURT_PORT": "x", "WARPCOURT_LOG_LEVEL": "loud"})


def test_a_secret_may_come_from_a_file(tmp_path):
    secret = tmp_path / "database"
    secret.write_text("postgres://u:p@host/name\n")
    assert (
        Config.from_env({"WARPCOURT_DATABASE_URL_FILE": str(secret)}).database_url
        == "postgres://u:p@host/name"
    )


def test_a_secret_given_twice_or_missing_is_an_error(tmp_path):
    twice = {"WARPCOURT_SECRET_KEY": "x", "WARPCOURT_SECRET_KEY_FILE": str(tmp_path / "key")}
    with pytest.raises(ConfigError, match="WARPCOURT_SECRET_KEY: set together with"):
        Config.from_env(twice)
    with pytest.raises(ConfigError, match=r"WARPCOURT_SECRET_KEY_FILE: cannot read .*/key: No such file"):
        Config.from_env({"WARPCOURT_SECRET_KEY_FILE": str(tmp_path / "key")})


def test_only_secrets_may_come_from_files():
    with pytest.raises(ConfigError, match="WARPCOURT_PORT_FILE is not a Warpcourt setting"):
        Config.from_env({"WARPCOURT_PORT_FILE": "/etc/port"})


def test_a_secret_key_is_made_once_and_nobody_else_may_read_it(tmp_path):
    config = Config.from_env({"WARPCOURT_DATA_DIR": str(tmp_path / "var")})
    key = config.load_secret_key()
    assert len(key) > 64
    assert config.load_secret_key() == key
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret-key"]
    assert stat.S_IMODE((tmp_path / "var" / "secret-key").stat().st_mode) == 0o600


def test_a_data_directory_that_cannot_be_created_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    config = Config.from_env({"WARPCOURT_DATA_DIR": str(tmp_path / "file" / "var")})
    with pytest.raises(ConfigError, match=r"WARPCOURT_DATA_DIR: cannot create .*: Not a directory"):
        config.load_secret_key()


@pytest.mark.parametrize("command", [["manage.py", "doctor"], ["-m", "celery", "-A", "worker.app", "worker"]])
def test_a_wrong_setting_ends_a_command_with_one_line(command):
    environ = {**os.environ, "WARPCOURT_PROT": "1"}
    argv = [sys.executable, *command]
    done = subprocess.run(argv, check=False, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert done.returncode != 0
    assert "WARPCOURT_PROT is not a Warpcourt setting (did you mean WARPCOURT_PORT?)" in done.stderr
    assert "Traceback" not in done.stderr


def test_processes_that_start_at_once_have_one_secret_key(tmp_path):
    config = Config.from_env({"WARPCOURT_DATA_DIR": str(tmp_path)})
    with ThreadPoolExecutor(8) as pool:
        keys = {future.result() for future in [pool.submit(config.load_secret_key) for _ in range(8)]}
    assert len(keys) == 1
    assert len(keys.pop()) > 64


def test_every_setting_is_documented_as_it_is():
    """docs/operations/install.md holds one row per setting, word for word."""
    documented = {
        line
        for line in (ROOT / "docs/operations/install.md").read_text().splitlines()
        if line.startswith("| `WARPCOURT_")
    }
    assert documented == {row_of(setting) for setting in Config.settings()}


def row_of(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    also = " May be a file." if setting.secret else ""
    return f"| `{setting.variable}` | {setting.takes.word} | {default} | {setting.doc}{also} |"


GITHUB = {"WARPCOURT_GITHUB_CLIENT_ID": "id", "WARPCOURT_GITHUB_CLIENT_SECRET": "secret"}
OIDC = {
    "WARPCOURT_OIDC_ISSUER": "https://login.example/",
    "WARPCOURT_OIDC_CLIENT_ID": "id",
    "WARPCOURT_OIDC_CLIENT_SECRET": "secret",
}


@pytest.mark.parametrize(
    ("group", "missing"), [(group, name) for group in (GITHUB, OIDC) for name in group], ids=str
)
def test_a_provider_is_configured_whole_or_not_at_all(group, missing):
    assert Config.from_env(group)
    with pytest.raises(ConfigError, match=f"{missing}: required by"):
        Config.from_env({name: value for name, value in group.items() if name != missing})


def test_an_issuer_is_a_url():
    with pytest.raises(ConfigError, match="WARPCOURT_OIDC_ISSUER: must be a URL"):
        Config.from_env({**OIDC, "WARPCOURT_OIDC_ISSUER": "login.example"})


def test_only_what_is_configured_may_vouch_for_people():
    assert providers(Config.from_env({})) == {}
    assert set(providers(Config.from_env(GITHUB))) == {"github"}
    found = providers(Config.from_env({**OIDC, "WARPCOURT_OIDC_NAME": "Campus"}))
    assert found["openid_connect"]["APPS"][0]["name"] == "Campus"
    assert found["openid_connect"]["APPS"][0]["settings"] == {"server_url": "https://login.example"}
