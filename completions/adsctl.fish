# Completion for fish. Made by: adsctl completion fish
# Everything but ids is known here, so that no program is started.

function __adsctl_inside
    switch "$argv[1]"
    case ''
        printf '%s\t%s\n' 'accounts' 'Advertising accounts' 'auth' 'Sign in and out, and look after tokens' 'profile' 'Addresses and defaults, by name' 'webhooks' 'Where the service delivers events' 'catalog' 'The product catalog and its product sets' 'products' 'Product feeds: check, push, pull, list and delete products' 'jobs' 'Pushes that ran, and how to go on with those that did not end' 'emulator' 'The whole service on this machine, to try and to test' 'api' 'Send any signed request, for what no command does' 'completion' 'Print the completion script of a shell: bash, zsh, fish or powershell' 'help' 'Explain options, formats, exit-codes, environment or files'
    case 'accounts'
        printf '%s\t%s\n' 'list' 'List the advertising accounts you may work in' 'get' 'Show one advertising account'
    case 'auth'
        printf '%s\t%s\n' 'bearer' 'The bearer token of the app' 'login' 'Sign in with a browser and a PIN' 'logout' 'Revoke the stored token, and remove it' 'status' 'Say who is signed in, and where' 'token' 'Print the token; nothing else ever does'
    case 'auth bearer'
        printf '%s\t%s\n' 'issue' 'Ask for the app\'s bearer token, and keep it; auth token --bearer prints it' 'revoke' 'Revoke the app\'s bearer token; the next one is another'
    case 'profile'
        printf '%s\t%s\n' 'list' 'List the profiles; * marks the one in use' 'show' 'Show the settings in force, wherever they come from; never a secret' 'use' 'Make a profile the default' 'set' 'Set values of a profile; KEY= takes one away' 'remove' 'Remove a profile, with the secrets that are stored for it'
    case 'webhooks'
        printf '%s\t%s\n' 'create' 'Register an address that events are delivered to'
    case 'catalog'
        printf '%s\t%s\n' 'sets' 'Product sets: the products that an ad shows' 'list' 'List your product catalogs' 'create' 'Create your product catalog' 'rename' 'Give a product catalog another name' 'delete' 'Delete a product catalog for good'
    case 'catalog sets'
        printf '%s\t%s\n' 'get' 'Show one product set' 'create' 'Create a product set, by hand (MANUAL) or by conditions (FILTERED)'
    case 'products'
        printf '%s\t%s\n' 'list' 'List the products of a catalog' 'push' 'Create and update products from a file' 'check' 'Check a product feed, offline, and send nothing' 'pull' 'Write the products of a catalog to a file that push takes back' 'delete' 'Delete products, for good; it asks before it does'
    case 'jobs'
        printf '%s\t%s\n' 'list' 'List the pushes that ran on this machine, oldest first' 'show' 'Show one push, and what became of its rows' 'clean' 'Remove the journals of pushes that reached their end'
    case 'emulator'
        printf '%s\t%s\n' 'serve' 'Serve the emulator on this machine, until it is stopped' 'exec' 'Run a command with an emulator of its own: adsctl emulator exec -- adsctl products push feed.csv' 'env' 'Print the variables that point adsctl to a served emulator, for eval in a shell' 'reset' 'Throw the emulator\'s world away; the next use begins with a new one'
    end
end

