"""Programs in Python with PyTorch are called as the manifest says."""

import sys
import textwrap
from types import ModuleType
from typing import Any

import pytest

from problems.calling import ModuleArgument, Pattern, PythonCallSpec, PythonEntry

torch = pytest.importorskip("torch")
from sandbox.runner import python_call as runner  # noqa: E402 - it needs PyTorch
from sandbox.runner.python_backward import Misfit  # noqa: E402 - as above
from sandbox.runner.torch_host import place_on_host  # noqa: E402

NAMES = ("x", "weight", "bias", "y", "features")
LINEAR = {"weight": "weight", "bias": "bias"}
WEIGHT = torch.tensor([[1.0, 2], [3, 4], [5, 6]])
BIAS = torch.tensor([10.0, 20, 30])
X = torch.tensor([[1.0, 1], [2, 0]])
Y = X @ WEIGHT.T + BIAS


def pattern(text: str) -> Pattern:
    return Pattern.parse(text)


KERNEL = PythonCallSpec(
    PythonEntry.CUSTOM_KERNEL, pattern("(x, {'weight': weight, 'bias': bias}, [features, 1e-5])"), ("y",)
)
MODEL = PythonCallSpec(PythonEntry.MODEL_NEW, pattern("(x,)"), ("y",), pattern("(features, 3)"), LINEAR)
MODULE = PythonCallSpec(
    PythonEntry.SOLVE,
    pattern("(x, model, y)"),
    modules={"model": ModuleArgument("Linear", pattern("(features, 3)"), LINEAR)},
)
PROGRAMS = {
    "custom_kernel": (
        KERNEL,
        """
        def custom_kernel(data):
            x, held, (features, eps) = data
            assert features == 2 and eps == 1e-5 and x.is_cuda
            return x @ held["weight"].T.cuda() + held["bias"] + torch.zeros(1, device="cuda")
        """,
    ),
    "ModelNew": (MODEL, "class ModelNew(torch.nn.Linear): pass"),
    "one that loads its parameters itself": (
        MODEL,
        """
        class ModelNew(torch.nn.Module):
            def __init__(self, n, m):
                super().__init__()

            def load_state_dict(self, state, strict=True, assign=False):
                self.state = state

            def forward(self, x):
                return x @ self.state["weight"].T + self.state["bias"]
        """,
    ),
    "a module as an argument": (MODULE, "def solve(x, model, y): y.copy_(model(x))"),
    "a plain solve": (
        MODEL,
        "def solve(x, weight, bias, y, features): torch.addmm(bias, x, weight.T, out=y)",
    ),
}


