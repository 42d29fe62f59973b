"""The symbols of TeX commands. Letters become identifiers, others become operators."""
# ruff: noqa: RUF001 - the characters are the subject

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ "
    "lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω "
    "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω"
)
_LETTERS = "infty ∞ ell ℓ partial ∂ nabla ∇ emptyset ∅ varnothing ∅ hbar ℏ Re ℜ Im ℑ top ⊤ bot ⊥"
_OPERATORS = (
    "le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ lt < gt > ll ≪ gg ≫ approx ≈ equiv ≡ sim ∼ simeq ≃ propto ∝ "
    "in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ cup ∪ cap ∩ setminus ∖ mid ∣ parallel ∥ "
    "cdot ⋅ times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ otimes ⊗ odot ⊙ "
    "to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ implies ⟹ iff ⟺ "
    "longrightarrow ⟶ mapsto ↦ longmapsto ⟼ uparrow ↑ downarrow ↓ land ∧ wedge ∧ lor ∨ vee ∨ lnot ¬ neg ¬ "
    "forall ∀ exists ∃ dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ colon : prime ′ angle ∠ triangleq ≜ coloneqq ≔ "
    "cong ≅ leqslant ⩽ geqslant ⩾ lesssim ≲ gtrsim ≳ ominus ⊖ circledast ⊛ triangle △ checkmark ✓"
)
_DELIMITERS = (
    "lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨ rangle ⟩ lvert | rvert | lVert ‖ rVert ‖ vert | Vert ‖ "
    "lbrace { rbrace } lbrack [ rbrack ]"
)


def _pairs(words: str) -> dict[str, str]:
    listed = words.split()
    return dict(zip(listed[::2], listed[1::2], strict=True))


LETTERS = {**_pairs(_GREEK), **_pairs(_LETTERS)}
OPERATORS = _pairs(_OPERATORS)
DELIMITERS = {**_pairs(_DELIMITERS), "{": "{", "}": "}", "|": "‖"}
# Limits go above and below these in display style.
LARGE = {
    "sum": "∑",
    "prod": "∏",
    "coprod": "∐",
    "bigcup": "⋃",
    "bigcap": "⋂",
    "bigoplus": "⨁",
    "bigotimes": "⨂",
}
INTEGRALS = {"int": "∫", "iint": "∬", "oint": "∮"}
LIMITS = {"max", "min", "sup", "inf", "lim", "argmax", "argmin", "limsup", "liminf", "gcd", "det", "Pr"}
FUNCTIONS = {
    *("log", "ln", "lg", "exp", "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan"),
    *("sinh", "cosh", "tanh", "coth", "dim", "ker", "deg", "arg", "hom"),
}
SPACES_EM = {
    ",": 0.167,
    "thinspace": 0.167,
    ":": 0.222,
    ">": 0.222,
    "medspace": 0.222,
    ";": 0.278,
    "thickspace": 0.278,
    "!": -0.167,
    "quad": 1.0,
    "qquad": 2.0,
    " ": 0.25,
    "enspace": 0.5,
}
ACCENTS = {
    **dict.fromkeys(("hat", "widehat"), "^"),
    **dict.fromkeys(("tilde", "widetilde"), "~"),
    **dict.fromkeys(("bar", "overline"), "¯"),
    "vec": "→",
    "dot": "˙",
    "ddot": "¨",
    "check": "ˇ",
    "overbrace": "⏞",
}
UNDERS = {"underline": "_", "underbrace": "⏟"}
SIZES_EM = {"big": 1.2, "Big": 1.8, "bigg": 2.4, "Bigg": 3.0}
# In Unicode, the characters of the lines with `|=` are outside the range of their alphabet.
DOUBLE_STRUCK = {chr(ord("A") + n): chr(0x1D538 + n) for n in range(26)} | {"1": "𝟙"}
DOUBLE_STRUCK |= dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
SCRIPT = {chr(ord("A") + n): chr(0x1D49C + n) for n in range(26)}
SCRIPT |= dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True))
# The fences of a table, and the class that aligns its columns.
TABLES = {
    "matrix": ("", "", "matrix"),
    "pmatrix": ("(", ")", "matrix"),
    "bmatrix": ("[", "]", "matrix"),
    "Bmatrix": ("{", "}", "matrix"),
    "vmatrix": ("|", "|", "matrix"),
    "Vmatrix": ("‖", "‖", "matrix"),
    "cases": ("{", "", "cases"),
    "aligned": ("", "", "aligned"),
    "align": ("", "", "aligned"),
    "align*": ("", "", "aligned"),
    "split": ("", "", "aligned"),
    "gathered": ("", "", "matrix"),
    "gather": ("", "", "matrix"),
    "gather*": ("", "", "matrix"),
    "array": ("", "", "matrix"),
    "smallmatrix": ("", "", "matrix"),
}
