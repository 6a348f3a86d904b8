"""The manifest of docs/cluster.md."""

import re
from importlib.metadata import entry_points

import yaml

from tests.adsctl import ROOT

DOCUMENT = (ROOT / "docs" / "cluster.md").read_text()
MANIFEST = [*yaml.safe_load_all((ROOT / "examples" / "kubernetes" / "fleet.yaml").read_text())]


def pods() -> list[dict]:
    specs = [entry["spec"] for entry in MANIFEST if entry["kind"] in ("Deployment", "StatefulSet", "CronJob")]
    jobs = [spec.get("jobTemplate", {"spec": spec})["spec"] for spec in specs]
    return [job["template"] for job in jobs]


def options_of(command: str) -> set[str]:
    """Return the options that `dask COMMAND` takes."""
    (command_entry,) = entry_points(group="dask_cli", name=command)
    return {
        option
        for parameter in command_entry.load().params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


def test_the_containers_run_commands_that_exist(adsctl):
    containers = [pod["spec"]["containers"][0] for pod in pods()]
    scheduler, worker, fleet = (container.get("command") or container["args"] for container in containers)
    for program, name, *words in (scheduler, worker):
        options = [word for word in words if word.startswith("--")]
        assert program == "dask" and all(option in options_of(name) for option in options)
    file = adsctl.file("agency.yaml", "tasks: [{name: a, run: products nothing}]\n")
    words = [str(file) if word.endswith("agency.yaml") else word for word in fleet]
    assert "agency.yaml:1" in adsctl(*words, code=3).stderr  # the options are right, and the file is read


def test_nobody_else_reaches_the_cluster_and_no_container_is_root():
    (policy,) = [entry["spec"] for entry in MANIFEST if entry["kind"] == "NetworkPolicy"]
    label = policy["podSelector"]["matchLabels"]
    assert policy["ingress"] == [{"from": [{"podSelector": {"matchLabels": label}}]}]
    for pod in pods():
        assert pod["metadata"]["labels"].items() >= label.items()
        assert pod["spec"]["securityContext"]["runAsNonRoot"]
        (container,) = pod["spec"]["containers"]
        assert not container["securityContext"]["allowPrivilegeEscalation"]


def test_secrets_are_mounted_for_workers_alone():
    with_secrets = [pod for pod in pods() if any("secret" in volume for volume in pod["spec"]["volumes"])]
    assert [pod["metadata"]["labels"]["app.kubernetes.io/name"] for pod in with_secrets] == ["adsctl-worker"]


def test_every_option_of_the_documented_commands_exists():
    for name in ("scheduler", "worker"):
        lines = re.findall(rf"dask {name} ([^\n;&\"]*)", DOCUMENT)
        options = {word for line in lines for word in re.findall(r"--[\w-]+", line)}
        assert options and all(option in options_of(name) for option in options)
