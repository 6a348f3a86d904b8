"""The emulator as a command: served, run round another command, thrown away."""

import json
import signal
import subprocess

import pytest


def serve(adsctl, *words: str) -> tuple[subprocess.Popen, str]:
    process = adsctl.popen("emulator", "serve", "--port", "0", *words)
    line = process.stderr.readline().decode()
    return process, next(word.rstrip(";") for word in line.split() if word.startswith("http"))


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_serve_answers_another_shell_until_it_is_stopped(adsctl, signum, code):
    process, address = serve(adsctl)
    try:
        shown = adsctl("emulator", "env", "--port", address.rsplit(":")[-1], "-o", "json").stdout
        assert json.loads(adsctl("accounts", "list", "-o", "json", **json.loads(shown)).stdout)
        line = f'eval "$({" ".join(adsctl.command("emulator", "env", "--port", address.rsplit(":")[-1]))})"'
        line += f"; {' '.join(adsctl.command('catalog', 'list', '-o', 'ids'))}"
        done = subprocess.run(["bash", "-c", line], env=adsctl.environment, capture_output=True, text=True)
        assert done.stdout.strip().isdigit(), done.stderr
    finally:
        process.send_signal(signum)
        _, said = process.communicate(timeout=20)
    assert process.returncode == code
    assert said.decode().splitlines()[-1] == f"stopped by {signum.name}"


def test_another_address_than_loopback_is_refused(adsctl):
    assert "loopback only" in adsctl("emulator", "serve", "--host", "0.0.0.0", code=2).stderr


def test_a_port_that_is_taken_is_told(adsctl):
    process, address = serve(adsctl)
    try:
        done = adsctl("emulator", "serve", "--port", address.rsplit(":")[-1], code=2)
        assert "cannot listen" in done.stderr
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.parametrize("code", [0, 3, 77])
def test_exec_ends_with_the_code_of_its_command(adsctl, code):
    adsctl("emulator", "exec", "--", "sh", "-c", f"exit {code}", code=code)


def test_exec_gives_its_command_the_variables(adsctl):
    done = adsctl("emulator", "exec", "--", "sh", "-c", "env | grep ^ADSCTL_ | cut -d= -f1 | sort")
    addresses = {"ADSCTL_ADS_URL", "ADSCTL_BASE_URL", "ADSCTL_ADS_SANDBOX_URL"}
    keys = {"ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET"}
    tokens = {"ADSCTL_ACCESS_TOKEN", "ADSCTL_ACCESS_TOKEN_SECRET"}
    assert set(done.stdout.split()) >= addresses | keys | tokens | {
        "ADSCTL_ACCOUNT",
        "ADSCTL_CATALOG",
        "ADSCTL_EMULATOR",
    }


def test_exec_of_a_command_that_is_not_there_is_told(adsctl):
    assert "nowhere cannot be run" in adsctl("emulator", "exec", "--", "nowhere", code=2).stderr


def test_a_fault_that_is_none_is_told(adsctl):
    adsctl("emulator", "exec", "--fault", "PUT * sattus=503", "--", "true", code=2)


def test_reset_asks_and_begins_anew(adsctl):
    catalog = adsctl.local("catalog", "list", "-o", "ids").stdout.strip()
    adsctl.local("catalog", "rename", catalog, "--name", "Mine")
    adsctl("emulator", "reset", code=12)
    assert "Mine" in adsctl.local("catalog", "list").stdout
    adsctl("emulator", "reset", "--yes")
    assert "Mine" not in adsctl.local("catalog", "list").stdout
