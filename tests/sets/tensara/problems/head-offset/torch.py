import torch


def solution(values, amount, result, count):
    result[:] = values + amount
