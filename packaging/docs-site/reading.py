"""Reads a page of the site again, and names what Markdown has made of it that its text does not mean."""
import html.parser
import re

# The elements of an article: any other one came alive out of an example.
ELEMENTS = set("""a article blockquote br button code dd del div dl dt em figcaption figure h1 h2 h3 h4 h5 hr img li nav ol p path
    picture pre source span strong sub sup svg table tbody td th thead tr ul""".split())
EMPTY = {"br", "hr", "img", "source", "path"}


class Article(html.parser.HTMLParser):
    """The text of the article, in code and around it, of its links, and the elements in it."""

    def __init__(self, page):
        super().__init__()
        self.depth, self.code = 0, 0
        self.names, self.text, self.prose, self.links = [], [], [], []
        self.isLink = False
        self.feed(page)

    def handle_starttag(self, name, attributes):
        if name == "article" or self.depth:
            self.names.append(name)
            if name not in EMPTY:
                self.depth += 1
            self.code += name in ("pre", "code")
            self.isLink = self.isLink or name == "a"

    def handle_endtag(self, name):
        if self.depth and name not in EMPTY:
            self.depth -= 1
            self.code -= name in ("pre", "code")
            self.isLink = self.isLink and name != "a"

    def handle_data(self, data):
        if self.depth:
            self.text.append(data)
            if self.isLink:
                self.links.append(data)
            if not self.code:
                self.prose.append(data)


def squeezed(text):
    return re.sub(r"\s+", "", text)


def problems(markdown, page):
    """Sentences about a page, made of this Markdown, of which there should be none."""
    article = Article(page)
    text, prose = "".join(article.text), "".join(article.prose)
    found = [f"the text of a link is the name of a file: {name}" for name in article.links if re.fullmatch(r"[\w/.-]+\.md", name)]
    if "```" in text:
        found.append("a fence of code is text: ```")
    if re.search(r"```\w+ .*no-test|\bno-test\b", prose) or re.search(r"^\w+ no-test", text, flags=re.M):
        found.append("the info string of a fence is text: no-test")
    if (count := article.names.count("h1")) != 1:
        found.append(f"it has {count} headings of the first level: a line of an example became one")
    for name in sorted(set(article.names) - ELEMENTS):
        found.append(f"it has an element <{name}>: an example came alive")
    # What is between braces can be taken for the attributes of an element, and is lost.
    body = re.sub(r"\A---\n.*?\n---\n", "", markdown, flags=re.S)
    whole = squeezed(text)
    for braces in sorted(set(re.findall(r"\{[^{}\n]*\}", body))):
        if squeezed(braces.replace("\\|", "|")) not in whole and squeezed(braces) not in whole:
            found.append(f"it has lost {braces}")
    return found
