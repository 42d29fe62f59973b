# What every program of attacks/ in Python with PyTorch begins with: an honest answer, and names.
import threading
import time

import torch


def answer(a, b, c):
    torch.add(a, b, out=c)
