# Completion for bash. Made by: adsctl completion bash
# Everything but ids is known here, so that no program is started.

_adsctl_inside() {
    case "$1" in
    '') REPLY='accounts line-items audiences cards media posts auth profile webhooks catalog products jobs emulator api completion help' ;;
    'accounts') REPLY='features curated-categories list get create update delete apps history business-categories' ;;
    'accounts features') REPLY='list add' ;;
    'accounts curated-categories') REPLY='list get' ;;
    'line-items') REPLY='curated-categories update delete' ;;
    'line-items curated-categories') REPLY='list get add update delete' ;;
    'audiences') REPLY='permissions do-not-reach keywords targeted push check hash' ;;
    'audiences permissions') REPLY='list grant revoke' ;;
    'audiences do-not-reach') REPLY='delete push' ;;
    'cards') REPLY='poll video-conversation image-conversation list get create update' ;;
    'cards poll') REPLY='list get create' ;;
    'cards video-conversation') REPLY='list get create update' ;;
    'cards image-conversation') REPLY='delete' ;;
    'media') REPLY='account library' ;;
    'media account') REPLY='list get delete' ;;
    'media library') REPLY='list get add update delete' ;;
    'posts') REPLY='create rename' ;;
    'auth') REPLY='bearer login logout status token' ;;
    'auth bearer') REPLY='issue revoke' ;;
    'profile') REPLY='list show use set remove' ;;
    'webhooks') REPLY='create' ;;
    'catalog') REPLY='sets list create rename delete' ;;
    'catalog sets') REPLY='get create' ;;
    'products') REPLY='list push check pull delete' ;;
    'jobs') REPLY='list show clean' ;;
    'emulator') REPLY='serve exec env audiences reset' ;;
    esac
}

