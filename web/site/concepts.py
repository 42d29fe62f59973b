"""The concepts that the site explains, and the tags and verdicts that link to them.

The texts and figures are in `web.learn`. This module knows only names, so that every page can link.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.urls import reverse

from problems.vocabulary import Verdict


class Field(StrEnum):
    """The groups in which the primer lists the concepts."""

    CORRECT = "Correct programs"
    PATTERNS = "Patterns"
    MEMORY = "Memory"
    TOGETHER = "Threads that work together"
    SPEED = "Speed and precision"


@dataclass(frozen=True, slots=True)
class Concept:
    """A page about one idea. `tag` is the tag that has its name, or that of related problems."""

    slug: str
    title: str
    summary: str
    field: Field
    tag: str

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return reverse("concept", args=[self.slug])

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags whose problems the page lists."""
        return self.tag, *(tag for tag, slug in FURTHER_TAGS.items() if slug == self.slug)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A link to a concept, or to a section of the primer."""

    title: str
    url: str


def _concept(slug: str, title: str, field: Field, summary: str, tag: str = "") -> Concept:
    return Concept(slug, title, summary, field, tag or slug.replace("-", " "))


CONCEPTS: Mapping[str, Concept] = {
    concept.slug: concept
    for concept in (
        _concept(
            "bounds",
            "Bounds and guards",
            Field.CORRECT,
            "A grid usually has more threads than elements. The guard stops the threads without an element.",
            tag="elementwise",
        ),
        _concept(
            "uninitialised-memory",
            "Uninitialised memory",
            Field.CORRECT,
            "New memory holds arbitrary bits. Write it before you read it.",
            tag="reduction",
        ),
        _concept(
            "synchronisation",
            "Synchronisation",
            Field.CORRECT,
            "Threads run in no fixed order. Barriers, atomics and launches create the order that you need.",
        ),
        _concept(
            "elementwise",
            "Elementwise kernels",
            Field.PATTERNS,
            "One thread computes one output element, and no thread needs another.",
        ),
        _concept(
            "image", "Images", Field.PATTERNS, "Pixels have a row, a column and channels, in one array."
        ),
        _concept(
            "activation", "Activation functions", Field.PATTERNS, "A function of one number, applied to all."
        ),
        _concept("matrix", "Matrices", Field.PATTERNS, "Two indices, one address: rows follow each other."),
        _concept("stencil", "Stencils", Field.PATTERNS, "Each output needs a neighbourhood of inputs."),
        _concept("reduction", "Reductions", Field.PATTERNS, "Many values become one, in a tree."),
        _concept("scan", "Scans", Field.PATTERNS, "Each output depends on all earlier inputs."),
        _concept(
            "sorting", "Sorting", Field.PATTERNS, "The positions of many elements are found at the same time."
        ),
        _concept(
            "sorting-network",
            "Sorting networks",
            Field.PATTERNS,
            "A fixed list of comparisons sorts any input, and many of them run at once.",
        ),
        _concept(
            "radix-sort", "Radix sort", Field.PATTERNS, "Sort by one digit at a time, without comparisons."
        ),
        _concept(
            "in-place",
            "In-place kernels",
            Field.PATTERNS,
            "Input and output share an array, so the order of reads and writes matters.",
        ),
        _concept("sparsity", "Sparsity", Field.PATTERNS, "Store and compute only what is not zero."),
        _concept(
            "random-numbers",
            "Random numbers",
            Field.PATTERNS,
            "A function of a counter and a seed gives each thread its own numbers.",
        ),
        _concept(
            "gradients",
            "Gradients",
            Field.PATTERNS,
            "The backward pass computes how the loss depends on each value.",
        ),
        _concept(
            "libraries",
            "Libraries",
            Field.PATTERNS,
            "CUB, Thrust and cooperative groups contain the common patterns.",
        ),
        _concept(
            "coalescing", "Coalescing", Field.MEMORY, "Loads of a warp combine if their addresses are close."
        ),
        _concept(
            "shared-memory", "Shared memory", Field.MEMORY, "A small, fast memory that one block shares."
        ),
        _concept(
            "constant-memory",
            "Constant memory",
            Field.MEMORY,
            "All threads of a warp read one value at once.",
        ),
        _concept("data-reuse", "Data reuse", Field.MEMORY, "Read from device memory once. Use it often."),
        _concept(
            "register-tiling", "Register tiling", Field.MEMORY, "A thread computes a small tile of outputs."
        ),
        _concept("fusion", "Fusion", Field.MEMORY, "One kernel does the work of several."),
        _concept("atomics", "Atomics", Field.TOGETHER, "Updates that no other thread can interrupt."),
        _concept("contention", "Contention", Field.TOGETHER, "Updates of one address wait for each other."),
        _concept(
            "warp-shuffle", "Warp shuffles", Field.TOGETHER, "Threads of a warp read each other's registers."
        ),
        _concept(
            "load-balance", "Load balance", Field.TOGETHER, "A kernel takes as long as its slowest thread."
        ),
        _concept("bandwidth", "Bandwidth", Field.SPEED, "The bytes that you move set the minimum time."),
        _concept(
            "compute-bound", "Compute-bound kernels", Field.SPEED, "The arithmetic sets the minimum time."
        ),
        _concept(
            "numerical-stability",
            "Numerical stability",
            Field.SPEED,
            "Formulas that are equal on paper differ in floating point.",
        ),
        _concept(
            "quantisation",
            "Quantisation",
            Field.SPEED,
            "Small integers and a scale replace floating-point numbers.",
        ),
    )
}

# Tags without a page of their own, and the concept that explains each.
FURTHER_TAGS: Mapping[str, str] = {
    "attention": "fusion",
    "calibration": "quantisation",
    "compilers": "fusion",
    "convolution": "stencil",
    "fine-tuning": "gradients",
    "fix the bug": "synchronisation",
    "graphs": "sparsity",
    "histogram": "contention",
    "indexing": "matrix",
    "int4": "quantisation",
    "int8": "quantisation",
    "integer arithmetic": "random-numbers",
    "layouts": "matrix",
    "mixed precision": "numerical-stability",
    "operators": "fusion",
    "packing": "quantisation",
    "profiling": "load-balance",
    "reproducibility": "random-numbers",
    "selection": "radix-sort",
    "softmax": "numerical-stability",
    "sparse": "sparsity",
    "streams": "synchronisation",
    "testing": "bounds",
    "training": "gradients",
    "transfers": "bandwidth",
}

OF_VERDICT: Mapping[Verdict, tuple[str, ...]] = {
    Verdict.WRONG_ANSWER: ("#index", "synchronisation", "uninitialised-memory", "numerical-stability"),
    Verdict.RUNTIME_ERROR: ("#launch", "synchronisation"),
    Verdict.ILLEGAL_ACCESS: ("bounds", "#memory"),
    Verdict.TIME_LIMIT: ("bandwidth", "data-reuse"),
}
SECTIONS: Mapping[str, str] = {
    "memory": "Host and device memory",
    "threads": "Grid, block and thread",
    "index": "The index",
    "guard": "The guard",
    "launch": "The launch",
}


def concept_of_tag(tag: str) -> Concept | None:
    """Return the concept that explains `tag`, None if no page does."""
    concept = CONCEPTS.get(FURTHER_TAGS.get(tag, tag.replace(" ", "-")))
    return concept if concept and tag in concept.tags else None


def lessons_of_verdict(verdict: str) -> tuple[Lesson, ...]:
    """Return the lessons about a verdict."""
    return tuple(map(lesson_at, OF_VERDICT.get(Verdict(verdict), ())))


def lesson_at(target: str) -> Lesson:
    """Return the link to a concept, `SLUG` or `SLUG#SECTION`, or to a section of the primer, `#SECTION`."""
    page, _, section = target.partition("#")
    fragment = f"#{section}" if section else ""
    if page:
        return Lesson(CONCEPTS[page].title, CONCEPTS[page].url + fragment)
    return Lesson(SECTIONS[section], reverse("primer") + fragment)
