"""How Nsight Compute profiles a runner: its command line, and the metrics that it collects.

`ncu` replays each kernel until it has collected all metrics. It needs access to the hardware counters, which
the driver gives to every user with `NVreg_RestrictProfilingToAdminUsers=0`, and it does not work under MPS.
Source: Nsight Compute CLI documentation, "Metrics Reference" and "Command Line Options".
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sandbox.spec import below_work

LAUNCHES: Final = 32  # the first ones of a run are profiled
SECTION: Final = "======== warpcourt profile: "  # begins a section of what is printed
RAW: Final = "raw"
SOURCE: Final = "source"
REPORT: Final = "profile.ncu-rep"  # below /work
MAX_REPORT_BYTES: Final = 16 * 1024 * 1024

STALLS: Final = (
    "barrier",
    "branch_resolving",
    "dispatch_stall",
    "drain",
    "imc_miss",
    "lg_throttle",
    "long_scoreboard",
    "math_pipe_throttle",
    "membar",
    "mio_throttle",
    "misc",
    "no_instruction",
    "not_selected",
    "selected",
    "short_scoreboard",
    "sleeping",
    "tex_throttle",
    "wait",
)

# Ours to ncu's. Counts are sums over the launch, shares are percentages.
METRICS: Final[Mapping[str, str]] = {
    "duration_ns": "gpu__time_duration.sum",
    "memory_throughput_percent": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "compute_throughput_percent": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_throughput_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_throughput_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l1_hit_percent": "l1tex__t_sector_hit_rate.pct",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "texture_requests": "l1tex__t_requests_pipe_tex.sum",
    "texture_sectors": "l1tex__t_sectors_pipe_tex.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "shared_load_requests": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_store_requests": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "lanes_per_instruction": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "uniform_branch_percent": "smsp__sass_average_branch_targets_threads_uniform.pct",
    "fp32_operations_ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "fp32_operations_fadd": "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "fp32_operations_fmul": "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "fp64_operations_dfma": "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "fp64_operations_dadd": "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "fp64_operations_dmul": "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "issue_active_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "theoretical_occupancy_percent": "sm__maximum_warps_per_active_cycle_pct",
    "registers_per_thread": "launch__registers_per_thread",
    "static_shared_bytes": "launch__shared_mem_per_block_static",
    "dynamic_shared_bytes": "launch__shared_mem_per_block_dynamic",
    "occupancy_limit_registers": "launch__occupancy_limit_registers",
    "occupancy_limit_shared": "launch__occupancy_limit_shared_mem",
    "occupancy_limit_warps": "launch__occupancy_limit_warps",
    "occupancy_limit_blocks": "launch__occupancy_limit_blocks",
    "waves": "launch__waves_per_multiprocessor",
    **{
        f"stall_{name}": f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio" for name in STALLS
    },
}

# By line of the source: samples of the stall reasons, and instructions.
_SECTIONS: Final = ("--section", "SourceCounters")
_REPORT: Final = str(below_work(REPORT))
_CHANNEL: Final = 3  # the shell must not keep it open, because its end signals the runner's exit


def installed(toolkit: Path) -> Path | None:
    """Return the newest folder of Nsight Compute on this host, or None.

    The toolkit's folder may have one too.

    The program `ncu` next to nvcc only searches for this folder.
    """
    homes = (Path("/opt/nvidia/nsight-compute"), toolkit)
    found = [path.parent for home in homes for path in home.glob("*/ncu") if path.parent.name != "bin"]
    return max(found, key=_version, default=None)


def _version(folder: Path) -> list[int]:
    return [int(word) for word in re.findall(r"\d+", folder.name)]


def profiling_argv(program: str, runner: str) -> tuple[str, ...]:
    """The command that runs `runner` under `program`, which is ncu, and prints two sections at the end.

    Each section is a line that begins with SECTION and names it, and then CSV. The report of ncu stays in
    the file REPORT, which the program can change.
    """
    collect = (
        *("--config-file", "off", "--target-processes", "application-only", "--launch-count", str(LAUNCHES)),
        *("--clock-control", "none", "--export", _REPORT, "--force-overwrite"),
        *("--metrics", ",".join(METRICS.values()), *_SECTIONS),
    )
    read = ("--config-file", "off", "--import", _REPORT, "--csv", "--print-units", "base", "--print-fp")
    script = "\n".join(
        (
            '"$@"',
            "status=$?",
            f"exec {_CHANNEL}>&-",
            *(
                f"echo '{SECTION}{page}'; {program} {' '.join(read)} --page {page} {more}"
                for page, more in ((RAW, ""), (SOURCE, "--print-source cuda,sass"))
            ),
            "exit $status",
        )
    )
    return ("/bin/sh", "-c", script, "profile", program, *collect, runner)
