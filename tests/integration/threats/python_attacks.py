"""Python programs with PyTorch for vector addition that try to get an undeserved verdict.

They are called as `custom_kernel(data)` with `(a, b, n)`, and return the output `c`.
"""

from problems.vocabulary import Language, Verdict
from tests.integration.threats.attacks import Attack

HEAD = """
import gc, os, sys, threading, time
import torch
"""


def python(name: str, row: str, verdict: Verdict, source: str) -> Attack:
    return Attack(name, row, Language.PYTHON, HEAD + source, verdict)


PYTHON_ATTACKS = [
    python(
        "lazy-subclass",
        "lazy result",
        Verdict.WRONG_ANSWER,
        """
class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        if function in (torch.Tensor.copy_, torch.allclose, torch.equal):
            return arguments[0]  # it will be right by the time that somebody looks
        return super().__torch_function__(function, types, arguments, named or {})

def custom_kernel(data):
    a, b, n = data
    return torch.zeros_like(a).as_subclass(Lazy)
""",
    ),
    python(
        "pretends-to-be-the-output",
        "lazy result",
        Verdict.WRONG_ANSWER,
        """
class Same(int):
    __ne__ = lambda self, other: False
    __eq__ = lambda self, other: True
    __hash__ = int.__hash__

class Answer:
    __class__ = torch.Tensor
    def __init__(self, like):
        self.shape, self.dtype = like.shape, like.dtype
    def dim(self):
        return 1
    def data_ptr(self):
        return Same()
    def stride(self):
        return Same()

def custom_kernel(data):
    return Answer(data[0])
""",
    ),
    python(
        "patches-torch",
        "rewrite harness code",
        Verdict.WRONG_ANSWER,
        """
torch.allclose = torch.equal = lambda *arguments, **named: True
torch.Tensor.__ne__ = lambda self, other: False
for name, module in list(sys.modules.items()):
    if name.startswith(("sandbox", "judge", "problems", "numpy.testing")):
        for known in ("_copy", "compare", "verdict", "expected", "_what"):
            try:
                setattr(module, known, lambda *arguments, **named: None)
            except Exception:
                pass

def custom_kernel(data):
    return torch.zeros_like(data[0])
""",
    ),
    python(
        "fills-it-later",
        "deferred work",
        Verdict.WRONG_ANSWER,
        """
def custom_kernel(data):
    a, b, n = data
    answer = torch.zeros_like(a)
    def work():
        time.sleep(0.2)
        answer.copy_(a + b)
    threading.Thread(target=work, daemon=True).start()
    return answer
""",
    ),
    python(
        "looks-for-the-reference",
        "reading the reference from disk or memory",
        Verdict.WRONG_ANSWER,
        """
def custom_kernel(data):
    a, b, n = data
    wanted = (a + b).double()
    for folder in (".", "..", "/", "/work", "/tmp", "/data", "/problems"):
        names = os.listdir(folder) if os.path.isdir(folder) else []
        if {"reference.py", "checker.py", "problem.toml", "db.sqlite3"} & set(names):
            return a + b
    if any(name.startswith(("judge", "problems", "web", "worker", "django")) for name in sys.modules):
        return a + b
    for other in gc.get_objects():
        if isinstance(other, str) and "def reference" in other and "os.walk" not in other:
            return a + b
        if isinstance(other, torch.Tensor) and other.numel() == n > 1:
            if other.data_ptr() not in (a.data_ptr(), b.data_ptr(), wanted.data_ptr()):
                if torch.allclose(other.double(), wanted):
                    return a + b
    return torch.zeros_like(a)
""",
    ),
    python(
        "claims-to-be-the-runner",
        "print the judge's own words",
        Verdict.RUNTIME_ERROR,
        """
from sandbox.runner.python_backward import Misfit

def custom_kernel(data):
    raise Misfit("accepted")
""",
    ),
    python(
        "one-element-for-all",
        "compute part of the output",
        Verdict.WRONG_ANSWER,
        """
def custom_kernel(data):
    a, b, n = data
    return (a[:1] + b[:1]).expand(n)
""",
    ),
    python(
        "in-half-precision",
        "lower precision than asked",
        Verdict.WRONG_ANSWER,
        "def custom_kernel(data):\n    return (data[0].half() + data[1].half()).float()\n",
    ),
]
