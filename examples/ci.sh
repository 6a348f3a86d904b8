#!/bin/sh
# Check a feed with each change, and push what changed from the main branch: a job for any runner with Python and a shell.
#   WHEEL=ads_cli-0.1.0-py3-none-any.whl examples/ci.sh feed.csv [push]
# Without WHEEL it uses the adsctl that is installed. docs/automation.md says which secrets the push takes, and what its
# exit codes mean.
set -eu
feed=$1
if [ "${WHEEL:-}" ]; then
    python3 -m venv .adsctl
    .adsctl/bin/pip install --quiet "$WHEEL"
    PATH=$PWD/.adsctl/bin:$PATH
fi
adsctl products check "$feed" -o table
[ "${2:-}" = push ] || exit 0
adsctl products push "$feed" --changed --resume --min-rows 70% --failed-out refused.csv --force -o table
