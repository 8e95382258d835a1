#!/bin/bash
# The report of reproduce is well-formed and self-contained, has every picture and table byte for byte, is
# the same every time, and is complete or absent when memory runs out. tests/unit/paper/test_paper_report.c
# tests the texts and the claims, tests/browser/report.py the appearance.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf ./*
cp -a ../figures/some.json .
cp -a ../figures/some whole
exec /usr/bin/python3 - <<'PYTHON'
import base64, glob, html.parser, json, os, re, shutil, subprocess, urllib.parse

program = [os.environ["ISINGLASS"], "reproduce", "--scale", "tiny", "--quiet"]
figures = ["fig2", "fig3", "fig4", "fig5", "figD1", "figD2", "figE1"]
VOID = {"meta", "link", "img", "br", "hr"}

def call(*more, **keywords):
    return subprocess.run(program + list(more), capture_output=True, text=True, **keywords)

class Page(html.parser.HTMLParser):
    """Every fault of a page: tags, ids, links, what it would load."""
    def __init__(self, path):
        super().__init__()
        self.folder, self.faults, self.stack = os.path.dirname(path), [], []
        self.ids, self.inner, self.images, self.saved, self.headings = [], [], [], {}, []
        self.texts = []
        text = open(path, encoding="utf-8").read()
        self.feed(text)
        self.close()
        self.faults += [f"not closed: {tag}" for tag in self.stack]
        self.faults += [f"id twice: {name}" for name in set(self.ids) if self.ids.count(name) > 1]
        self.faults += [f"to nowhere: #{name}" for name in self.inner if name not in self.ids]
        for before, after in zip([0] + self.headings, self.headings):
            if after > before + 1:
                self.faults.append(f"h{after} after h{before}")
        if not text.startswith("<!DOCTYPE html>\n<html lang="):
            self.faults.append("no doctype or language")
        if re.search(r"url\(|@import", "".join(self.texts)):
            self.faults.append("a style that loads")

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if len(known) < len(attributes):
            self.faults.append(f"attribute twice: {tag}")
        if tag not in VOID:
            self.stack.append(tag)
        if tag in ("script", "iframe", "object", "embed", "base", "form"):
            self.faults.append(f"not allowed: {tag}")
        self.faults += [f"handler: {name}" for name in known if name.startswith("on") or name == "style"]
        if "id" in known:
            self.ids.append(known["id"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "th" and "scope" not in known:
            self.faults.append("th without scope")
        if tag == "img":
            if not known.get("alt"):
                self.faults.append("picture without alt")
            self.images.append(known["src"])
        for name in "src", "href", "srcset", "poster", "action", "data":
            if name in known:
                self.address(tag, name, known[name])
        if "download" in known:
            self.saved[known["download"]] = known["href"]

    def address(self, tag, name, value):
        if value.startswith("#"):
            self.inner.append(value[1:])
        elif value.startswith("data:"):
            pass
        elif tag == "a" and name == "href" and value == "https://arxiv.org/abs/2101.11744":
            pass # the paper; nothing is loaded unless somebody follows it
        elif re.match(r"[a-z+.-]+:|/|\.\.", value) or not os.path.exists(os.path.join(self.folder, value)):
            self.faults.append(f"outside: {tag} {name}={value[:60]}")

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        self.texts.append(data)

def decode(address):
    head, body = address.split(",", 1)
    return base64.b64decode(body, validate=True) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(body)

def content(path):
    return open(path, "rb").read()

def plain(text):
    """Without the signs of print."""
    return text.replace("\u00b1", "+-").replace("\u2212", "-").replace("\u00a0", " ")

def examine(directory, finished):
    """The report of a directory must be faultless and hold these figures."""
    page = Page(f"{directory}/tiny/report.html")
    assert page.faults == [], page.faults
    pictures = [content(f"{directory}/tiny/{name}/{name}.svg") for name in finished]
    assert [decode(address) for address in page.images] == pictures, "a picture is not that of its file"
    text = "".join(page.texts)
    for name in figures:
        assert name in page.ids, name
    for name in finished:
        record = json.load(open(f"{directory}/tiny/{name}/figure.json"))
        assert record["caption"] in text and record["command"] in text, name
        for entry in record["files"]:
            same = decode(page.saved[entry["name"]]) == content(f"{directory}/tiny/{name}/{entry['name']}")
            assert same, f"{name}: {entry['name']} in the report is not the file"
    settings = json.load(open(f"{directory}/tiny/settings.json"))
    assert settings["train_sha256"] in text and settings["test_sha256"] in text
    if os.path.exists(f"{directory}/tiny/claims.json"):
        for claim in json.load(open(f"{directory}/tiny/claims.json"))["claims"]:
            assert f"claim-{claim['id']}" in page.ids, claim
            assert plain(claim["statement"]) in plain(text), claim
    return text

# The check itself works: it finds every fault in a page that has it.
faulty = {"<p><b></p></b>": "closes something else", "<p>": "not closed", "<i id=a></i><i id=a></i>": "id twice",
          "<a href='#x'></a>": "to nowhere", "<img src='data:,'>": "without alt", "<script></script>": "not allowed",
          "<img alt=a src='http://x/y.png'>": "outside", "<a href='//x'></a>": "outside", "<a href='gone'></a>": "outside",
          "<link href='https://x'>": "outside", "<style>a{b:url(x)}</style>": "a style that loads",
          "<h1></h1><h3></h3>": "h3 after h1", "<p onclick=x></p>": "handler", "<th></th>": "th without scope"}
for markup, fault in faulty.items():
    open("faulty.html", "w").write('<!DOCTYPE html>\n<html lang="en">' + markup + "</html>")
    found = Page("faulty.html").faults
    assert any(fault in one for one in found), (markup, found)

# Two figures, the others named; then all.
assert json.load(open("some.json"))["report"] == "whole/tiny/report.html"
text = examine("whole", ["fig3", "figD2"])
assert text.count("Not computed yet") == 5 and "isinglass reproduce fig5 --scale tiny -o whole" in text
shutil.rmtree("whole")
shutil.copytree("../figures/whole", "whole")
done = call("-o", "whole")
assert done.returncode == 0 and "\nreport              whole/tiny/report.html\n" in done.stdout, done
assert "Not computed yet" not in examine("whole", figures)
report = content("whole/tiny/report.html")

# The same again, made anew, and after a call for one figure.
os.remove("whole/tiny/report.html")
assert call("fig3", "-o", "whole").returncode == 0
assert content("whole/tiny/report.html") == report

# A file that is gone makes its figure unfinished, and nothing else.
os.remove("whole/tiny/fig4/fig4c.png")
assert call("fig3", "-o", "whole").returncode == 0
assert "Computed, but not drawn" in examine("whole", [name for name in figures if name != "fig4"])
assert call("fig4", "-o", "whole").returncode == 0
examine("whole", figures)

# A caption may hold anything.
record = json.load(open("whole/tiny/fig3/figure.json"))
record["caption"] = "</figcaption><script>x</script> \"a\" & 'b' \u0001 \u00e4 &lt;"
json.dump(record, open("whole/tiny/fig3/figure.json", "w"))
assert call("fig3", "-o", "whole").returncode == 0
page = Page("whole/tiny/report.html")
assert page.faults == [], page.faults
assert record["caption"].replace("\u0001", "\ufffd") in "".join(page.texts)

# There is a report even without gnuplot.
os.mkdir("bin")
open("bin/gnuplot", "w").write("#!/bin/sh\nexit 3\n")
os.chmod("bin/gnuplot", 0o755)
broken = call("fig3", "-o", "broken", env={**os.environ, "PATH": os.getcwd() + "/bin:" + os.environ["PATH"]})
assert broken.returncode == 1 and "report " in broken.stdout, broken
assert "Computed, but not drawn" in examine("broken", [])
assert call("fig3", "-o", "broken").returncode == 0
report = content("broken/tiny/report.html")
examine("broken", ["fig3"])

# Out of memory at some places, as the program meets them: the old report or the new one, nothing between and
# nothing beside. The unit test has all places.
for n in (100, 400, 500, 550):
    with open("broken/tiny/report.html", "w") as old:
        old.write("old")
    lack = call("fig3", "-o", "broken", env={**os.environ, "ISINGLASS_FAIL_ALLOCATION": f"{n}+"})
    assert lack.returncode in (0, 5) and (lack.returncode == 0 or lack.stdout == ""), (n, lack)
    assert content("broken/tiny/report.html") in (b"old", report), n
    assert not glob.glob("broken/tiny/report.html.*"), n
print(f"a report of {len(report)} bytes")
PYTHON