function __adsctl_options
    switch "$argv[1]"
    case ''
        printf '%s\t%s\n' '--version' 'Show the version'
    case 'accounts list'
        printf '%s\t%s\n' '--count' 'Records on a page (1 to 1000, default 200)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--sort-by' 'Attribute and direction, as in created_at-desc' '--with-deleted' 'Show deleted records too' '--with-total-count' 'Count all records too; not with a cursor' '--account-ids' 'Only these, separated by commas (at most 200 items)' '--q' 'Only names that begin with this' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'accounts get'
        printf '%s\t%s\n' '--with-deleted' 'Show deleted records too' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'auth login'
        printf '%s\t%s\n' '--no-browser' 'Print the address of the page' '--callback' 'Listen on this registered loopback address, without a PIN' '--authenticate' 'Do not ask again who said yes before (with --callback)' '--access' 'Ask for less than the app may do' '--force-login' 'Have the page ask who you are' '--screen-name' 'The name the page suggests' '--token-store' 'Where tokens are kept'
    case 'auth token'
        printf '%s\t%s\n' '--bearer' 'The app\'s bearer token'
    case 'profile show'
        printf '%s\t%s\n' '--show-origin' 'Say where values come from'
    case 'webhooks create'
        printf '%s\t%s\n' '--as' 'Default: user, where signed in'
    case 'catalog sets get'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog sets create'
        printf '%s\t%s\n' '--name' '' '--type' '' '--description' '' '--filters' 'Conditions of a FILTERED set: attribute, operator and value' '--product-keys' 'Members of a MANUAL set, separated by commas' '--file' 'Take fields from a YAML or JSON file, or - for standard input; options outrank it' '--example' 'Print such a file to start from' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog list'
        printf '%s\t%s\n' '--user-id' 'The user who owns it' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog create'
        printf '%s\t%s\n' '--name' '' '--user-id' 'The user who owns it' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog rename'
        printf '%s\t%s\n' '--name' '' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'catalog delete'
        printf '%s\t%s\n' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)'
    case 'products list'
        printf '%s\t%s\n' '--item-group-key' 'Only the products of this group' '--count' 'Records on a page (1 to 100, default 100)' '--cursor' 'Where to start, from an earlier answer\'s next_cursor' '--envelope' 'Show the whole response, not only its data (json, yaml, jsonl)' '--all' 'Follow all pages' '--limit' 'Follow pages until N records'
    case 'products push'
        printf '%s\t%s\n' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--concurrency' 'Requests at the same time' '--skip-invalid' 'Send the valid rows, and end with 9' '--failed-out' 'Write refused rows here, with _line and _error' '--max-errors' 'Stop after N refused rows' '--resume' 'Go on with the last push of this file that did not end' '--job' 'Go on with this job'
    case 'products check'
        printf '%s\t%s\n' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--encoding' 'Encoding of the file, as in cp1252' '--map' 'Read a column as another field' '--failed-out' 'Write refused rows here, with _line and _error'
    case 'products pull'
        printf '%s\t%s\n' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension; csv without FILE)'
    case 'products delete'
        printf '%s\t%s\n' '--from' 'A file with a column product_key, or a key on each line' '--format' 'csv, tsv, yaml, json or jsonl (default: by extension)' '--concurrency' 'Requests at the same time' '--failed-out' 'Write refused rows here, with _line and _error' '--max-errors' 'Stop after N refused rows' '--resume' 'Go on with the last push of this file that did not end'
    case 'jobs clean'
        printf '%s\t%s\n' '--all' 'Unfinished jobs too; they cannot be resumed then'
    case 'emulator serve'
        printf '%s\t%s\n' '--port' 'Port to listen on; 0 takes a free one' '--host' 'Loopback address to listen on' '--fault' 'As in \'PUT /12/product_catalogs/* status=503 rate=0.2\'; repeatable' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator exec'
        printf '%s\t%s\n' '--fault' 'As in \'PUT /12/product_catalogs/* status=503 rate=0.2\'; repeatable' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator env'
        printf '%s\t%s\n' '--port' 'Port to listen on; 0 takes a free one' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'emulator reset'
        printf '%s\t%s\n' '--database' 'The emulator\'s world (default: in the state folder)'
    case 'api'
        printf '%s\t%s\n' '--input' 'The body; - reads standard input' '--base' 'Which address it goes to' '--paginate' 'Follow the pages of a list' '--envelope' 'Show the whole response, not only its data' '--as-curl' 'Print it for curl, secrets masked, and send nothing'
    end
