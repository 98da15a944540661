# SPDX-License-Identifier: Apache-2.0
"""count_words: the words of a document, without its head."""
import arguments

[path] = arguments.read("path")
head, _, body = arguments.document(path).partition("\n\n")
print(len((body or head).split()))
