"""Enumerations that problem packages, the judge and the site share."""

from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a submission or on one case. `web.site.verdicts` explains each to users."""

    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    ILLEGAL_ACCESS = "illegal_access"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    REQUIREMENT_MISSED = "requirement_missed"
    REJECTED = "rejected"
    INTERNAL_ERROR = "internal_error"
    CANCELLED = "cancelled"


class Language(StrEnum):
    """A language that submissions are written in."""

    CUDA = "cuda"
    TRITON = "triton"
    PYTHON = "python"  # with PyTorch

    @property
    def suffix(self) -> str:
        """The file name ending that means this language, with its dot. The longest that fits counts."""
        return {Language.CUDA: ".cu", Language.TRITON: ".py", Language.PYTHON: ".torch.py"}[self]

    @property
    def label(self) -> str:
        """The name on pages."""
        return {Language.CUDA: "CUDA C++", Language.TRITON: "Triton", Language.PYTHON: "PyTorch"}[self]

    @classmethod
    def of_file(cls, name: str) -> "Language | None":
        """Return the language of a file by its name, None if unknown."""
        fitting = [language for language in cls if name.endswith(language.suffix)]
        return max(fitting, key=lambda language: len(language.suffix), default=None)


class Mode(StrEnum):
    """The mode of judging: `run` on public cases with the output shown, `submit` on all cases."""

    RUN = "run"
    SUBMIT = "submit"


class OracleKind(StrEnum):
    """The kind of oracle: `reference.py` uses only the array module that it is given, or imports PyTorch."""

    ARRAYS = "arrays"
    TORCH = "torch"


class Dtype(StrEnum):
    """Element type of an argument."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    INT64 = "int64"
    INT32 = "int32"
    INT8 = "int8"
    UINT32 = "uint32"
    UINT8 = "uint8"
    BOOL = "bool"

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers, compared with a tolerance."""
        return self in {Dtype.FLOAT64, Dtype.FLOAT32, Dtype.FLOAT16, Dtype.BFLOAT16}

    @property
    def is_integer(self) -> bool:
        """Whether elements are whole numbers."""
        return not self.is_float and self is not Dtype.BOOL

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return {
            Dtype.FLOAT64: 8,
            Dtype.FLOAT32: 4,
            Dtype.FLOAT16: 2,
            Dtype.BFLOAT16: 2,
            Dtype.INT64: 8,
            Dtype.INT32: 4,
            Dtype.INT8: 1,
            Dtype.UINT32: 4,
            Dtype.UINT8: 1,
            Dtype.BOOL: 1,
        }[self]

    @property
    def c_type(self) -> str:
        """Its spelling in CUDA C++."""
        return {
            Dtype.FLOAT64: "double",
            Dtype.FLOAT32: "float",
            Dtype.FLOAT16: "__half",
            Dtype.BFLOAT16: "__nv_bfloat16",
            Dtype.INT64: "long long",
            Dtype.INT32: "int",
            Dtype.INT8: "signed char",
            Dtype.UINT32: "unsigned int",
            Dtype.UINT8: "unsigned char",
            Dtype.BOOL: "bool",
        }[self]


class Role(StrEnum):
    """The role of an argument of `solve`."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"
    SCALAR = "scalar"


class ArrayMemory(StrEnum):
    """The memory in which `solve` gets an array.

    `HOST` is pageable host memory, as from `malloc`. `PINNED` is page-locked host memory, as from
    `cudaMallocHost`, which kernels can access too.
    """

    DEVICE = "device"
    HOST = "host"
    PINNED = "pinned"

    @property
    def on_host(self) -> bool:
        """Whether host code may read and write it."""
        return self is not ArrayMemory.DEVICE


class ValueOrder(StrEnum):
    """The order in which each row of an input array holds its values."""

    ASCENDING = "ascending"  # each value is at least the one before it
    INCREASING = "increasing"  # each value is above the one before it
    PERMUTATION = "permutation"  # each index of the row, once


