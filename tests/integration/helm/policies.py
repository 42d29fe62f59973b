"""The rules for every manifest of the chart, for all values. Each rule yields its findings."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.integration.helm.chart import Manifest, name_of

Rule = Callable[[Sequence[Manifest]], Iterator[str]]
RULES: dict[str, Rule] = {}
_POD_KINDS = {"Deployment", "StatefulSet", "DaemonSet", "Job"}
_SERVING = {"Deployment", "StatefulSet"}
_DIGEST = re.compile(r".+@sha256:[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_COMMON = ("app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component")
_PATCH_PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["patch"]}
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def findings(manifests: Sequence[Manifest]) -> list[str]:
    """Return the findings of the rules on `manifests`."""
    return [f"{name}: {finding}" for name, rule in RULES.items() for finding in rule(manifests)]


def pods(manifests: Sequence[Manifest]) -> Iterator[tuple[str, Manifest]]:
    """Yield the name and the pod specification of each manifest that creates pods."""
    for manifest in manifests:
        if manifest["kind"] == "Pod":
            yield name_of(manifest), manifest["spec"]
        elif manifest["kind"] in _POD_KINDS:
            yield name_of(manifest), manifest["spec"]["template"]["spec"]


def _labels_of_pods(manifest: Manifest) -> Mapping[str, str]:
    labels: Mapping[str, str] = (
        manifest["metadata"]["labels"]
        if manifest["kind"] == "Pod"
        else manifest["spec"]["template"]["metadata"]["labels"]
    )
    return labels


def _rule(check: Callable[[Sequence[Manifest]], Iterator[str]]) -> Rule:
    RULES[check.__name__] = check
    return check


def _of_pods(check: Callable[[Manifest], str]) -> Rule:
    def rule(manifests: Sequence[Manifest]) -> Iterator[str]:
        for name, pod in pods(manifests):
            if finding := check(pod):
                yield f"{name}: {finding}"

    RULES[check.__name__] = rule
    return rule


def _of_containers(check: Callable[[Manifest], str]) -> Rule:
    def rule(manifests: Sequence[Manifest]) -> Iterator[str]:
        for name, pod in pods(manifests):
            for container in (*pod["containers"], *pod.get("initContainers", ())):
                if finding := check(container):
                    yield f"{name}, {container['name']}: {finding}"

    RULES[check.__name__] = rule
    return rule


def _judges(pod: Manifest) -> bool:
    return any("WARPCOURT_ISOLATION" in str(c.get("env")) for c in pod["containers"])


@_of_containers
def limits_memory(container: Manifest) -> str:
    return "" if "memory" in container.get("resources", {}).get("limits", {}) else "no memory limit"


@_of_containers
def requests_cpu_and_memory(container: Manifest) -> str:
    missing = {"cpu", "memory"} - container.get("resources", {}).get("requests", {}).keys()
    return f"no request of {sorted(missing)}" if missing else ""


@_of_containers
def root_is_read_only(container: Manifest) -> str:
    return "" if container.get("securityContext", {}).get("readOnlyRootFilesystem") else "a writable root"


@_of_containers
def no_privilege_is_gained(container: Manifest) -> str:
    context = container.get("securityContext", {})
    return "" if context.get("allowPrivilegeEscalation") is False else "may gain privileges"


@_of_containers
def no_capability(container: Manifest) -> str:
    capabilities = container.get("securityContext", {}).get("capabilities", {})
    return "" if capabilities == {"drop": ["ALL"]} else f"capabilities {capabilities}"


@_of_containers
def not_privileged(container: Manifest) -> str:
    return "privileged" if container.get("securityContext", {}).get("privileged") else ""


@_of_containers
def image_by_digest(container: Manifest) -> str:
    return "" if _DIGEST.fullmatch(container["image"]) else f"image {container['image']}"


@_of_containers
def no_secret_in_the_environment(container: Manifest) -> str:
    for variable in container.get("env", ()):
        from_secret = "secretKeyRef" in variable.get("valueFrom", {})
        if from_secret or (
            re.search(r"(PASSWORD|SECRET_KEY|TOKEN|_URL)$", variable["name"])
            and ("@" in str(variable.get("value", "")))
        ):
            return variable["name"]
    return ""


@_of_containers
def no_variable_twice(container: Manifest) -> str:
    names = [variable["name"] for variable in container.get("env", ())]
    return "" if len(names) == len(set(names)) else f"{sorted({n for n in names if names.count(n) > 1})}"


@_of_containers
def ports_have_names(container: Manifest) -> str:
    return "" if all("name" in port for port in container.get("ports", ())) else "a port without a name"


@_of_containers
def no_port_of_the_host(container: Manifest) -> str:
    return "hostPort" if any("hostPort" in port for port in container.get("ports", ())) else ""


@_of_pods
def none_of_the_hosts_namespaces(pod: Manifest) -> str:
    return ", ".join(key for key in ("hostNetwork", "hostPID", "hostIPC") if pod.get(key))


@_of_pods
def no_path_of_the_host(pod: Manifest) -> str:
    return ", ".join(volume["name"] for volume in pod.get("volumes", ()) if "hostPath" in volume)


@_of_pods
def no_account_token(pod: Manifest) -> str:
    """Only workers that write the deletion cost of their pods have a token: one file, for an hour at most."""
    if pod.get("automountServiceAccountToken") is not False:
        return "has the token of an account"
    tokens = [
        source["serviceAccountToken"]
        for volume in pod.get("volumes", ())
        for source in volume.get("projected", {}).get("sources", ())
        if "serviceAccountToken" in source
    ]
    if tokens and not _judges(pod):
        return "has a token and is no worker"
    if len(tokens) > 1 or any(token.get("expirationSeconds", 3601) > 3600 for token in tokens):
        return "tokens that live long"
    return ""


@_of_pods
def no_service_links(pod: Manifest) -> str:
    """Otherwise services of the namespace would add variables that look like settings."""
    return "" if pod.get("enableServiceLinks") is False else "enableServiceLinks"


@_of_pods
def not_root_but_in_a_user_namespace(pod: Manifest) -> str:
    context = pod.get("securityContext", {})
    if pod.get("hostUsers") is False or (context.get("runAsNonRoot") and context.get("runAsUser")):
        return ""
    return "may run as root of the node"


@_of_pods
def has_a_seccomp_profile(pod: Manifest) -> str:
    wanted = "Localhost" if _judges(pod) else "RuntimeDefault"
    kind = pod.get("securityContext", {}).get("seccompProfile", {}).get("type")
    return "" if kind == wanted else f"{kind} instead of {wanted}"


@_of_pods
def proc_is_masked_unless_in_a_user_namespace(pod: Manifest) -> str:
    unmasked = any(c.get("securityContext", {}).get("procMount") == "Unmasked" for c in pod["containers"])
    return "procMount Unmasked" if unmasked and pod.get("hostUsers") is not False else ""


@_of_pods
def volumes_are_bounded(pod: Manifest) -> str:
    empty = (volume for volume in pod.get("volumes", ()) if "emptyDir" in volume)
    return ", ".join(volume["name"] for volume in empty if "sizeLimit" not in volume["emptyDir"])


@_of_pods
def mounts_have_volumes(pod: Manifest) -> str:
    known = {volume["name"] for volume in pod.get("volumes", ())} | {"data"}
    mounted = {mount["name"] for c in pod["containers"] for mount in c.get("volumeMounts", ())}
    return ", ".join(sorted(mounted - known))


@_rule
def probes_differ(manifests: Sequence[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        if manifest["kind"] not in _SERVING:
            continue
        for container in manifest["spec"]["template"]["spec"]["containers"]:
            probes = [str(container.get(name)) for name in _PROBES]
            if "None" in probes or len(set(probes)) < len(_PROBES):
                yield name_of(manifest)


@_rule
def a_kill_comes_after_the_grace(manifests: Sequence[Manifest]) -> Iterator[str]:
    for name, pod in pods(manifests):
        for container in pod["containers"]:
            values = {variable["name"]: variable.get("value") for variable in container.get("env", ())}
            grace_s = int(values.get("WARPCOURT_STOP_GRACE_S") or 0)
            if grace_s and pod["terminationGracePeriodSeconds"] <= grace_s:
                yield name


@_rule
def judging_pods_are_not_evicted(manifests: Sequence[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        if manifest["kind"] in _SERVING and _judges(manifest["spec"]["template"]["spec"]):
            annotations = manifest["spec"]["template"]["metadata"].get("annotations", {})
            if annotations.get("cluster-autoscaler.kubernetes.io/safe-to-evict") != "false":
                yield name_of(manifest)


@_rule
def a_disruption_budget_selects_every_server(manifests: Sequence[Manifest]) -> Iterator[str]:
    budgets = [m["spec"]["selector"]["matchLabels"] for m in manifests if m["kind"] == "PodDisruptionBudget"]
    for manifest in manifests:
        if manifest["kind"] in _SERVING:
            labels = _labels_of_pods(manifest)
            if sum(budget.items() <= labels.items() for budget in budgets) != 1:
                yield name_of(manifest)


@_rule
def a_network_policy_selects_every_pod(manifests: Sequence[Manifest]) -> Iterator[str]:
    policies = [m["spec"] for m in manifests if m["kind"] == "NetworkPolicy"]
    denying = [
        policy["podSelector"].get("matchLabels", {})
        for policy in policies
        if set(policy["policyTypes"]) == {"Ingress", "Egress"} and not policy.get("ingress")
    ]
    for manifest in manifests:
        if policies and (manifest["kind"] in _POD_KINDS or manifest["kind"] == "Pod"):
            labels = _labels_of_pods(manifest)
            if not any(selector.items() <= labels.items() for selector in denying):
                yield name_of(manifest)


@_rule
def selectors_match_their_own_pods_alone(manifests: Sequence[Manifest]) -> Iterator[str]:
    owners = [m for m in manifests if m["kind"] in _SERVING]
    for manifest in owners:
        selector = manifest["spec"]["selector"]["matchLabels"]
        matched = [name_of(o) for o in owners if selector.items() <= _labels_of_pods(o).items()]
        if matched != [name_of(manifest)]:
            yield f"{name_of(manifest)} selects {matched}"


@_rule
def labels_are_complete(manifests: Sequence[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        missing = set(_COMMON) - manifest["metadata"].get("labels", {}).keys()
        if missing:
            yield f"{name_of(manifest)}: {sorted(missing)}"


@_rule
def names_are_unique_and_short(manifests: Sequence[Manifest]) -> Iterator[str]:
    names = [name_of(manifest) for manifest in manifests]
    for manifest in manifests:
        name = manifest["metadata"]["name"]
        if names.count(name_of(manifest)) > 1 or not _NAME.fullmatch(name):
            yield name_of(manifest)


@_rule
def no_secret_is_made(manifests: Sequence[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        if manifest["kind"] == "Secret":
            yield name_of(manifest)


@_rule
def no_rights_but_to_patch_pods(manifests: Sequence[Manifest]) -> Iterator[str]:
    """No account has rights in the cluster, and only the account of workers has rights in the namespace."""
    for manifest in manifests:
        if manifest["kind"].startswith("ClusterRole"):
            yield name_of(manifest)
        elif manifest["kind"] == "Role" and manifest["rules"] != [_PATCH_PODS]:
            yield f"{name_of(manifest)}: {manifest['rules']}"
    accounts = {subject["name"] for m in manifests if m["kind"] == "RoleBinding" for subject in m["subjects"]}
    for name, pod in pods(manifests):
        if pod.get("serviceAccountName") in accounts and not _judges(pod):
            yield f"{name} has rights"


def spoiled(manifest: Manifest, path: str, value: Any) -> Manifest:
    """Return a copy of `manifest` with `value` at `path`, or without `path` if `value` is None."""
    key, _, rest = path.partition("/")
    at: Any = int(key) if isinstance(manifest, list) else key
    copy: Any = list(manifest) if isinstance(manifest, list) else dict(manifest)
    if rest:
        copy[at] = spoiled(copy[at], rest, value)
    elif value is None:
        del copy[at]
    else:
        copy[at] = value
    return copy