end

function __adsctl_takes
    switch "$argv[1]"
    case 'accounts list:--count' 'accounts list:--cursor' 'accounts list:--sort-by' 'accounts list:--account-ids' 'accounts list:--q' 'accounts list:--limit' 'auth login:--callback' 'auth login:--screen-name' 'profile set:+' 'webhooks create:0' 'catalog sets create:--name' 'catalog sets create:--description' 'catalog sets create:--product-keys' 'catalog list:--user-id' 'catalog create:--name' 'catalog create:--user-id' 'catalog rename:--name' 'products list:--item-group-key' 'products list:--count' 'products list:--cursor' 'products list:--limit' 'products push:--format' 'products push:--encoding' 'products push:--map' 'products push:--concurrency' 'products push:--max-errors' 'products check:--format' 'products check:--encoding' 'products check:--map' 'products pull:--format' 'products delete:--format' 'products delete:--concurrency' 'products delete:--max-errors' 'products delete:+' 'emulator serve:--port' 'emulator serve:--host' 'emulator serve:--fault' 'emulator exec:--fault' 'emulator exec:+' 'emulator env:--port' 'api:-f' 'api:-F' 'api:-H' 'api:0' 'api:1' 'help:0' '*:--columns' '*:--query' '*:--timeout' '*:--max-attempts' '*:--max-wait'
        echo '@text'
    case 'accounts get:0' '*:--account' '*:-A'
        echo '@ids:accounts'
    case 'auth login:--access'
        echo 'read write'
    case 'auth login:--token-store'
        echo 'keyring file'
    case 'profile use:0' 'profile set:0' 'profile remove:0' '*:--profile' '*:-p'
        echo '@ids:profiles'
    case 'webhooks create:--as'
        echo 'bearer user'
    case 'catalog sets get:0'
        echo '@ids:catalog sets'
    case 'catalog sets create:--type'
        echo 'MANUAL FILTERED'
    case 'catalog sets create:--filters'
        echo '@json'
    case 'catalog sets create:--file' 'catalog sets create:-f' 'products push:--failed-out' 'products push:0' 'products check:--failed-out' 'products check:0' 'products pull:0' 'products delete:--from' 'products delete:--failed-out' 'emulator serve:--database' 'emulator exec:--database' 'emulator env:--database' 'emulator reset:--database' 'api:--input' '*:--log-file'
        echo '@file'
    case 'catalog rename:0' 'catalog delete:0' '*:--catalog'
        echo '@ids:catalog'
    case 'products push:--job' 'jobs show:0'
        echo '@ids:jobs'
    case 'api:--base'
        echo 'ads platform sandbox'
    case 'completion:0'
        echo 'bash zsh fish powershell'
    case '*:--output' '*:-o'
        echo 'table tsv csv json jsonl yaml ids none'
    case '*:--color'
        echo 'auto always never'
    case '*'
        return 1
    end
end

function __adsctl_common
    printf '%s\t%s\n' '--profile' 'The profile to use' '--account' 'The advertising account to work in' '--output' 'How to show results: see \'adsctl help formats\'' '--columns' 'Columns of table, tsv and csv, separated by commas' '--query' 'A JMESPath expression, applied to what json would show' '--sandbox' 'Use the profile\'s sandbox address' '--yes' 'Do not ask before something is destroyed' '--dry-run' 'Show the request that would change something, and send nothing' '--quiet' 'Say nothing on stderr but errors' '--verbose' 'Say what is done, on stderr' '--debug' 'Show all HTTP on stderr, with secrets masked' '--timeout' 'Longest wait for one answer: 30s (default), 500ms, 2m' '--max-attempts' 'Most tries of one request (default 6)' '--max-wait' 'Longest wait without progress, time-outs included (default 15m)' '--log-file' 'Append what is done to a file, as JSON lines' '--color' 'Use color: auto, always or never' '--catalog' 'The product catalog to work in' '--help' 'Show what a command takes'
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
