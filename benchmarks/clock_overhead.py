"""What the clock adds to an honest kernel: `python -m benchmarks.clock_overhead [--rounds N] [--seconds S]`.

Judges shipped vector additions and compares the ranked time with what the runner's own events say of the same
batches. Events are precise and honest here, because the programs are. Prints, per language and size, the
median of ranked / events - 1 beside the limit that it is meant to keep. No round of a language
is begun after S seconds.
"""

import argparse
import statistics

from benchmarks.judging import add_options, opened, print_table
from benchmarks.repeatability import FILES, SIZES, rank_anew

LIMIT_SHARE = 0.005


def main() -> int:
    """Measure and print. The exit status says whether the limit was kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="begin no round of a language after these"
    )
    options = parser.parse_args()
    rows = [("kernel", "ranked", "events", "overhead", "at most", "ratio")]
    kept = True
    with opened(options) as target:
        for language in FILES:
            rounds = rank_anew(target, language, options.rounds, seconds=options.seconds)
            for index, size in enumerate(SIZES):
                timings = [timings[index] for timings in rounds]
                pairs = [(t.median_us, t.self_reported_us) for t in timings if t.self_reported_us]
                share = statistics.median(ours / theirs - 1 for ours, theirs in pairs)
                kept = kept and abs(share) <= LIMIT_SHARE
                rows.append(
                    (
                        f"{language}, {size.name}",
                        f"{statistics.median(ours for ours, _ in pairs):.3f} us",
                        f"{statistics.median(theirs for _, theirs in pairs):.3f} us",
                        f"{100 * share:+.2f} %",
                        f"{100 * LIMIT_SHARE:.1f} %",
                        f"{abs(share) / LIMIT_SHARE:.2f}",
                    )
                )
    print_table(rows)
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