class Group(StrEnum):
    """The purpose of a case. `sample` cases are public; `timed` cases are ranked, on GPUs only."""

    SAMPLE = "sample"
    SMALL = "small"
    ODD = "odd"
    LARGE = "large"
    TIMED = "timed"


class Difficulty(StrEnum):
    """The difficulty of a problem."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Count(StrEnum):
    """The quantity that a problem's formula counts."""

    BYTES = "bytes"
    OPERATIONS = "operations"


class Counter(StrEnum):
    """A figure of one call, for requirements; see `judge.requirements`.

    Functional mode counts in CUDA programs, and the runner in Python programs.
    """

    GLOBAL_SECTORS_PER_REQUEST = "global_sectors_per_request"
    GLOBAL_LOAD_SECTORS_PER_REQUEST = "global_load_sectors_per_request"
    GLOBAL_STORE_SECTORS_PER_REQUEST = "global_store_sectors_per_request"
    GLOBAL_SECTORS_RATIO = "global_sectors_ratio"
    GLOBAL_BYTES_RATIO = "global_bytes_ratio"
    PLAIN_LOAD_BYTES_RATIO = "plain_load_bytes_ratio"
    TEXTURE_SECTORS_PER_REQUEST = "texture_sectors_per_request"
    SHARED_WAVEFRONTS_PER_REQUEST = "shared_wavefronts_per_request"
    SHARED_WAVEFRONTS_RATIO = "shared_wavefronts_ratio"
    SHARED_REQUESTS = "shared_requests"
    DIVERGENT_BRANCHES = "divergent_branches"
    ATOMIC_REQUESTS = "atomic_requests"
    ATOMIC_LANES_PER_ADDRESS = "atomic_lanes_per_address"
    LAUNCHES = "launches"
    BUSIEST_BLOCK_SHARE = "busiest_block_share"
    BUSIEST_LAUNCH_SHARE = "busiest_launch_share"
    BARRIERS_PER_BLOCK = "barriers_per_block"
    GLOBAL_VECTOR_REQUESTS = "global_vector_requests"
    TENSOR_INSTRUCTIONS = "tensor_instructions"
    LDMATRIX_INSTRUCTIONS = "ldmatrix_instructions"
    ASYNC_COPY_INSTRUCTIONS = "async_copy_instructions"
    SHUFFLE_INSTRUCTIONS = "shuffle_instructions"
    REDUCTION_INSTRUCTIONS = "reduction_instructions"
    DOT_PRODUCT_INSTRUCTIONS = "dot_product_instructions"
    TEXTURE_INSTRUCTIONS = "texture_instructions"
    SPECIAL_INSTRUCTIONS = "special_instructions"
    DOUBLE_INSTRUCTIONS = "double_instructions"
    FMA_INSTRUCTIONS = "fma_instructions"
    SHARED_LOAD_INSTRUCTIONS = "shared_load_instructions"
    MULTIPLY_INSTRUCTIONS = "multiply_instructions"
    FMA_PER_SHARED_REQUEST = "fma_per_shared_request"
    REGISTERS_PER_THREAD = "registers_per_thread"
    SPILLED_BYTES = "spilled_bytes"
    LOCAL_BYTES_PER_THREAD = "local_bytes_per_thread"
    SHARED_BYTES_PER_BLOCK = "shared_bytes_per_block"
    OCCUPANCY = "occupancy"
    DEVICE_MEMORY_PEAK = "device_memory_peak"
    UNFREED_ALLOCATIONS = "unfreed_allocations"
    HOST_SYNCHRONISATIONS = "host_synchronisations"
    COPIES_TO_DEVICE = "copies_to_device"
    COPIES_TO_HOST = "copies_to_host"
    COPIES_ON_DEVICE = "copies_on_device"
    BYTES_TO_DEVICE = "bytes_to_device"
    BYTES_TO_HOST = "bytes_to_host"
    COPIES_BETWEEN_DEVICES = "copies_between_devices"
    BYTES_BETWEEN_DEVICES = "bytes_between_devices"
    STAGED_BYTES = "staged_bytes"
    PEER_BYTES = "peer_bytes"
    PAGEABLE_COPIES = "pageable_copies"
    LARGEST_COPY_BYTES = "largest_copy_bytes"
    PIPELINE_SPAN_RATIO = "pipeline_span_ratio"
    HOST_MEMORY_REQUESTS = "host_memory_requests"
    DEVICE_ALLOCATIONS = "device_allocations"
    STREAM_ORDERED_ALLOCATIONS = "stream_ordered_allocations"
    PINNED_ALLOCATIONS = "pinned_allocations"
    MANAGED_ALLOCATIONS = "managed_allocations"
    DEVICE_FREES = "device_frees"
    STREAM_ORDERED_FREES = "stream_ordered_frees"
    KERNEL_STREAMS = "kernel_streams"
    EVENT_RECORDS = "event_records"
    STREAM_WAITS = "stream_waits"
    TIMED_LAUNCHES = "timed_launches"
    GRAPH_INSTANTIATIONS = "graph_instantiations"
    GRAPH_LAUNCHES = "graph_launches"
    LAUNCHES_OUTSIDE_GRAPHS = "launches_outside_graphs"
    COOPERATIVE_LAUNCHES = "cooperative_launches"
    DEVICE_LAUNCHES = "device_launches"
    SAVED_BYTES_RATIO = "saved_bytes_ratio"
    CUSTOM_OPERATORS = "custom_operators"
    OPERATOR_FAULTS = "operator_faults"
    GRAPH_BREAKS = "graph_breaks"
    COLLECTIVES = "collectives"
    MESSAGES = "messages"
    SENT_BYTES = "sent_bytes"

    @property
    def language(self) -> Language:
        """The language of the programs in which it is counted."""
        return Language.PYTHON if self in _OF_PYTHON or self.of_ranks else Language.CUDA

    @property
    def of_ranks(self) -> bool:
        """Whether it is counted in each rank of a program, so that the largest figure of a rank counts."""
        return self in _OF_RANKS


