"""A loss is the end of a network, and its upstream gradient is a single number. So the gradient of the logits can be computed at once, while
they are in memory, and backward only multiplies by that number. dt needs one more number.

What bounds it: the products of matrices, 6 b b d operations. The logits are not read again.
"""

import torch


def unit(v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    norm = v.norm(dim=1, keepdim=True)
    return v / norm, norm


def through_norm(gradient: torch.Tensor, unit: torch.Tensor, norm: torch.Tensor) -> torch.Tensor:
    return (gradient - unit * (gradient * unit).sum(dim=1, keepdim=True)) / norm


def loss_of(logits: torch.Tensor) -> torch.Tensor:
    sums = logits.logsumexp(dim=1) + logits.logsumexp(dim=0)
    return (0.5 * sums - logits.diagonal()).mean()


def gradient_of(logits: torch.Tensor) -> torch.Tensor:
    gradient = logits.softmax(dim=1) + logits.softmax(dim=0)
    gradient.diagonal().sub_(2)
    return gradient.div_(2 * len(logits))


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, img: torch.Tensor, txt: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        a, c = unit(img)[0], unit(txt)[0]
        logits = t.exp() * (a @ c.T)
        loss = loss_of(logits)
        gradient = gradient_of(logits)
        ctx.save_for_backward(img, txt, t, gradient, (gradient * logits).sum().reshape(1))
        return loss

    @staticmethod
    def backward(ctx, dloss: torch.Tensor):
        img, txt, t, gradient, dt = ctx.saved_tensors
        (a, img_norm), (c, txt_norm) = unit(img), unit(txt)
        scaled = (t.exp() * dloss) * gradient
        dimg = through_norm(scaled @ c, a, img_norm)
        dtxt = through_norm(scaled.T @ a, c, txt_norm)
        return dimg, dtxt, dt * dloss
