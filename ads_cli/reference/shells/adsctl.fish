# Completion for fish. Made by: adsctl completion fish
# Everything but ids is known here, so that no program is started.

function __adsctl_inside
    switch "$argv[1]"
@inside@
    end
end

function __adsctl_options
    switch "$argv[1]"
@options@
    end
end

function __adsctl_takes
    switch "$argv[1]"
@takes@
    case '*'
        return 1
    end
end

function __adsctl_common
@common@
end

function __adsctl
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l path ''
    set -l before ''
    set -l position 0
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            set before ''
        else if test "$word" = --
            __fish_complete_path "$cur"
            return
        else if string match -q -- '--*=*' "$word"
            continue
        else if string match -q -- '-*' "$word"
            set -l takes (__adsctl_takes "$path:$word")
            if test -n "$takes"
                set skip 1
                set before "$word"
            end
        else if __adsctl_inside "$path" | string match -q -- "$word"\t'*'
            set path (string trim -- "$path $word")
        else
            set position (math $position + 1)
        end
    end
    set -l takes
    set -l given ''
    if test -n "$before"
        set takes (__adsctl_takes "$path:$before")
    else if string match -q -- '--*=*' "$cur"
        set -l option (string split -m 1 = -- "$cur")[1]
        set takes (__adsctl_takes "$path:$option")
        set given "$option="
        set cur (string split -m 1 = -- "$cur")[2]
    else if string match -q -- '-*' "$cur"
        __adsctl_options "$path"
        __adsctl_common
        return
    else if set -l inside (__adsctl_inside "$path"); and test (count $inside) -gt 0
        printf '%s\n' $inside
        return
    else
        set takes (__adsctl_takes "$path:$position"; or __adsctl_takes "$path:+")
    end
    switch "$takes"
        case @file
            printf '%s\n' $given(__fish_complete_path "$cur")
        case @json
            if string match -q -- '@*' "$cur"
                printf '%s\n' @(__fish_complete_path (string sub -s 2 -- "$cur"))
            end
        case '@ids:*'
            printf '%s\n' $given(adsctl __ids (string sub -s 6 -- "$takes") $words 2> /dev/null)
        case '@*' ''
        case '*'
            printf '%s\n' $given(string split ' ' -- "$takes")
    end
end

complete -c adsctl -f -a '(__adsctl)'