def run(call: PythonCallSpec, source: str, **replaced: object) -> object:
    """Return the contents of `y` after two calls of a program, the second one with other contents."""
    program = ModuleType("solution")
    program.__dict__["torch"] = torch
    exec(textwrap.dedent(source), program.__dict__)
    manifest = {"arguments": [{"name": name} for name in NAMES], "python": call.described()}
    values = {
        "x": torch.zeros(2, 2),
        "weight": WEIGHT.clone(),
        "bias": BIAS.clone(),
        "y": torch.full((2, 3), -1.0),
        "features": 2,
    } | replaced
    with place_on_host():
        ready = runner.PythonCall.of(manifest, program).bound(list(values.values()))
        ready()
        values["x"].copy_(X)  # contents may come when all is bound, as in a timed session
        ready()
    return values["y"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_called_as_they_expect(name: str) -> None:
    assert torch.equal(run(*PROGRAMS[name]), Y)


def test_streams_and_events_of_a_gpu_do_nothing_on_the_host() -> None:
    stream, real = torch.cuda.stream, torch.cuda.Stream
    with place_on_host():
        begin, end, side = torch.cuda.Event(enable_timing=True), torch.cuda.Event(), torch.cuda.Stream()
        begin.record()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            doubled = torch.ones(2, device="cuda") * 2
        end = side.record_event(end)
        end.synchronize()
        assert side.query()
        assert begin.elapsed_time(end) == 0
    assert torch.equal(doubled, torch.full((2,), 2.0))
    assert (torch.cuda.stream, torch.cuda.Stream) == (stream, real)


def test_what_only_a_gpu_can_is_done_on_the_host() -> None:
    whole = torch.tensor([0, 1, 1, 3], dtype=torch.int32)
    compiled = torch.compile
    with place_on_host():
        into = torch.zeros(4, dtype=torch.int32, device="cuda")
        torch.histc(whole, bins=4, min=0, max=4, out=into)

        @torch.compile(fullgraph=True)
        def double(x: Any) -> Any:
            return x * 2

        assert torch.equal(torch.compile(double)(into), torch.tensor([2, 4, 0, 2], dtype=torch.int32))
        assert torch.equal(whole.histc(4, 0, 4), into)
        assert torch.equal(whole.float().histc(4, 0, 4), into.float())
    assert torch.compile is compiled


def test_parameters_are_the_arrays_themselves() -> None:
    source = """
    class ModelNew(torch.nn.Linear):
        def forward(self, x):
            self.weight.zero_()
            return super().forward(x)
    """
    weight = WEIGHT.clone()
    run(MODEL, source, weight=weight)
    assert not weight.any()


def test_parameters_that_share_an_array_are_its_parts() -> None:
    shared = {"weight": "weight", "bias": "weight"}
    call = PythonCallSpec(PythonEntry.MODEL_NEW, pattern("(x,)"), ("y",), pattern("(features, 3)"), shared)
    packed = torch.cat([WEIGHT.reshape(-1), BIAS])
    source = "class ModelNew(torch.nn.Linear): pass"
    assert torch.equal(run(call, source, weight=packed), Y)
    with pytest.raises(Misfit, match=r"have 9 elements, but weight is float32\[10\]"):
        run(call, source, weight=torch.zeros(10))


def test_several_outputs_come_back_in_order_and_a_number_fits_one_element() -> None:
    call = PythonCallSpec(PythonEntry.CUSTOM_KERNEL, pattern("x"), ("y", "bias"))
    bias = torch.zeros(1)
    source = "def custom_kernel(x): return [torch.ones(2, 3), x.sum()]"
    assert torch.equal(run(call, source, bias=bias), torch.ones(2, 3))
    assert bias.tolist() == [4.0]


def test_bytes_are_seen_as_numbers_of_eight_bits() -> None:
    views = {"weight": "float8_e4m3fn", "y": "float8_e5m2"}
    call = PythonCallSpec(PythonEntry.CUSTOM_KERNEL, pattern("(x, weight)"), ("y",), views=views)
    held = torch.tensor([[1.5, -2.0]]).to(torch.float8_e4m3fn).view(torch.uint8)
    source = "def custom_kernel(data): return (data[0][:1] * data[1].float()).to(torch.float8_e5m2)"
    result = run(call, source, weight=held, y=torch.zeros(1, 2, dtype=torch.uint8))
    assert isinstance(result, torch.Tensor)
    assert result.view(torch.float8_e5m2).float().tolist() == [[1.5, -2.0]]
    with pytest.raises(Misfit, match=r"returned float32\[1, 2\] for y, which is float8_e5m2"):
        run(call, source.replace(".to(torch.float8_e5m2)", ""), weight=held, y=held.clone())


MISFITS = {
    "def other(): pass": (KERNEL, "does not define custom_kernel or solve"),
    "def custom_kernel(data): pass": (KERNEL, r"returned None, expected y, which is float32\[2, 3\]"),
    "def custom_kernel(data): return data[0]": (KERNEL, r"returned float32\[2, 2\] for y, which is float32"),
    "def custom_kernel(data): return torch.zeros(2, 3).half()": (KERNEL, r"returned float16\[2, 3\] for y"),
    "def custom_kernel(data): return (1, 2)": (KERNEL, "returned tuple of 2, expected y"),
    "class ModelNew(torch.nn.Flatten): pass": (
        MODEL,
        "has the parameters none; the problem sets weight, bias",
    ),
    "def ModelNew(n, m): return torch.nn.Linear(m, n)": (
        MODEL,
        r"weight of Linear has shape \[2, 3\], but weight is float32\[3, 2\]",
    ),
    "def ModelNew(n, m): return 1": (MODEL, "ModelNew must be a torch.nn.Module"),
}


@pytest.mark.parametrize("source", MISFITS)
def test_what_does_not_fit_says_what_would(source: str) -> None:
    call, words = MISFITS[source]
    with pytest.raises(Misfit, match=words):
        run(call, source)


def test_types_of_a_task_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "task", raising=False)
    runner.offer_types(MODEL.described())
    assert "task" not in sys.modules
    runner.offer_types(KERNEL.described())
    program: dict[str, object] = {}
    source = "from task import input_t, output_t\ndef custom_kernel(data: input_t) -> output_t: return data"
    exec(source, program)
    assert program["input_t"] is program["output_t"]
    monkeypatch.delitem(sys.modules, "task")
