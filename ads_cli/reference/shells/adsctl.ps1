# Completion for PowerShell. Made by: adsctl completion powershell
# Everything but ids is known here, so that no program is started.

$AdsctlInside = @{
@inside@
}
$AdsctlOptions = @{
@options@
}
$AdsctlTakes = @{
@takes@
}
$AdsctlCommon = '@common@'

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
