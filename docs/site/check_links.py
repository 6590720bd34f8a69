"""check_links.py SITE: every link from a page of ours to a file must find it, and every #part its heading."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

site = Path(sys.argv[1])


class Page(HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]
        self.names.add(attributes.get("id"))


pages = {file: Page(file) for file in sorted(site.rglob("*.html")) if "api" not in file.relative_to(site).parts}
broken = checked = 0
for file, page in pages.items():
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme:
            continue
        checked += 1
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        known = next((p for f, p in pages.items() if f.resolve() == target.resolve()), None)
        if not target.exists() or (parts.fragment and known and parts.fragment not in known.names):
            print(f"{file.relative_to(site)}: broken link {link}")
            broken += 1
print(f"{len(pages)} pages, {checked} links, {broken} broken")
sys.exit(broken > 0 or checked == 0)
