"""A generated page: the words of explanations, and what they mean."""

from nacho._pictures.glossary import WORDS


def page() -> str:
    """Return the page: the words in alphabetical order."""
    text = [
        "# The words of explanations",
        "In a notebook, and in the pages that `to_html` writes, each word that "
        "`nacho.explain` does not use as everybody does is a link to what it means.",
    ]
    text += [f"**{word}**\n: {WORDS[word]}" for word in sorted(WORDS)]
    return "\n\n".join(text) + "\n"
