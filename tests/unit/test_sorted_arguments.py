"""Tests that pytest finds the fixtures of a folder, whatever the order of files on its command line."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "above/__init__.py": "",
    "above/test_between.py": "def test_nothing(): pass\n",
    "above/folder/__init__.py": "",
    "above/folder/conftest.py": "import pytest\n\n@pytest.fixture\ndef workspace(): return 1\n",
    "above/folder/test_first.py": "def test_it(workspace): pass\n",
    "above/folder/test_last.py": "def test_it(workspace): pass\n",
}
ORDER = ("above/folder/test_first.py", "above/test_between.py", "above/folder/test_last.py")


def test_a_file_between_those_of_a_folder_does_not_hide_its_fixtures(tmp_path: Path) -> None:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.sorted_arguments", "--rootdir", tmp_path, *ORDER],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3 passed" in run.stdout, run.stdout
