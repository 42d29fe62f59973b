"""Faulty: writes nothing. If the output still held the result of another program, nobody would notice."""


def call(xp, tape):
    tape["x"].sum()
