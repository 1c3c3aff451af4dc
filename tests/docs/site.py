"""Every link and picture of the site leads somewhere: site.py FOLDER"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def main(root):
    pages = {}
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = Page(path)
    lost = []
    for path, page in pages.items():
        for link in page.links:
            if link.startswith(("http:", "https:", "mailto:", "javascript:", "data:")):
                continue
            file, _, fragment = unquote(link).partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(place):
                lost.append(f"{os.path.relpath(path, root)}: nothing is at {link}")
            elif fragment and place in pages and fragment not in pages[place].ids:
                lost.append(f"{os.path.relpath(path, root)}: {link} has no such place")
    print("\n".join(lost) if lost else f"{len(pages)} pages, all links lead somewhere")
    return 1 if lost or len(pages) < 30 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
