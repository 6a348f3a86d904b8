# Completion for bash. Made by: adsctl completion bash
# Everything but ids is known here, so that no program is started.

_adsctl_inside() {
    case "$1" in
@inside@
    esac
}

_adsctl_options() {
    case "$1" in
@options@
    esac
}

_adsctl_takes() {
    case "$1" in
@takes@
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
        REPLY="$REPLY @common@"
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
