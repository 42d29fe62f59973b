"""Tests processes that count together.

Each test starts processes, because a process joins one folder for ever.
"""

import subprocess
import sys
from pathlib import Path

_COUNT = """
import sys, os
from pathlib import Path
from web.observability import prometheus_multiproc
home, server, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
joined = prometheus_multiproc.join(server, home=home)
from web.site import metrics
metrics.SWEPT.labels(outcome="requeued").inc(times)
metrics.JUDGING.set(times)
"""
_STAY = _COUNT + "\nprint('joined', flush=True); sys.stdin.read()"
_FORK = (
    _COUNT
    + """
if os.fork() == 0:
    metrics.SWEPT.labels(outcome="requeued").inc(times)
    os._exit(0)
os.wait()
"""
)
_TELL = "\nfrom web.observability.exposition import expose\nprint(expose(joined).decode())"


def run(code: str, home: Path, server: str = "web-1", times: int = 1) -> str:
    argv = [sys.executable, "-c", code, str(home), server, str(times)]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def start(home: Path, server: str = "web-1", times: int = 1) -> "subprocess.Popen[str]":
    argv = [sys.executable, "-c", _STAY, str(home), server, str(times)]
    member = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert member.stdout.readline() == "joined\n"
    return member


def end(member: "subprocess.Popen[str]") -> None:
    member.communicate()
    assert member.returncode == 0


def value(text: str, line: str) -> float:
    return next(float(found.rpartition(" ")[2]) for found in text.splitlines() if found.startswith(line))


REQUEUED = 'warpcourt_jobs_swept_total{outcome="requeued"}'


def test_who_joins_has_not_imported_what_counts() -> None:
    code = "import sys, web.observability.prometheus_multiproc; assert 'prometheus_client' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_processes_of_one_server_tell_their_sum(tmp_path: Path) -> None:
    other = start(tmp_path / "metrics", times=3)
    text = run(_COUNT + _TELL, tmp_path / "metrics", times=4)
    end(other)
    assert value(text, REQUEUED) == 7
    assert value(text, "warpcourt_judging") == 7


def test_what_a_dead_process_counted_stays_while_its_server_lives_and_its_gauges_go(tmp_path: Path) -> None:
    other = start(tmp_path / "metrics", times=3)
    run(_COUNT, tmp_path / "metrics", times=10)
    text = run(_COUNT + _TELL, tmp_path / "metrics", times=1)
    end(other)
    assert value(text, REQUEUED) == 14
    assert value(text, "warpcourt_judging") == 4


def test_the_dead_leave_one_file_of_each_kind(tmp_path: Path) -> None:
    other = start(tmp_path / "metrics", times=3)
    for _ in range(3):
        run(_COUNT, tmp_path / "metrics", times=1)
    first, second = (run(_COUNT + _TELL, tmp_path / "metrics", times=1) for _ in range(2))
    end(other)
    assert (value(first, REQUEUED), value(second, REQUEUED)) == (7, 8)
    (folder,) = (path for path in (tmp_path / "metrics").iterdir() if path.is_dir())
    assert len(list(folder.glob("counter_*.db"))) == 3  # the dead, the one that stayed, the last that told


def test_a_server_begins_at_zero_though_it_has_the_number_of_one_that_is_gone(tmp_path: Path) -> None:
    run(_COUNT, tmp_path / "metrics", times=10)
    assert value(run(_COUNT + _TELL, tmp_path / "metrics", times=1), REQUEUED) == 1


def test_servers_do_not_count_into_each_other(tmp_path: Path) -> None:
    other = start(tmp_path / "metrics", server="worker-7", times=3)
    text = run(_COUNT + _TELL, tmp_path / "metrics", times=1)
    end(other)
    assert value(text, REQUEUED) == 1


def test_children_that_are_forked_count_too(tmp_path: Path) -> None:
    assert value(run(_FORK + _TELL, tmp_path / "metrics", times=2), REQUEUED) == 4


def test_where_there_can_be_no_folder_each_process_counts_for_itself(tmp_path: Path) -> None:
    (tmp_path / "metrics").write_text("in the way")
    text = run(_COUNT + "\nassert joined is None" + _TELL, tmp_path / "metrics", times=2)
    assert value(text, REQUEUED) == 2
