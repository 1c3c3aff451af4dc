"""Builds the site of all documents, which opens from disk: build.py SOURCE_TREE BUILD_TREE OUT

Every Markdown page becomes HTML by pandoc, the manual pages by mandoc, and gpis.h by Doxygen. Links between pages lead to
the pages made of them; what else a page links to (pictures, sources, tables) is copied beside it.
"""
import html
import os
import re
import shutil
import subprocess
import sys

SECTIONS = (("How to", "docs/howto"), ("Mathematics", "docs/maths"), ("Design", "docs/design"))
PICTURES = (".svg", ".png", ".jpg")
SHOWN = PICTURES + (".html", ".csv")  # by a browser as they are; others are shown as text


def pages_of(tree):
    """The Markdown files of the tree, relative to it."""
    found = []
    for folder, folders, files in os.walk(tree):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("build", "node_modules"))
        found += [os.path.relpath(os.path.join(folder, f), tree) for f in sorted(files) if f.endswith(".md")]
    return found


def title_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# "):
                return line[2:].strip()
    return os.path.basename(path)


def html_of(page):
    return "index.html" if page == "README.md" else page[:-3] + ".html"


class Site:
    def __init__(self, tree, build, out):
        self.tree, self.build, self.out = tree, build, out
        self.pages = pages_of(tree)
        self.titles = {page: title_of(os.path.join(tree, page)) for page in self.pages}
        self.copied = set()
        self.manual = sorted(f[:-2] for f in os.listdir(os.path.join(build, "manual")) if f.endswith(".1"))

    def write(self, path, text):
        path = os.path.join(self.out, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def copy(self, path):
        """Copies a file of the tree; returns where it is on the site."""
        place = path if path.endswith(SHOWN) else path + ".txt"
        if place not in self.copied:
            self.copied.add(place)
            os.makedirs(os.path.dirname(os.path.join(self.out, place)), exist_ok=True)
            shutil.copyfile(os.path.join(self.tree, path), os.path.join(self.out, place))
        return place

    def folder(self, page, path):
        """A folder that a page links to: its list of files, as a page."""
        place = os.path.join(path, "index.html")
        names = sorted(n for n in os.listdir(os.path.join(self.tree, path)) if os.path.isfile(os.path.join(self.tree, path, n)))
        entries = [(n, os.path.relpath(self.copy(os.path.join(path, n)), path)) for n in names]
        body = "".join(f'<li><a href="{html.escape(to)}">{html.escape(n)}</a></li>' for n, to in entries)
        self.wrap(place, path, f"<h1>{html.escape(path)}</h1><ul>{body}</ul>")
        return os.path.relpath(place, os.path.dirname(html_of(page)) or ".")

    def target(self, page, link):
        """Where a link of a page leads on the site, relative to the page."""
        path, mark, fragment = link.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return link
        path = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if os.path.isdir(os.path.join(self.tree, path)):
            if not os.path.exists(os.path.join(self.tree, path, "README.md")):
                return self.folder(page, path)
            path = os.path.join(path, "README.md")
        if path.startswith("..") or not os.path.exists(os.path.join(self.tree, path)):
            return link  # the check of all links will tell
        place = html_of(path) if path.endswith(".md") else self.copy(path)
        return os.path.relpath(place, os.path.dirname(html_of(page)) or ".") + mark + fragment

    def menu(self, here):
        """The list of pages at the side. `here`: the place of the page on the site."""
        base = os.path.dirname(here) or "."

        def entry(place, text):
            current = ' aria-current="page"' if place == here else ""
            return f'<li><a href="{os.path.relpath(place, base)}"{current}>{html.escape(text)}</a></li>'

        parts = ["<ul>", entry("index.html", "gpis"), "</ul>"]
        for name, folder in SECTIONS:
            listed = [p for p in self.pages if os.path.dirname(p) == folder]
            listed.sort(key=lambda p: (not p.endswith("README.md"), self.titles[p]))
            parts += [f"<h2>{name}</h2>", "<ul>"]
            parts += [entry(html_of(p), self.titles[p]) for p in listed] + ["</ul>"]
        parts += ["<h2>Reference</h2>", "<ul>", entry("api/gpis_8h.html", "gpis.h, the C interface")]
        parts += [entry(f"man/{name}.html", name.replace("-", " ", 1)) for name in self.manual] + ["</ul>"]
        parts += ["<h2>Project</h2>", "<ul>"]
        for page in ("examples/README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md", "bench/README.md", "bindings/python/README.md"):
            if page in self.titles:
                parts.append(entry(html_of(page), self.titles[page]))
        return "\n".join(parts + ["</ul>"])

    def wrap(self, place, title, body):
        with open(os.path.join(self.tree, "docs/site/template.html"), encoding="utf-8") as file:
            text = file.read()
        style = os.path.relpath("style.css", os.path.dirname(place) or ".")
        for mark, value in (("TITLE", html.escape(title)), ("STYLE", style), ("MENU", self.menu(place)), ("BODY", body)):
            text = text.replace(f"@{mark}@", value, 1)
        self.write(place, text)

    def make_page(self, page):
        body = subprocess.run(["pandoc", "--from=gfm", "--to=html5", "--wrap=preserve", "--no-highlight",
                               os.path.join(self.tree, page)], check=True, capture_output=True, encoding="utf-8").stdout
        body = re.sub(r'\b(href|src)="([^"]*)"', lambda m: f'{m[1]}="{self.target(page, m[2])}"', body)
        body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        self.wrap(html_of(page), self.titles[page], body)

    def make_manual(self, name):
        text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.html",
                               os.path.join(self.build, "manual", name + ".1")],
                              check=True, capture_output=True, encoding="utf-8").stdout
        self.wrap(f"man/{name}.html", f"{name}(1)", f'<div class="manual">{text}</div>')

    def make_reference(self):
        with open(os.path.join(self.tree, "docs/site/Doxyfile"), encoding="utf-8") as file:
            settings = file.read()
        settings += f'\nINPUT = "{self.tree}/include/gpis.h"\nOUTPUT_DIRECTORY = "{self.out}"\n'
        settings += f'INPUT_FILTER = "sed -E -f {self.tree}/docs/site/comments.sed"\n'
        settings += f'STRIP_FROM_PATH = "{self.tree}/include"\n'
        subprocess.run(["doxygen", "-"], input=settings, check=True, encoding="utf-8", stdout=subprocess.DEVNULL)

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        shutil.copyfile(os.path.join(self.tree, "docs/site/style.css"), os.path.join(self.out, "style.css"))
        for page in self.pages:
            self.make_page(page)
        for name in self.manual:
            self.make_manual(name)
        self.make_reference()


if __name__ == "__main__":
    Site(*(os.path.abspath(a) for a in sys.argv[1:4])).make()