_adsctl_options() {
    case "$1" in
    '') REPLY='--version' ;;
    'accounts features list') REPLY='--feature-keys --envelope' ;;
    'accounts features add') REPLY='--feature-keys --envelope' ;;
    'accounts curated-categories list') REPLY='--envelope' ;;
    'accounts curated-categories get') REPLY='--envelope' ;;
    'accounts list') REPLY='--count --cursor --sort-by --with-total-count --with-deleted --account-ids --q --envelope --all --limit' ;;
    'accounts get') REPLY='--with-deleted --envelope' ;;
    'accounts create') REPLY='--envelope' ;;
    'accounts update') REPLY='--name --industry-type --envelope' ;;
    'accounts delete') REPLY='--envelope' ;;
    'accounts apps') REPLY='--count --cursor --sort-by --with-total-count --with-deleted --envelope --all --limit' ;;
    'accounts history') REPLY='--entity-type --entity-id --start-time --end-time --user-id --count --cursor --envelope --all --limit' ;;
    'accounts business-categories') REPLY='--envelope' ;;
    'line-items curated-categories list') REPLY='--count --cursor --sort-by --with-total-count --with-deleted --envelope --all --limit' ;;
    'line-items curated-categories get') REPLY='--with-deleted --envelope' ;;
    'line-items curated-categories add') REPLY='--line-item-id --curated-category-id --envelope' ;;
    'line-items curated-categories update') REPLY='--curated-category-id --line-item-id --envelope' ;;
    'line-items curated-categories delete') REPLY='--envelope' ;;
    'line-items update') REPLY='--name --entity-status --bid-strategy --bid-amount-local-micro --bid-amount --total-budget-amount-local-micro --total-budget-amount --daily-budget-amount-local-micro --daily-budget-amount --goal --pay-by --audience-expansion --frequency-cap --duration-in-days --start-time --end-time --advertiser-domain --advertiser-user-id --categories --android-app-store-identifier --ios-app-store-identifier --envelope' ;;
    'line-items delete') REPLY='--envelope' ;;
    'audiences permissions list') REPLY='--audience --count --cursor --sort-by --with-total-count --granted-account-ids --tailored-audience-permission-ids --envelope --all --limit' ;;
    'audiences permissions grant') REPLY='--audience --granted-account-id --permission-level --envelope' ;;
    'audiences permissions revoke') REPLY='--audience --envelope' ;;
    'audiences do-not-reach delete') REPLY='--envelope' ;;
    'audiences do-not-reach push') REPLY='--list --operation --expires-at --region --users-per-operation --format --encoding --map --concurrency --skip-invalid --failed-out --max-errors --resume --job' ;;
    'audiences keywords') REPLY='--keywords --granularity --start-time --end-time --location --negative-keywords --envelope' ;;
    'audiences targeted') REPLY='--with-active --no-with-active --cursor --envelope --all --limit' ;;
    'audiences push') REPLY='--audience --operation --effective-at --expires-at --region --users-per-operation --format --encoding --map --concurrency --skip-invalid --failed-out --max-errors --resume --job' ;;
    'audiences check') REPLY='--region --format --encoding --map --failed-out' ;;
    'audiences hash') REPLY='--region --format --encoding --map --skip-invalid --failed-out' ;;
    'cards poll list') REPLY='--count --cursor --sort-by --with-total-count --with-deleted --card-ids --q --envelope --all --limit' ;;
    'cards poll get') REPLY='--with-deleted --envelope' ;;
    'cards poll create') REPLY='--name --duration-in-minutes --first-choice --second-choice --third-choice --fourth-choice --media-key --envelope' ;;
    'cards video-conversation list') REPLY='--count --cursor --sort-by --with-total-count --with-deleted --card-ids --q --envelope --all --limit' ;;
    'cards video-conversation get') REPLY='--with-deleted --envelope' ;;
    'cards video-conversation create') REPLY='--name --media-key --first-cta --first-cta-tweet --thank-you-text --title --second-cta --second-cta-tweet --third-cta --third-cta-tweet --fourth-cta --fourth-cta-tweet --poster-media-key --thank-you-url --unlocked-image-media-key --unlocked-video-media-key --envelope' ;;
    'cards video-conversation update') REPLY='--title --second-cta --second-cta-tweet --third-cta --third-cta-tweet --fourth-cta --fourth-cta-tweet --poster-media-key --thank-you-url --unlocked-image-media-key --unlocked-video-media-key --name --media-key --first-cta --first-cta-tweet --thank-you-text --envelope' ;;
    'cards image-conversation delete') REPLY='--envelope' ;;
    'cards list') REPLY='--card-types --card-id --card-uris --include-legacy-cards --q --count --cursor --sort-by --with-deleted --envelope --all --limit' ;;
    'cards get') REPLY='--with-deleted --envelope' ;;
    'cards create') REPLY='--name --components --slides --file --example --envelope' ;;
    'cards update') REPLY='--components --slides --name --file --example --envelope' ;;
    'media account list') REPLY='--count --cursor --sort-by --with-total-count --with-deleted --account-media-ids --creative-types --envelope --all --limit' ;;
    'media account get') REPLY='--with-deleted --envelope' ;;
    'media account delete') REPLY='--envelope' ;;
    'media library list') REPLY='--media-type --q --count --cursor --envelope --all --limit' ;;
    'media library get') REPLY='--envelope' ;;
    'media library add') REPLY='--media-key --name --file-name --title --description --poster-media-key --envelope' ;;
    'media library update') REPLY='--name --file-name --title --description --poster-media-key --envelope' ;;
    'media library delete') REPLY='--envelope' ;;
    'posts create') REPLY='--as-user-id --text --media-keys --card-uri --name --nullcast --no-nullcast --conversation-settings --trim-user --post-mode --video-title --video-description --video-cta --video-cta-value --envelope' ;;
    'posts rename') REPLY='--name --envelope' ;;
    'auth login') REPLY='--no-browser --callback --authenticate --access --force-login --screen-name --token-store' ;;
    'auth token') REPLY='--bearer' ;;
    'profile show') REPLY='--show-origin' ;;
    'webhooks create') REPLY='--as' ;;
    'catalog sets get') REPLY='--envelope' ;;
    'catalog sets create') REPLY='--name --type --description --filters --product-keys --file --example --envelope' ;;
    'catalog list') REPLY='--user-id --envelope' ;;
    'catalog create') REPLY='--name --user-id --envelope' ;;
    'catalog rename') REPLY='--name --envelope' ;;
    'catalog delete') REPLY='--envelope' ;;
    'products list') REPLY='--item-group-key --count --cursor --envelope --all --limit' ;;
    'products push') REPLY='--format --encoding --map --concurrency --skip-invalid --failed-out --max-errors --resume --job --changed --verify' ;;
    'products check') REPLY='--format --encoding --map --failed-out' ;;
    'products pull') REPLY='--format' ;;
    'products delete') REPLY='--from --format --concurrency --failed-out --max-errors --resume' ;;
    'jobs clean') REPLY='--all' ;;
    'emulator serve') REPLY='--port --host --fault --database' ;;
    'emulator exec') REPLY='--fault --database' ;;
    'emulator env') REPLY='--port --database' ;;
    'emulator audiences') REPLY='--database' ;;
    'emulator reset') REPLY='--database' ;;
    'api') REPLY='--input --base --paginate --envelope --as-curl' ;;
    esac
}

