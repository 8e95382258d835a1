#!/bin/sh
# embed.sh - prints a text file as C: an array of its lines that ends with a null pointer
#
# SPDX-License-Identifier: MIT
#
#     embed.sh NAME FILE >FILE.c
set -eu
echo "const char *const $1[] = {"
sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' "$2"
echo "0};"
