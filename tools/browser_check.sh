#!/usr/bin/env bash
# browser_check.sh - opens the report of reproduce in headless Chromium: nothing loaded, no complaint
#
# SPDX-License-Identifier: MIT
#
#   tools/browser_check.sh [REPORT.html]
#
# Without a report one is made at tiny scale, by build/dev/isinglass with the MNIST of $ISINGLASS_DATA or
# build/data. Pictures of the page and a PDF are left in build/browser. See tests/browser/report.py.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/tools/deps.sh" --browser --figures
report=${1-}
if [[ -z $report ]]; then
    export ISINGLASS_DATA=${ISINGLASS_DATA:-$root/build/data}
    rm -rf "$root/build/browser"
    "$root/build/dev/isinglass" reproduce --scale tiny --quiet -o "$root/build/browser"
    report=$root/build/browser/tiny/report.html
fi
/usr/bin/python3 "$root/tests/browser/report.py" "$report" "$root/build/browser/pictures"