_adsctl_takes() {
    case "$1" in
    'accounts features list:--feature-keys'|'accounts list:--count'|'accounts list:--cursor'|'accounts list:--sort-by'|'accounts list:--account-ids'|'accounts list:--q'|'accounts list:--limit'|'accounts update:--name'|'accounts apps:--count'|'accounts apps:--cursor'|'accounts apps:--sort-by'|'accounts apps:--limit'|'accounts history:--entity-id'|'accounts history:--start-time'|'accounts history:--end-time'|'accounts history:--user-id'|'accounts history:--count'|'accounts history:--cursor'|'accounts history:--limit'|'line-items curated-categories list:--count'|'line-items curated-categories list:--cursor'|'line-items curated-categories list:--sort-by'|'line-items curated-categories list:--limit'|'line-items curated-categories add:--line-item-id'|'line-items curated-categories add:--curated-category-id'|'line-items curated-categories update:--curated-category-id'|'line-items curated-categories update:--line-item-id'|'line-items update:--name'|'line-items update:--bid-amount-local-micro'|'line-items update:--bid-amount'|'line-items update:--total-budget-amount-local-micro'|'line-items update:--total-budget-amount'|'line-items update:--daily-budget-amount-local-micro'|'line-items update:--daily-budget-amount'|'line-items update:--frequency-cap'|'line-items update:--start-time'|'line-items update:--end-time'|'line-items update:--advertiser-domain'|'line-items update:--advertiser-user-id'|'line-items update:--categories'|'line-items update:--android-app-store-identifier'|'line-items update:--ios-app-store-identifier'|'audiences permissions list:--audience'|'audiences permissions list:--count'|'audiences permissions list:--cursor'|'audiences permissions list:--sort-by'|'audiences permissions list:--granted-account-ids'|'audiences permissions list:--tailored-audience-permission-ids'|'audiences permissions list:--limit'|'audiences permissions grant:--audience'|'audiences permissions grant:--granted-account-id'|'audiences permissions revoke:--audience'|'audiences do-not-reach push:--list'|'audiences do-not-reach push:--expires-at'|'audiences do-not-reach push:--region'|'audiences do-not-reach push:--users-per-operation'|'audiences do-not-reach push:--format'|'audiences do-not-reach push:--encoding'|'audiences do-not-reach push:--map'|'audiences do-not-reach push:--concurrency'|'audiences do-not-reach push:--max-errors'|'audiences keywords:--keywords'|'audiences keywords:--start-time'|'audiences keywords:--end-time'|'audiences keywords:--location'|'audiences keywords:--negative-keywords'|'audiences targeted:--cursor'|'audiences targeted:--limit'|'audiences push:--audience'|'audiences push:--effective-at'|'audiences push:--expires-at'|'audiences push:--region'|'audiences push:--users-per-operation'|'audiences push:--format'|'audiences push:--encoding'|'audiences push:--map'|'audiences push:--concurrency'|'audiences push:--max-errors'|'audiences check:--region'|'audiences check:--format'|'audiences check:--encoding'|'audiences check:--map'|'audiences hash:--region'|'audiences hash:--format'|'audiences hash:--encoding'|'audiences hash:--map'|'audiences hash:1'|'cards poll list:--count'|'cards poll list:--cursor'|'cards poll list:--sort-by'|'cards poll list:--card-ids'|'cards poll list:--q'|'cards poll list:--limit'|'cards poll create:--name'|'cards poll create:--duration-in-minutes'|'cards poll create:--first-choice'|'cards poll create:--second-choice'|'cards poll create:--third-choice'|'cards poll create:--fourth-choice'|'cards poll create:--media-key'|'cards video-conversation list:--count'|'cards video-conversation list:--cursor'|'cards video-conversation list:--sort-by'|'cards video-conversation list:--card-ids'|'cards video-conversation list:--q'|'cards video-conversation list:--limit'|'cards video-conversation create:--name'|'cards video-conversation create:--media-key'|'cards video-conversation create:--first-cta'|'cards video-conversation create:--first-cta-tweet'|'cards video-conversation create:--thank-you-text'|'cards video-conversation create:--title'|'cards video-conversation create:--second-cta'|'cards video-conversation create:--second-cta-tweet'|'cards video-conversation create:--third-cta'|'cards video-conversation create:--third-cta-tweet'|'cards video-conversation create:--fourth-cta'|'cards video-conversation create:--fourth-cta-tweet'|'cards video-conversation create:--poster-media-key'|'cards video-conversation create:--thank-you-url'|'cards video-conversation create:--unlocked-image-media-key'|'cards video-conversation create:--unlocked-video-media-key'|'cards video-conversation update:--title'|'cards video-conversation update:--second-cta'|'cards video-conversation update:--second-cta-tweet'|'cards video-conversation update:--third-cta'|'cards video-conversation update:--third-cta-tweet'|'cards video-conversation update:--fourth-cta'|'cards video-conversation update:--fourth-cta-tweet'|'cards video-conversation update:--poster-media-key'|'cards video-conversation update:--thank-you-url'|'cards video-conversation update:--unlocked-image-media-key'|'cards video-conversation update:--unlocked-video-media-key'|'cards video-conversation update:--name'|'cards video-conversation update:--media-key'|'cards video-conversation update:--first-cta'|'cards video-conversation update:--first-cta-tweet'|'cards video-conversation update:--thank-you-text'|'cards list:--card-types'|'cards list:--card-id'|'cards list:--card-uris'|'cards list:--q'|'cards list:--count'|'cards list:--cursor'|'cards list:--sort-by'|'cards list:--limit'|'cards create:--name'|'cards update:--name'|'media account list:--count'|'media account list:--cursor'|'media account list:--sort-by'|'media account list:--account-media-ids'|'media account list:--creative-types'|'media account list:--limit'|'media library list:--q'|'media library list:--count'|'media library list:--cursor'|'media library list:--limit'|'media library add:--media-key'|'media library add:--name'|'media library add:--file-name'|'media library add:--title'|'media library add:--description'|'media library add:--poster-media-key'|'media library update:--name'|'media library update:--file-name'|'media library update:--title'|'media library update:--description'|'media library update:--poster-media-key'|'posts create:--as-user-id'|'posts create:--text'|'posts create:--media-keys'|'posts create:--card-uri'|'posts create:--name'|'posts create:--video-title'|'posts create:--video-description'|'posts create:--video-cta-value'|'posts rename:--name'|'auth login:--callback'|'auth login:--screen-name'|'profile show:0'|'profile set:+'|'webhooks create:0'|'catalog sets create:--name'|'catalog sets create:--description'|'catalog sets create:--product-keys'|'catalog list:--user-id'|'catalog create:--name'|'catalog create:--user-id'|'catalog rename:--name'|'products list:--item-group-key'|'products list:--count'|'products list:--cursor'|'products list:--limit'|'products push:--format'|'products push:--encoding'|'products push:--map'|'products push:--concurrency'|'products push:--max-errors'|'products check:--format'|'products check:--encoding'|'products check:--map'|'products pull:--format'|'products delete:--format'|'products delete:--concurrency'|'products delete:--max-errors'|'products delete:+'|'emulator serve:--port'|'emulator serve:--host'|'emulator serve:--fault'|'emulator exec:--fault'|'emulator exec:+'|'emulator env:--port'|'api:-f'|'api:-F'|'api:-H'|'api:0'|'api:1'|'help:0'|*:--columns|*:--query|*:--timeout|*:--max-attempts|*:--max-wait) REPLY='@text' ;;
    'accounts features add:--feature-keys') REPLY='AGE_TARGETING AWARENESS_OBJECTIVE CONVERSATION_CARD CPI_CHARGING ENGAGER_RETARGETING PREROLL_VIEWS_OBJECTIVE REACH_FREQUENCY_CAP VIDEO_APP_DOWNLOAD_CARD' ;;
    'accounts curated-categories get:0') REPLY='@ids:accounts curated-categories' ;;
    'accounts get:0'|'accounts update:0'|'accounts delete:0'|*:--account|*:-A) REPLY='@ids:accounts' ;;
    'accounts update:--industry-type') REPLY='AGENCY BUSINESS_TO_BUSINESS ONLINE_SERVICES EDUCATION FINANCIAL HEALTH GOVERNMENT MEDIA MOBILE RESTAURANT RETAIL TECHNOLOGY TRAVEL OTHER' ;;
    'accounts history:--entity-type') REPLY='CAMPAIGN LINE_ITEM PROMOTED_POST TARGETING_CRITERIA PROMOTED_ACCOUNT' ;;
    'line-items curated-categories get:0'|'line-items curated-categories update:0'|'line-items curated-categories delete:0') REPLY='@ids:line-items curated-categories' ;;
    'line-items update:--entity-status') REPLY='ACTIVE PAUSED' ;;
    'line-items update:--bid-strategy') REPLY='AUTO MAX TARGET' ;;
    'line-items update:--goal') REPLY='APP_CLICKS APP_INSTALLS APP_PURCHASES ENGAGEMENT FOLLOWERS LINK_CLICKS MAX_REACH PREROLL PREROLL_STARTS REACH_WITH_ENGAGEMENT VIDEO_VIEW VIEW_3S_100PCT VIEW_6S VIEW_15S WEBSITE_CONVERSIONS' ;;
    'line-items update:--pay-by') REPLY='APP_CLICK IMPRESSION LINK_CLICK' ;;
    'line-items update:--audience-expansion') REPLY='BROAD DEFINED EXPANDED' ;;
    'line-items update:--duration-in-days') REPLY='1 7 30' ;;
    'line-items update:0'|'line-items delete:0') REPLY='@ids:line-items' ;;
    'audiences permissions grant:--permission-level') REPLY='READ_ONLY READ_WRITE' ;;
    'audiences permissions revoke:0') REPLY='@ids:audiences permissions' ;;
    'audiences do-not-reach delete:0') REPLY='@ids:audiences do-not-reach' ;;
    'audiences do-not-reach push:--operation'|'audiences push:--operation') REPLY='update delete' ;;
    'audiences do-not-reach push:--failed-out'|'audiences do-not-reach push:0'|'audiences push:--failed-out'|'audiences push:0'|'audiences check:--failed-out'|'audiences check:0'|'audiences hash:--failed-out'|'audiences hash:0'|'cards create:--file'|'cards create:-f'|'cards update:--file'|'cards update:-f'|'catalog sets create:--file'|'catalog sets create:-f'|'products push:--failed-out'|'products push:0'|'products check:--failed-out'|'products check:0'|'products pull:0'|'products delete:--from'|'products delete:--failed-out'|'emulator serve:--database'|'emulator exec:--database'|'emulator env:--database'|'emulator audiences:--database'|'emulator reset:--database'|'api:--input'|*:--log-file) REPLY='@file' ;;
    'audiences do-not-reach push:--job'|'audiences push:--job'|'products push:--job'|'jobs show:0') REPLY='@ids:jobs' ;;
    'audiences keywords:--granularity') REPLY='DAY HOUR' ;;
    'audiences targeted:0') REPLY='@ids:audiences' ;;
    'cards poll get:0') REPLY='@ids:cards poll' ;;
    'cards video-conversation get:0'|'cards video-conversation update:0') REPLY='@ids:cards video-conversation' ;;
    'cards image-conversation delete:0') REPLY='@ids:cards image-conversation' ;;
    'cards get:0'|'cards update:0') REPLY='@ids:cards' ;;
    'cards create:--components'|'cards create:--slides'|'cards update:--components'|'cards update:--slides'|'catalog sets create:--filters') REPLY='@json' ;;
    'media account get:0'|'media account delete:0') REPLY='@ids:media account' ;;
    'media library list:--media-type') REPLY='GIF IMAGE VIDEO' ;;
    'media library get:0'|'media library update:0'|'media library delete:0') REPLY='@ids:media library' ;;
    'posts create:--conversation-settings') REPLY='EVERYONE FOLLOWING MENTIONED_USERS' ;;
    'posts create:--post-mode') REPLY='compat extended' ;;
    'posts create:--video-cta') REPLY='VISIT_SITE WATCH_NOW' ;;
    'posts rename:0') REPLY='@ids:posts' ;;
    'auth login:--access') REPLY='read write' ;;
    'auth login:--token-store') REPLY='keyring file' ;;
    'profile use:0'|'profile set:0'|'profile remove:0'|*:--profile|*:-p) REPLY='@ids:profiles' ;;
    'webhooks create:--as') REPLY='bearer user' ;;
    'catalog sets get:0') REPLY='@ids:catalog sets' ;;
    'catalog sets create:--type') REPLY='MANUAL FILTERED' ;;
    'catalog rename:0'|'catalog delete:0'|*:--catalog) REPLY='@ids:catalog' ;;
    'api:--base') REPLY='ads platform sandbox' ;;
    'completion:0') REPLY='bash zsh fish powershell' ;;
    *:--output|*:-o) REPLY='table tsv csv json jsonl yaml ids none' ;;
    *:--color) REPLY='auto always never' ;;
    *) return 1 ;;
    esac
}

