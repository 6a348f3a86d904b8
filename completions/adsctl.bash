# Completion for bash. Made by: adsctl completion bash
# Everything but ids is known here, so that no program is started.

_adsctl_inside() {
    case "$1" in
    '') REPLY='accounts auth profile webhooks catalog products jobs emulator api completion help' ;;
    'accounts') REPLY='list get' ;;
    'auth') REPLY='bearer login logout status token' ;;
    'auth bearer') REPLY='issue revoke' ;;
    'profile') REPLY='list show use set remove' ;;
    'webhooks') REPLY='create' ;;
    'catalog') REPLY='sets list create rename delete' ;;
    'catalog sets') REPLY='get create' ;;
    'products') REPLY='list push check pull delete' ;;
    'jobs') REPLY='list show clean' ;;
    'emulator') REPLY='serve exec env reset' ;;
    esac
}

_adsctl_options() {
    case "$1" in
    '') REPLY='--version' ;;
    'accounts list') REPLY='--count --cursor --sort-by --with-deleted --with-total-count --account-ids --q --envelope --all --limit' ;;
    'accounts get') REPLY='--with-deleted --envelope' ;;
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
    'products push') REPLY='--format --encoding --map --concurrency --skip-invalid --failed-out --max-errors --resume --job' ;;
    'products check') REPLY='--format --encoding --map --failed-out' ;;
    'products pull') REPLY='--format' ;;
    'products delete') REPLY='--from --format --concurrency --failed-out --max-errors --resume' ;;
    'jobs clean') REPLY='--all' ;;
    'emulator serve') REPLY='--port --host --fault --database' ;;
    'emulator exec') REPLY='--fault --database' ;;
    'emulator env') REPLY='--port --database' ;;
    'emulator reset') REPLY='--database' ;;
    'api') REPLY='--input --base --paginate --envelope --as-curl' ;;
    esac
}

_adsctl_takes() {
    case "$1" in
    'accounts list:--count'|'accounts list:--cursor'|'accounts list:--sort-by'|'accounts list:--account-ids'|'accounts list:--q'|'accounts list:--limit'|'auth login:--callback'|'auth login:--screen-name'|'profile set:+'|'webhooks create:0'|'catalog sets create:--name'|'catalog sets create:--description'|'catalog sets create:--product-keys'|'catalog list:--user-id'|'catalog create:--name'|'catalog create:--user-id'|'catalog rename:--name'|'products list:--item-group-key'|'products list:--count'|'products list:--cursor'|'products list:--limit'|'products push:--format'|'products push:--encoding'|'products push:--map'|'products push:--concurrency'|'products push:--max-errors'|'products check:--format'|'products check:--encoding'|'products check:--map'|'products pull:--format'|'products delete:--format'|'products delete:--concurrency'|'products delete:--max-errors'|'products delete:+'|'emulator serve:--port'|'emulator serve:--host'|'emulator serve:--fault'|'emulator exec:--fault'|'emulator exec:+'|'emulator env:--port'|'api:-f'|'api:-F'|'api:-H'|'api:0'|'api:1'|'help:0'|*:--columns|*:--query|*:--timeout|*:--max-attempts|*:--max-wait) REPLY='@text' ;;
    'accounts get:0'|*:--account|*:-A) REPLY='@ids:accounts' ;;
    'auth login:--access') REPLY='read write' ;;
    'auth login:--token-store') REPLY='keyring file' ;;
    'profile use:0'|'profile set:0'|'profile remove:0'|*:--profile|*:-p) REPLY='@ids:profiles' ;;
    'webhooks create:--as') REPLY='bearer user' ;;
    'catalog sets get:0') REPLY='@ids:catalog sets' ;;
    'catalog sets create:--type') REPLY='MANUAL FILTERED' ;;
    'catalog sets create:--filters') REPLY='@json' ;;
    'catalog sets create:--file'|'catalog sets create:-f'|'products push:--failed-out'|'products push:0'|'products check:--failed-out'|'products check:0'|'products pull:0'|'products delete:--from'|'products delete:--failed-out'|'emulator serve:--database'|'emulator exec:--database'|'emulator env:--database'|'emulator reset:--database'|'api:--input'|*:--log-file) REPLY='@file' ;;
    'catalog rename:0'|'catalog delete:0'|*:--catalog) REPLY='@ids:catalog' ;;
    'products push:--job'|'jobs show:0') REPLY='@ids:jobs' ;;
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
        REPLY="$REPLY --profile --account --output --columns --query --sandbox --yes --dry-run --quiet --verbose --debug --timeout --max-attempts --max-wait --log-file --color --catalog --help"
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