_OF_PYTHON = frozenset(
    {Counter.SAVED_BYTES_RATIO, Counter.CUSTOM_OPERATORS, Counter.OPERATOR_FAULTS, Counter.GRAPH_BREAKS}
)
_OF_RANKS = frozenset({Counter.COLLECTIVES, Counter.MESSAGES, Counter.SENT_BYTES})


class ProgramKind(StrEnum):
    """What a program under test is; see `problems.under_test`."""

    RIGHT = "right"
    FAULTY = "faulty"


class Relation(StrEnum):
    """How the figure of a requirement must relate to its bound."""

    AT_MOST = "at_most"
    AT_LEAST = "at_least"
    EQUALS = "equals"


class Better(StrEnum):
    """Which of two scores of a checker is better."""

    LOWER = "lower"
    HIGHER = "higher"


class RequirementState(StrEnum):
    """The state of a requirement in a report. `UNCHECKED`: nothing was counted for this program here."""

    MET = "met"
    MISSED = "missed"
    UNCHECKED = "unchecked"


class BaselineKind(StrEnum):
    """The kind of a baseline: a simple correct program, or a vendor's library."""

    REFERENCE = "reference"
    VENDOR = "vendor"


class Stage(StrEnum):
    """A timed part of judging. `docs/glossary.md` says what each takes time for."""

    COMPILE = "compile"
    START = "start"
    LOAD = "load"
    CHECK = "check"
    WAIT = "wait"
    DRAW = "draw"
    RANK = "rank"
    EXAMINE = "examine"


class Step(StrEnum):
    """Progress of a judgement or a proof. `FINISHED` is the last step of a judgement."""

    QUEUED = "queued"
    CLAIMED = "claimed"
    COMPILING = "compiling"
    COMPILED = "compiled"
    CASE = "case"
    DISTURBED = "disturbed"
    WAITING = "waiting"
    TIMING = "timing"
    RETRIED = "retried"
    FINISHED = "finished"
    # Of proofs alone.
    CHECKING = "checking"
    CHECKED = "checked"


