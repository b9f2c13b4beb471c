#!/usr/bin/env python3
"""Translates documents and compares what is no text: do they parse again to the same tree?

  bench/documents.py KETTE MODEL FOLDER [--most 20] [--bytes 20000]

FOLDER has a folder a format (html, markdown, xliff, srt, vtt, tsv, po, mail, docx, text). Of each format the first documents
by name are taken that are not larger than that. Elements are compared by their paths in the tree, attributes and all,
for words change their order and inline elements with them; times, columns, headers and message ids as they come.
"""

import argparse
import collections
import email
import html.parser
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree
import zipfile

VOID = set("area base br col embed hr img input link meta source track wbr".split())


class Tree(html.parser.HTMLParser):
    """Paths of elements with their attributes, and what is no text."""

    def __init__(self):
        super().__init__()
        self.path, self.found = [], collections.Counter()

    def handle_starttag(self, tag, attributes):
        self.found["/".join(self.path + [tag]) + str(attributes)] += 1
        if tag not in VOID:
            self.path.append(tag)

    def handle_endtag(self, tag):
        if tag in self.path:
            while self.path.pop() != tag:
                pass

    def handle_comment(self, data):
        self.found["comment " + data] += 1


def html_tree(data):
    tree = Tree()
    tree.feed(data.decode("utf-8"))
    return tree.found


def xml_tree(data, without=()):
    found = collections.Counter()

    def walk(element, path):
        name = element.tag.split("}")[-1]
        if name in without:
            return
        path = path + "/" + name
        found[path + str(sorted(element.attrib.items()))] += 1
        for child in element:
            walk(child, path)

    walk(xml.etree.ElementTree.fromstring(data), "")
    return found


def docx_tree(path):
    found = collections.Counter()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            found["entry " + name] += 1
            # Runs are opened and closed anew where formats move.
            if re.fullmatch(r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml", name):
                tree = xml_tree(archive.read(name), without=("r", "t", "rPr", "proofErr"))
                found += collections.Counter({name + key: value for key, value in tree.items()})
    return found


def shape(format, path):
    data = path.read_bytes()
    text = data.decode("utf-8", "replace")
    if format == "html":
        return html_tree(data)
    if format == "xliff":
        return xml_tree(data, without=("target",))
    if format == "docx":
        return docx_tree(path)
    if format in ("srt", "vtt"):
        return re.findall(r"^.*-->.*$", text, re.M)
    if format == "tsv":
        return [line.count("\t") for line in text.split("\n")]
    if format == "po":
        return re.findall(r'^(?:msgid|msgctxt|msgid_plural) .*(?:\n".*)*|^#.*', text, re.M)
    if format == "mail":
        message = email.message_from_bytes(data)
        return [(key, value) for key, value in message.items() if key.lower() != "subject"] + [
            part.get_content_type() for part in message.walk()
        ]
    if format == "markdown":  # headings, fences, items, tables
        return [mark.strip() for mark in re.findall(r"^ *(?:#+ |```|~~~|[-*+] |\d+[.)] |\|)", text, re.M)]
    return [len(re.findall(r"\n[ \t]*\n", text))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kette")
    parser.add_argument("model")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--bytes", type=int, default=20000)
    options = parser.parse_args()
    failed = 0
    for folder in sorted(options.folder.iterdir()):
        format = folder.name
        documents = [
            path for path in sorted(folder.iterdir())
            if path.is_file() and path.name != "LIST" and path.stat().st_size <= options.bytes
        ][: options.most]
        same = 0
        with tempfile.TemporaryDirectory() as scratch:
            for path in documents:
                out = pathlib.Path(scratch) / path.name
                command = [options.kette, "translate", "--model", options.model, "--input", path, "--output", out,
                           "--format", format] + (["--split", "nonewlines"] if format == "text" else [])
                run = subprocess.run(command, capture_output=True, text=True)
                if run.returncode != 0:
                    print(f"{path}: {run.stderr.strip().splitlines()[-1]}")
                elif shape(format, path) != shape(format, out):
                    print(f"{path}: another tree")
                else:
                    same += 1
        failed += len(documents) - same
        print(f"{format:9} {len(documents):4} documents, {same:4} with the same tree", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
