r"""The LaTeX commands that we typeset, by what they stand for.

The map is ``command -> character``, in the classes that decide the space around it: letters,
operators (binary, relations, large), fences, names of functions and spaces.

>>> LETTERS["Gamma"], RELATIONS["subsetneq"], SPACES["quad"]
('Γ', '⊊', 1.0)
"""

__all__ = [
    "ACCENTS",
    "BINARY",
    "BLACKBOARD",
    "FENCES",
    "FUNCTIONS",
    "LARGE",
    "LETTERS",
    "NEGATED",
    "PUNCTUATION",
    "RELATIONS",
    "SCRIPT",
    "SPACES",
    "SUBSCRIPTS",
    "SUPERSCRIPTS",
]


def _pairs(words: str) -> dict[str, str]:
    """Read "name character name character ..."."""
    listed = words.split()
    return dict(zip(listed[::2], listed[1::2], strict=True))


LETTERS = _pairs(
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι "
    "kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ varrho ϱ sigma σ tau τ upsilon υ phi ϕ varphi φ "
    "chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ "
    "Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ ell ℓ emptyset ∅ varnothing ∅ forall ∀ exists ∃ "
    "nexists ∄ dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ top ⊤ bot ⊥ square □ hbar ℏ Re ℜ Im ℑ "
    "prime ′ % % # # & & _ _ $ $"
)

BINARY = _pairs(
    "+ + - − * ∗ pm ± mp ∓ times × div ÷ cdot ⋅ circ ∘ ast ∗ star ⋆ bullet • cup ∪ cap ∩ "
    "setminus ∖ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ wedge ∧ vee ∨ land ∧ lor ∨"
)

RELATIONS = _pairs(
    "= = < < > > : : lt < gt > le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ "
    "cong ≅ equiv ≡ propto ∝ asymp ≍ in ∈ ni ∋ notin ∉ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ "
    "subsetneq ⊊ supsetneq ⊋ to → rightarrow → longrightarrow ⟶ leftarrow ← gets ← "
    "leftrightarrow ↔ Rightarrow ⇒ implies ⟹ Leftarrow ⇐ Leftrightarrow ⇔ iff ⟺ mapsto ↦ "
    "longmapsto ⟼ hookrightarrow ↪ twoheadrightarrow ↠ mid ∣ nmid ∤ parallel ∥ perp ⟂ coloneqq ≔ "
    "lesssim ≲ gtrsim ≳ nearrow ↗ searrow ↘ uparrow ↑ downarrow ↓"
)

NEGATED = _pairs("= ≠ \\in ∉ \\subseteq ⊈ \\subset ⊄ \\equiv ≢ \\mid ∤ \\cong ≇ \\simeq ≄")
"""What ``\\not`` makes of a relation."""

LARGE = _pairs("sum ∑ prod ∏ int ∫ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ coprod ∐ oint ∮")

FENCES = _pairs(
    "( ( ) ) [ [ ] ] lbrace { rbrace } { { } } lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ langle ⟨ "
    "rangle ⟩ lvert | rvert | vert | lVert ‖ rVert ‖ Vert ‖ | ‖"
)

PUNCTUATION = {",": ",", ";": ";", ".": ".", "!": "!", "?": "?", "/": "/", "colon": ":"}

_NAMES = (
    "arccos arcsin arctan arg char cos cosh cot coth deg det diag dim exp gcd im inf ker lcm lim "
    "ln log lg max min mod Pr rank sgn sin sinh span sup supp tan tanh tr"
)
FUNCTIONS = frozenset(_NAMES.split())

SPACES = {
    ",": 0.167,
    ":": 0.222,
    ">": 0.222,
    ";": 0.278,
    "!": -0.167,
    " ": 0.25,
    "quad": 1.0,
    "qquad": 2.0,
    "enspace": 0.5,
    "thinspace": 0.167,
}
"""Spaces, in em."""

ACCENTS = _pairs(
    "hat ^ widehat ^ tilde ~ widetilde ~ bar ¯ overline ¯ dot ˙ ddot ¨ vec → check ˇ breve ˘"
)

# Unicode keeps the script and blackboard letters that it had before it had them all.
SCRIPT = {chr(65 + i): chr(0x1D49C + i) for i in range(26)} | _pairs(
    "B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ"
)
BLACKBOARD = {chr(65 + i): chr(0x1D538 + i) for i in range(26)} | _pairs(
    "C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ 1 𝟙"
)

SUPERSCRIPTS = str.maketrans(
    "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW∗′⊤",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ*′ᵀ",
)
SUBSCRIPTS = str.maketrans(
    "0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"
)