class Severity(StrEnum):
    """Severity of a finding, worst first. An error in a proof prevents publication."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class DiagnosticKind(StrEnum):
    """The kind of a diagnostic of the judge. Runners, which are not trusted, may name other kinds."""

    ADDRESS_SPACE = "address_space"
    ASSEMBLER = "assembler"
    ASSERT = "assert"
    BAD_FREE = "bad_free"
    BAD_MASK = "bad_mask"
    BAD_TEXTURE = "bad_texture"
    BANK_CONFLICT = "bank_conflict"
    CANCELLATION = "cancellation"
    COMPILE = "compile"
    COMPILER = "compiler"
    CONTENDED_ATOMIC = "contended_atomic"
    COPY_DIRECTION = "copy_direction"
    COUNTS = "counts"
    CUDA_ERROR = "cuda_error"
    DEADLOCK = "deadlock"
    DEVICE_FAULT = "device_fault"
    DEVICE_LAUNCHES = "device_launches"
    DIVERGENT_BARRIER = "divergent_barrier"
    DIVERGENT_BRANCH = "divergent_branch"
    DIVISION_BY_ZERO = "division_by_zero"
    DOUBLE_PRECISION = "double_precision"
    EXCEPTION = "exception"
    EXITED_THREADS = "exited_threads"
    HALF_OVERFLOW = "half_overflow"
    HIDDEN = "hidden"
    HOST_ACCESS = "host_access"
    HOST_CRASH = "host_crash"
    HOST_POINTER = "host_pointer"
    ILLEGAL_ADDRESS = "illegal_address"
    LAUNCH = "launch"
    LAUNCH_BOUND = "launch_bound"
    LEAK = "leak"
    LINKER = "linker"
    LOW_OCCUPANCY = "low_occupancy"
    MASKED_LOAD = "masked_load"
    MEMORY = "memory"
    MISALIGNED = "misaligned"
    MISALIGNED_VECTORS = "misaligned_vectors"
    NEEDLESS_WAIT = "needless_wait"
    NO_KERNEL = "no_kernel"
    NULL_POINTER = "null_pointer"
    OUT_OF_BOUNDS = "out_of_bounds"
    PAGEABLE_COPY = "pageable_copy"
    PEER_ACCESS = "peer_access"
    PRECISION = "precision"
    RACE = "race"
    REORDERED_READ = "reordered_read"
    REDUNDANT_LOADS = "redundant_loads"
    RESOURCES = "resources"
    ROUNDED_SUM = "rounded_sum"
    SHUFFLE_SOURCE = "shuffle_source"
    SIGNATURE = "signature"
    SPILLS = "spills"
    STACK = "stack"
    STACK_OVERFLOW = "stack_overflow"
    STREAM_HAZARD = "stream_hazard"
    SUMS = "sums"
    TAIL = "tail"
    TENSOR_CORES = "tensor_cores"
    TIME_LIMIT = "time_limit"
    TRAP = "trap"
    UNCOALESCED = "uncoalesced"
    UNINITIALISED = "uninitialised"
    UNSUPPORTED = "unsupported"
    USE_AFTER_FREE = "use_after_free"
    WILD_POINTER = "wild_pointer"


# Kinds of findings on costs: time, memory or resources that a program wastes. They change no output.
COSTS: frozenset[DiagnosticKind] = frozenset(
    {
        DiagnosticKind.BANK_CONFLICT,
        DiagnosticKind.CONTENDED_ATOMIC,
        DiagnosticKind.DEVICE_LAUNCHES,
        DiagnosticKind.DIVERGENT_BRANCH,
        DiagnosticKind.DOUBLE_PRECISION,
        DiagnosticKind.LAUNCH_BOUND,
        DiagnosticKind.LEAK,
        DiagnosticKind.LOW_OCCUPANCY,
        DiagnosticKind.MISALIGNED_VECTORS,
        DiagnosticKind.NEEDLESS_WAIT,
        DiagnosticKind.PAGEABLE_COPY,
        DiagnosticKind.REDUNDANT_LOADS,
        DiagnosticKind.SPILLS,
        DiagnosticKind.TAIL,
        DiagnosticKind.TENSOR_CORES,
        DiagnosticKind.UNCOALESCED,
    }
)
