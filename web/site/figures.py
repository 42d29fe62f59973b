"""Formats times and scores for pages and terminals: one unit and one precision for each."""

from judge.report import Report, Score, Timing

NONE = "\N{EN DASH}"


def microseconds(value_us: float | None) -> str:
    """Return a time with about four significant digits: `3.672 µs`, `118.8 µs`, `1.204 ms`."""
    if value_us is None:
        return NONE
    divisor, unit, decimals = _scale(value_us)
    return f"{value_us / divisor:.{decimals}f} {unit}"


def interval(figure: Score | Timing) -> str:
    """Return the 95 % interval in the unit and precision of its median: `3.660 to 3.690 µs`."""
    divisor, unit, decimals = _scale(figure.median_us)
    low, high = figure.low_us / divisor, figure.high_us / divisor
    return f"{low:.{decimals}f} to {high:.{decimals}f} {unit}"


def clocks(timing: Timing) -> str:
    """Return the clock rates during timing, if the driver reports them: `1980 / 3201 MHz`."""
    shown = [str(mhz) if mhz else NONE for mhz in (timing.sm_mhz, timing.memory_mhz)]
    return f"{shown[0]} / {shown[1]} MHz" if timing.sm_mhz or timing.memory_mhz else NONE


def host_code_note(report: Report) -> str:
    """Return the note for times that include host code, empty if none does."""
    cases = [case.name for case in report.cases if case.timing and not case.timing.queued]
    if not cases:
        return ""
    return (
        f"The time of {', '.join(cases)} includes host code: the program waits for the GPU in solve, "
        "or uses a stream that does not wait for the default stream."
    )


def attempts_note(report: Report) -> str:
    """Return the note about discarded runs, empty if there was none."""
    if report.attempts <= 1:
        return ""
    # The program itself may have caused it; only the run that counts can tell.
    which = "The first run was" if report.attempts == 2 else f"{report.attempts - 1} runs were"
    return f"{which} disturbed on the shared GPU, possibly by another submission. Only a run alone counts."


def _scale(value_us: float) -> tuple[float, str, int]:
    divisor, unit = (1.0, "µs") if value_us < 1000 else (1000.0, "ms")
    if value_us < 0.1:  # the theoretical limit for a small number of elements
        divisor, unit = 0.001, "ns"
    whole = value_us / divisor
    return divisor, unit, 3 if whole < 10 else 2 if whole < 100 else 1
