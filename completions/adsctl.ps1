# Completion for PowerShell. Made by: adsctl completion powershell
# Everything but ids is known here, so that no program is started.

$AdsctlInside = @{
    '' = 'accounts auth profile webhooks catalog products jobs emulator api completion help'
    'accounts' = 'list get'
    'auth' = 'bearer login logout status token'
    'auth bearer' = 'issue revoke'
    'profile' = 'list show use set remove'
    'webhooks' = 'create'
    'catalog' = 'sets list create rename delete'
    'catalog sets' = 'get create'
    'products' = 'list push check pull delete'
    'jobs' = 'list show clean'
    'emulator' = 'serve exec env reset'
}
$AdsctlOptions = @{
    '' = '--version'
    'accounts list' = '--count --cursor --sort-by --with-deleted --with-total-count --account-ids --q --envelope --all --limit'
    'accounts get' = '--with-deleted --envelope'
    'auth login' = '--no-browser --callback --authenticate --access --force-login --screen-name --token-store'
    'auth token' = '--bearer'
    'profile show' = '--show-origin'
    'webhooks create' = '--as'
    'catalog sets get' = '--envelope'
    'catalog sets create' = '--name --type --description --filters --product-keys --file --example --envelope'
    'catalog list' = '--user-id --envelope'
    'catalog create' = '--name --user-id --envelope'
    'catalog rename' = '--name --envelope'
    'catalog delete' = '--envelope'
    'products list' = '--item-group-key --count --cursor --envelope --all --limit'
    'products push' = '--format --encoding --map --concurrency --skip-invalid --failed-out --max-errors --resume --job'
    'products check' = '--format --encoding --map --failed-out'
    'products pull' = '--format'
    'products delete' = '--from --format --concurrency --failed-out --max-errors --resume'
    'jobs clean' = '--all'
    'emulator serve' = '--port --host --fault --database'
    'emulator exec' = '--fault --database'
    'emulator env' = '--port --database'
    'emulator reset' = '--database'
    'api' = '--input --base --paginate --envelope --as-curl'
}
$AdsctlTakes = @{
    'accounts list:--count' = '@text'
    'accounts list:--cursor' = '@text'
    'accounts list:--sort-by' = '@text'
    'accounts list:--account-ids' = '@text'
    'accounts list:--q' = '@text'
    'accounts list:--limit' = '@text'
    'auth login:--callback' = '@text'
    'auth login:--screen-name' = '@text'
    'profile set:+' = '@text'
    'webhooks create:0' = '@text'
    'catalog sets create:--name' = '@text'
    'catalog sets create:--description' = '@text'
    'catalog sets create:--product-keys' = '@text'
    'catalog list:--user-id' = '@text'
    'catalog create:--name' = '@text'
    'catalog create:--user-id' = '@text'
    'catalog rename:--name' = '@text'
    'products list:--item-group-key' = '@text'
    'products list:--count' = '@text'
    'products list:--cursor' = '@text'
    'products list:--limit' = '@text'
    'products push:--format' = '@text'
    'products push:--encoding' = '@text'
    'products push:--map' = '@text'
    'products push:--concurrency' = '@text'
    'products push:--max-errors' = '@text'
    'products check:--format' = '@text'
    'products check:--encoding' = '@text'
    'products check:--map' = '@text'
    'products pull:--format' = '@text'
    'products delete:--format' = '@text'
    'products delete:--concurrency' = '@text'
    'products delete:--max-errors' = '@text'
    'products delete:+' = '@text'
    'emulator serve:--port' = '@text'
    'emulator serve:--host' = '@text'
    'emulator serve:--fault' = '@text'
    'emulator exec:--fault' = '@text'
    'emulator exec:+' = '@text'
    'emulator env:--port' = '@text'
    'api:-f' = '@text'
    'api:-F' = '@text'
    'api:-H' = '@text'
    'api:0' = '@text'
    'api:1' = '@text'
    'help:0' = '@text'
    ':--columns' = '@text'
    ':--query' = '@text'
    ':--timeout' = '@text'
    ':--max-attempts' = '@text'
    ':--max-wait' = '@text'
    'accounts get:0' = '@ids:accounts'
    ':--account' = '@ids:accounts'
    ':-A' = '@ids:accounts'
    'auth login:--access' = 'read write'
    'auth login:--token-store' = 'keyring file'
    'profile use:0' = '@ids:profiles'
    'profile set:0' = '@ids:profiles'
    'profile remove:0' = '@ids:profiles'
    ':--profile' = '@ids:profiles'
    ':-p' = '@ids:profiles'
    'webhooks create:--as' = 'bearer user'
    'catalog sets get:0' = '@ids:catalog sets'
    'catalog sets create:--type' = 'MANUAL FILTERED'
    'catalog sets create:--filters' = '@json'
    'catalog sets create:--file' = '@file'
    'catalog sets create:-f' = '@file'
    'products push:--failed-out' = '@file'
    'products push:0' = '@file'
    'products check:--failed-out' = '@file'
    'products check:0' = '@file'
    'products pull:0' = '@file'
    'products delete:--from' = '@file'
    'products delete:--failed-out' = '@file'
    'emulator serve:--database' = '@file'
    'emulator exec:--database' = '@file'
    'emulator env:--database' = '@file'
    'emulator reset:--database' = '@file'
    'api:--input' = '@file'
    ':--log-file' = '@file'
    'catalog rename:0' = '@ids:catalog'
    'catalog delete:0' = '@ids:catalog'
    ':--catalog' = '@ids:catalog'
    'products push:--job' = '@ids:jobs'
    'jobs show:0' = '@ids:jobs'
    'api:--base' = 'ads platform sandbox'
    'completion:0' = 'bash zsh fish powershell'
    ':--output' = 'table tsv csv json jsonl yaml ids none'
    ':-o' = 'table tsv csv json jsonl yaml ids none'
    ':--color' = 'auto always never'
}
$AdsctlCommon = '--profile --account --output --columns --query --sandbox --yes --dry-run --quiet --verbose --debug --timeout --max-attempts --max-wait --log-file --color --catalog --help'

