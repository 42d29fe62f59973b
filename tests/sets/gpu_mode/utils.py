"""What tasks of this set share, in the shape that such sets have."""

import torch


class DeterministicContext:
    def __enter__(self):
        torch.backends.cudnn.deterministic = True
        return self

    def __exit__(self, *_):
        torch.backends.cudnn.deterministic = False


@torch.no_grad()
def verbose_allclose(received, expected, rtol=1e-05, atol=1e-08, max_print=5):
    good = torch.allclose(received, expected, rtol=rtol, atol=atol)
    return good, [] if good else ["mismatch"]


@torch.no_grad()
def verbose_allequal(received, expected, max_print=5):
    good = torch.equal(received, expected)
    return good, [] if good else ["mismatch"]


def match_reference(data, output, reference, rtol=1e-05, atol=1e-08):
    return verbose_allclose(output, reference(data), rtol=rtol, atol=atol)


def make_match_reference(reference, **kwargs):
    def wrapped(data, output):
        return match_reference(data, output, reference=reference, **kwargs)

    return wrapped
