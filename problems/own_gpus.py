"""Rules for problems whose programs run alone on their GPUs, outside MPS.

See `problems.schema.Problem.has_own_gpus`, docs/adr/0040-device-launches.md and
docs/adr/0041-several-gpus.md.
"""

from problems.faults import FILE, Faults
from problems.parse import Description
from problems.untimed import check_untimed_cuda


def check_own_gpus(description: Description, faults: Faults) -> None:
    """Check that arrays are on GPUs that exist.

    Check too that a problem for several GPUs, or with device launches, has no timed case and no language
    that cannot use them.
    """
    gpus = description.gpus
    for index, argument in enumerate(description.arguments):
        if argument.device >= gpus:
            fault = f"there is no GPU {argument.device}: gpus is {gpus}, and numbers begin with 0"
            faults.add(FILE, f"arguments[{index}].device", fault)
    if gpus > 1:
        kind, ability = f"a problem for {gpus} GPUs", f"use {gpus} GPUs"
    elif description.limits.device_launches:
        kind, ability = "a problem with device_launches", "launch kernels from device code"
    else:
        return
    check_untimed_cuda(description.languages, description.cases, faults, kind=kind, ability=ability)