Register-ArgumentCompleter -Native -CommandName adsctl -ScriptBlock {
    param($cur, $ast, $cursor)
    $words = @($ast.CommandElements | ForEach-Object { $_.Extent.Text })
    if ($cur -ne '') { $words = @($words | Select-Object -SkipLast 1) }
    function Find-Takes($key) {
        if ($AdsctlTakes.ContainsKey($key)) { return $AdsctlTakes[$key] }
        $option = ':' + $key.Substring($key.IndexOf(':') + 1)
        if ($AdsctlTakes.ContainsKey($option)) { return $AdsctlTakes[$option] }
        return ''
    }
    $path = ''; $before = ''; $position = 0
    for ($i = 1; $i -lt $words.Count; $i++) {
        $word = $words[$i]
        if ($word -like '-*') {
            if ((Find-Takes "${path}:$word") -ne '') {
                if (++$i -ge $words.Count) { $before = $word }
            }
        } elseif ((' ' + $AdsctlInside[$path] + ' ') -like "* $word *") {
            $path = "$path $word".Trim()
        } else { $position++ }
    }
    if ($before) { $takes = Find-Takes "${path}:$before" }
    elseif ($cur -like '-*') { $takes = $AdsctlOptions[$path] + ' ' + $AdsctlCommon }
    elseif ($AdsctlInside[$path]) { $takes = $AdsctlInside[$path] }
    else {
        $takes = Find-Takes "${path}:$position"
        if (-not $takes) { $takes = Find-Takes "${path}:+" }
    }
    if ($takes -like '@ids:*') {
        $takes = (adsctl __ids $takes.Substring(5) @words 2> $null | ForEach-Object { ($_ -split "`t")[0] }) -join ' '
    }
    if ($takes -like '@*') { return }
    $takes -split ' ' | Where-Object { $_ -and $_ -like "$cur*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
