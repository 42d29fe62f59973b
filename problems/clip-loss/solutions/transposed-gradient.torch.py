"""Wrong: an element of the table belongs to an image and a text. The gradient of a text adds up its column, so the table must be
transposed. With one pair, it does not show.
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
        ctx.save_for_backward(img, txt, t, logits)
        return loss_of(logits)

    @staticmethod
    def backward(ctx, dloss: torch.Tensor):
        img, txt, t, logits = ctx.saved_tensors
        (a, img_norm), (c, txt_norm) = unit(img), unit(txt)
        gradient = gradient_of(logits) * dloss
        scaled = t.exp() * gradient
        dimg = through_norm(scaled @ c, a, img_norm)
        dtxt = through_norm(scaled @ a, c, txt_norm)
        return dimg, dtxt, (gradient * logits).sum().reshape(1)
