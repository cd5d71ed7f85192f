"""HTML pages as trees, for tests: whether tags match, and what a page would load."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr", "img", "link"}
"""The elements without an end tag."""
LOADED = re.compile(r"https?:|//\w|@import|url\(", re.IGNORECASE)
"""What makes a browser load something, in attributes and styles."""
LINKS = {"href", "src", "data", "srcset", "action", "xlink:href"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, name, kind=None):
        """Return the elements inside of this one of a name and of a class."""
        found = []
        for child in self.children:
            is_kind = kind is None or child.attributes.get("class") == kind
            if child.name == name and is_kind:
                found.append(child)
            found += child.all(name, kind)
        return found

    def __getitem__(self, attribute):
        return self.attributes[attribute]

    def numbers(self, attribute):
        """Return the numbers in an attribute."""
        return [float(text) for text in re.findall(r"-?[\d.]+", self[attribute])]


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]
        self.ids = set()

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice"
        made = Element(tag, {name: value or "" for name, value in attrs})
        if identifier := made.attributes.get("id"):
            assert identifier not in self.ids, f"two elements are #{identifier}"
            self.ids.add(identifier)
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag):
        assert self.open[-1].name == tag, f"</{tag}> ends <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].text += data


def parsed(text):
    """Return a page, or a part of one, as a tree; every tag has to be ended."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root], f"<{reader.open[-1].name}> is not ended"
    return reader.root


def loaded(page):
    """Return what a page refers to outside of itself."""
    found = [f"<{name}>" for name in ("link", "img", "iframe") if page.all(name)]
    for element in every(page):
        found += [
            f"{name}={value}"
            for name, value in element.attributes.items()
            if (name in LINKS and not value.startswith("#"))
            or (name == "style" and LOADED.search(value))
        ]
        if element.name == "style" and LOADED.search(element.text):
            found.append(element.text)
        if element.name == "script":
            found += re.findall(r"\bfetch\(|XMLHttpRequest|import\(", element.text)
    return found


def every(element):
    for child in element.children:
        yield child
        yield from every(child)
