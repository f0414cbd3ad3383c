"""The fences of code blocks, whose info strings in docs and the reference are for tests, as the site has them."""
import re

# What a block with the name of a file shows above it.
FILE = r"[\w./-]+\.(yaml|jq|json|jsonl|csv|txt|sh|html)"


def plain(text):
    """Markdown whose fences have their language alone, and a title where they name a file."""
    def fence(match):
        language, *rest = match[2].split(None, 1)
        title = f' title="{rest[0]}"' if rest and re.fullmatch(FILE, rest[0]) else ""
        return f"{match[1]}{language}{title}"

    return re.sub(r"^( *```)(\w[^`\n]*)$", fence, text, flags=re.M)
