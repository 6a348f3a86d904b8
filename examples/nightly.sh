#!/bin/sh
# Push a feed at night, and mail what went wrong, if anything did. In a crontab:
#   10 3 * * *  ./nightly.sh feed.csv you@shop.example
PATH=$HOME/.local/bin:$PATH # cron does not look there
feed=$1 to=$2
log=$(mktemp) && trap 'rm -f "$log"' EXIT
adsctl --env-file "$HOME/.adsctl.env" -q products push --resume --failed-out refused.csv "$feed" > "$log" 2>&1 && exit 0
code=$?
mail -s "adsctl: $feed ended with exit code $code" "$to" < "$log"
exit $code
