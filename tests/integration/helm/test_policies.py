"""Tests that every policy rejects a manifest that violates it on purpose."""

from typing import Any

import pytest

from tests.integration.helm import chart, policies
from tests.integration.helm.chart import Manifest, example, name_of, render
from tests.integration.helm.policies import RULES, spoiled

pytestmark = pytest.mark.skipif(not chart.HELM.exists(), reason="helm is not installed: run make setup-test")
POD = "spec/template/spec"
CONTAINER = f"{POD}/containers/0"
TOKEN = f"{POD}/volumes/6/projected/sources/0/serviceAccountToken"
WEB, WORKER = "Deployment/court-web", "Deployment/court-worker-cpu"
ROLE, GPU_WORKER = "Role/court-worker-pod", "Deployment/court-worker-h200"
SPOILED = {
    "limits_memory": (WEB, f"{CONTAINER}/resources/limits", {"cpu": 1}),
    "requests_cpu_and_memory": (WEB, f"{CONTAINER}/resources/requests", {"cpu": 1}),
    "root_is_read_only": (WEB, f"{CONTAINER}/securityContext/readOnlyRootFilesystem", None),
    "no_privilege_is_gained": (WEB, f"{CONTAINER}/securityContext/allowPrivilegeEscalation", None),
    "no_capability": (WEB, f"{CONTAINER}/securityContext/capabilities", {"add": ["SYS_ADMIN"]}),
    "not_privileged": (WEB, f"{CONTAINER}/securityContext/privileged", True),
    "image_by_digest": (WEB, f"{CONTAINER}/image", "warpcourt/web:latest"),
    "no_secret_in_the_environment": (
        WEB,
        f"{CONTAINER}/env/0",
        {"name": "WARPCOURT_DATABASE_URL", "value": "postgres://a:b@c/d"},
    ),
    "no_variable_twice": (WEB, f"{CONTAINER}/env/0", {"name": "WARPCOURT_HOST", "value": "::"}),
    "ports_have_names": (WEB, f"{CONTAINER}/ports/0/name", None),
    "no_port_of_the_host": (WEB, f"{CONTAINER}/ports/0/hostPort", 80),
    "none_of_the_hosts_namespaces": (WEB, f"{POD}/hostPID", True),
    "no_path_of_the_host": (WEB, f"{POD}/volumes/0", {"name": "secrets", "hostPath": {"path": "/"}}),
    "no_account_token": (WEB, f"{POD}/automountServiceAccountToken", True),
    "no_service_links": (WEB, f"{POD}/enableServiceLinks", None),
    "not_root_but_in_a_user_namespace": (WEB, f"{POD}/securityContext/runAsUser", 0),
    "has_a_seccomp_profile": (WORKER, f"{POD}/securityContext/seccompProfile", {"type": "Unconfined"}),
    "proc_is_masked_unless_in_a_user_namespace": (WORKER, f"{POD}/hostUsers", True),
    "volumes_are_bounded": (WEB, f"{POD}/volumes/1/emptyDir", {}),
    "mounts_have_volumes": (WEB, f"{CONTAINER}/volumeMounts/0/name", "other"),
    "probes_differ": (WEB, f"{CONTAINER}/livenessProbe", None),
    "a_kill_comes_after_the_grace": (WORKER, f"{POD}/terminationGracePeriodSeconds", 60),
    "judging_pods_are_not_evicted": (WORKER, "spec/template/metadata/annotations", {}),
    "a_disruption_budget_selects_every_server": (WEB, "spec/template/metadata/labels/a", "b"),
    "a_network_policy_selects_every_pod": (WEB, "spec/template/metadata/labels", {"a": "b"}),
    "selectors_match_their_own_pods_alone": (WEB, "spec/selector/matchLabels", {}),
    "labels_are_complete": (WEB, "metadata/labels", {}),
    "names_are_unique_and_short": (WEB, "metadata/name", "court-worker-cpu"),
    "no_secret_is_made": (WEB, "kind", "Secret"),
    "no_rights_but_to_patch_pods": (ROLE, "rules/0/verbs", ["patch", "delete"]),
}
# What rules with several parts find in addition.
ALSO_SPOILED: tuple[tuple[str, str, str, Any], ...] = (
    ("no_account_token", GPU_WORKER, f"{TOKEN}/expirationSeconds", 86400),
    ("no_account_token", GPU_WORKER, f"{TOKEN}/expirationSeconds", None),
    ("no_account_token", GPU_WORKER, f"{CONTAINER}/env", []),
    ("no_rights_but_to_patch_pods", ROLE, "kind", "ClusterRole"),
    ("no_rights_but_to_patch_pods", ROLE, "rules/0/resources", ["*"]),
    ("no_rights_but_to_patch_pods", WEB, f"{POD}/serviceAccountName", "court-worker-pod"),
)
# The budget of a server is missing, not wrong: this one is spoiled by leaving the budget out.
WITHOUT = {"a_disruption_budget_selects_every_server": "PodDisruptionBudget/court-web"}


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return render(example("full"))


def test_there_is_a_spoiled_manifest_for_every_policy() -> None:
    assert SPOILED.keys() == RULES.keys()


@pytest.mark.parametrize("rule", SPOILED)
def test_a_policy_finds_what_it_is_for(rule: str, manifests: list[Manifest]) -> None:
    name, path, value = SPOILED[rule]
    changed: list[Any] = [
        spoiled(manifest, path, value) if name_of(manifest) == name else manifest
        for manifest in manifests
        if name_of(manifest) != WITHOUT.get(rule)
    ]
    assert list(RULES[rule](manifests)) == []
    assert list(RULES[rule](changed))
    assert any(finding.startswith(f"{rule}: ") for finding in policies.findings(changed))


@pytest.mark.parametrize(("rule", "name", "path", "value"), ALSO_SPOILED)
def test_each_part_of_a_policy_finds_what_it_is_for(
    rule: str, name: str, path: str, value: Any, manifests: list[Manifest]
) -> None:
    changed = [spoiled(m, path, value) if name_of(m) == name else m for m in manifests]
    assert list(RULES[rule](changed))