_adsctl() {
    local REPLY path='' position=0 word cur="${COMP_WORDS[COMP_CWORD]}" before='' i IFS=$' \t\n'
    # An = between an option and its value is a word of its own.
    if [[ $cur == '=' ]]; then
        cur=''
        before="${COMP_WORDS[COMP_CWORD-1]}"
    elif [[ ${COMP_WORDS[COMP_CWORD-1]} == '=' ]]; then
        before="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ $word == '--' ]]; then
            path='--'
            break
        elif [[ $word == -* ]]; then
            if _adsctl_takes "$path:$word" && [[ $REPLY && ${COMP_WORDS[i+1]} != '=' ]]; then
                ((++i < COMP_CWORD)) || before="$word"
            elif [[ ${COMP_WORDS[i+1]} == '=' ]]; then
                ((i += 2))
            fi
        else
            REPLY=''
            _adsctl_inside "$path"
            if [[ " $REPLY " == *" $word "* ]]; then
                path="${path:+$path }$word"
            else
                ((position++))
            fi
        fi
    done
    REPLY=''
    if [[ $path == '--' ]]; then
        COMPREPLY=($(compgen -f -- "$cur"))
        return
    elif [[ $before ]]; then
        _adsctl_takes "$path:$before"
    elif [[ $cur == -* ]]; then
        _adsctl_options "$path"
        REPLY="$REPLY --profile --account --output --columns --csv-safe --query --sandbox --yes --dry-run --quiet --verbose --debug --timeout --max-attempts --max-wait --log-file --color --catalog --help"
    else
        _adsctl_inside "$path"
        [[ $REPLY ]] || _adsctl_takes "$path:$position" || _adsctl_takes "$path:+"
    fi
    case "$REPLY" in
    @file) COMPREPLY=($(IFS=$'\n' compgen -f -- "$cur")); compopt -o filenames 2> /dev/null ;;
    @json) [[ $cur == @* ]] && COMPREPLY=($(compgen -P @ -f -- "${cur#@}")) ;;
    @ids:*) COMPREPLY=($(compgen -W "$(adsctl __ids "${REPLY#@ids:}" "${COMP_WORDS[@]}" 2> /dev/null | cut -f 1)" -- "$cur")) ;;
    @*) COMPREPLY=() ;;
    *) COMPREPLY=($(compgen -W "$REPLY" -- "$cur")) ;;
    esac
}

complete -F _adsctl adsctl
