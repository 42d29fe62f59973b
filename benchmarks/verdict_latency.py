"""Measures the time from a source to its verdict: `python -m benchmarks.verdict_latency [--rounds N]`.

Prints medians in seconds for a new CUDA source, the same source again, and a new Triton source, each next to
its limit and the ratio to it. By default, the benchmark starts a site that judges on the CPU, and posts the
sources to it. With `--target gpu --backend docker`, it judges them without a site, like a worker and
`manage.py judge`, so that it runs on a bare GPU host. It then measures with and without ranking, and splits
the times by stage.
"""

import argparse
import sys

from benchmarks import verdict_stages
from benchmarks.judging import add_options


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--pause", type=float, default=verdict_stages.PAUSE_S, help=verdict_stages.PAUSE_HELP)
    add_options(parser, target=None)
    options = parser.parse_args()
    if options.target:
        return verdict_stages.measure(options)
    from benchmarks import verdict_by_site  # noqa: PLC0415 - needs httpx, which a bare GPU host lacks

    return verdict_by_site.measure(options.rounds)


if __name__ == "__main__":
    sys.exit(main())
