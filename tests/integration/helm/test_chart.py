"""The chart renders valid manifests for every allowed value, and refuses every other with its path."""

import copy
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.integration.helm import chart, policies
from tests.integration.helm.chart import (
    CHART,
    VERSIONS,
    HelmRefused,
    Manifest,
    example,
    findings,
    name_of,
    notes,
    render,
)
from tests.integration.helm.random_values import allowed_values, schema
from web.config import Config
from web.setting import PREFIX
from worker.pod_cost import ANNOTATION

pytestmark = pytest.mark.skipif(not chart.HELM.exists(), reason="helm is not installed: run make setup-test")
EXAMPLES = ("cpu", "full")
_OFTEN = settings(
    max_examples=50,
    deadline=None,
    database=None,
    phases=(Phase.generate,),  # shrinking takes minutes, and a finding names the manifest and the field
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_valid_in_every_version_of_kubernetes(name: str) -> None:
    versions = VERSIONS
    if name == "full":  # has a ResourceClaimTemplate
        with pytest.raises(HelmRefused, match=r"pools\.a100\.resourceClaim needs Kubernetes 1\.34 or newer"):
            render(example(name), kubernetes="1.33.5")
        versions = VERSIONS[VERSIONS.index("1.34") :]
    manifests = render(example(name))
    assert findings(manifests, versions) == []
    assert policies.findings(manifests) == []


def test_without_a_claim_everything_is_valid_in_every_version_of_kubernetes() -> None:
    values = example("full")
    del values["pools"]["a100"]
    assert findings(render(values, kubernetes="1.30.0")) == []


def test_the_schemas_find_a_misspelt_field_of_every_built_in_kind() -> None:
    for manifest in render(example("full")):
        if "spec" in manifest and not manifest["apiVersion"].startswith(chart.CUSTOM):
            misspelt = policies.spoiled(manifest, "spec/replcas", 1)
            assert findings([misspelt], versions=("1.37",)), name_of(manifest)


def test_the_schemas_find_a_kind_that_a_version_does_not_have() -> None:
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "gpu"}}
    (finding,) = findings([claim], versions=("1.33",))
    assert finding == "1.33 ResourceClaimTemplate/gpu: no such kind in this version"


@pytest.mark.parametrize("part", range(4))  # which workers of pytest share
def test_allowed_values_make_valid_manifests(part: int) -> None:
    seed(part)(_OFTEN(given(allowed_values())(_is_valid)))()


def _is_valid(values: Manifest) -> None:
    claims = False
    for pool in (*values["pools"].values(), values["poolDefaults"]):
        if pool.get("target") == "cpu":
            pool.pop("resourceClaim", None)
        if "resourceClaim" in pool:
            pool.pop("resources", None)  # may limit devices, too
            claims = True
        scaling = pool.get("autoscaling", {})
        if scaling.get("enabled"):
            scaling["maxReplicas"] = max(scaling["minReplicas"], scaling["maxReplicas"])
    if claims:
        _limit_no_devices(values["poolDefaults"])
    manifests = render(values)
    assert findings(manifests, versions=("1.34" if claims else "1.30", "1.37")) == []
    assert policies.findings(manifests) == []


def _limit_no_devices(pool: Manifest) -> None:
    limits = pool["resources"]["limits"]
    pool["resources"]["limits"] = {name: value for name, value in limits.items() if "/" not in name}


@seed(1)
@_OFTEN
@given(st.data())
def test_other_values_are_refused_with_their_path(data: st.DataObject) -> None:
    values = copy.deepcopy(example("full"))
    places = sorted(_places(values), key=str)
    path, holder = data.draw(st.sampled_from([place for place in places if isinstance(place[1], dict)]))
    if path[:1] == ("settings",) or _is_open(path):
        return
    holder["unknownValue"] = 1
    with pytest.raises(HelmRefused) as refusal:
        render(values)
    assert "unknownValue" in str(refusal.value)
    assert f"'/{'/'.join(path)}'" in str(refusal.value) or not path


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("publicUrl", "court.example.org"),
        ("secretName", ""),
        ("images/web/digest", "latest"),
        ("settings/WARPCOURT_MAX_IN_FLIHGT", 3),
        ("settings/WARPCOURT_SECRET_KEY", "x"),
        ("settings/WARPCOURT_OTLP_URL", "http://user:password@collector"),
        ("secretKeys/0", "secret_key"),
        ("pools/cpu/target", "tpu"),
        ("pools/cpu/queues", ["cpu'); DROP TABLE submissions_job; --"]),
        ("pools/cpu/resources", {"requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"cpu": 1}}),
        ("web/replicas", "two"),
        ("networkPolicy/database/cidrs/0", "10.1.0.300/32"),
        ("trial", {"enabled": True, "storage": "1Gi", "storageClassName": ""}),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(path: str, value: Any) -> None:
    values = example("full")
    holder: Any = values
    *parents, last = path.split("/")
    for key in parents:
        holder = holder[int(key)] if isinstance(holder, list) else holder.setdefault(key, {})
    holder[int(last) if isinstance(holder, list) else last] = value
    with pytest.raises(HelmRefused) as refusal:
        render(values)
    assert f"/{path}'" in str(refusal.value) or last in str(refusal.value)


def test_a_smallest_number_above_the_largest_is_refused() -> None:
    values = example("full")
    values["pools"]["cpu"]["autoscaling"] |= {"minReplicas": 9, "maxReplicas": 8}
    with pytest.raises(
        HelmRefused, match=r"pools\.cpu\.autoscaling: minReplicas is greater than maxReplicas"
    ):
        render(values)


@pytest.mark.parametrize(
    ("pool", "reason"),
    [
        ({"target": "cpu"}, r"pools\.a100\.resourceClaim: only a pool with target gpu claims a GPU"),
        (
            {
                "resources": {
                    "requests": {"cpu": 1, "memory": "1Gi"},
                    "limits": {"memory": "1Gi", "nvidia.com/gpu": 1},
                }
            },
            r"pools\.a100: has both resourceClaim and a limit of nvidia\.com/gpu; remove one",
        ),
    ],
)
def test_a_claim_that_cannot_work_is_refused(pool: Manifest, reason: str) -> None:
    values = example("full")
    values["pools"]["a100"] |= pool
    with pytest.raises(HelmRefused, match=reason):
        render(values)


def test_a_pool_may_claim_its_gpu() -> None:
    found = {name_of(manifest): manifest for manifest in render(example("full"))}
    template = found["ResourceClaimTemplate/court-worker-a100"]
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {
        "deviceClassName": "gpu.nvidia.com",
        "allocationMode": "ExactCount",
        "count": 1,
        "selectors": [
            {"cel": {"expression": "device.attributes['gpu.nvidia.com'].architecture == 'Ampere'"}}
        ],
    }
    pod = found["Deployment/court-worker-a100"]["spec"]["template"]["spec"]
    assert pod["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "court-worker-a100"}]
    assert pod["containers"][0]["resources"]["claims"] == [{"name": "gpu"}]
    assert "resourceClaims" not in found["Deployment/court-worker-h200"]["spec"]["template"]["spec"]


def test_a_pool_without_deletion_cost_has_no_account_of_its_own() -> None:
    found = {name_of(manifest): manifest for manifest in render(example("full"))}
    accounts = {
        name: manifest["spec"]["template"]["spec"]["serviceAccountName"]
        for name, manifest in found.items()
        if manifest["kind"] == "Deployment"
    }
    assert {name for name, account in accounts.items() if account == "court-worker-pod"} == {
        "Deployment/court-worker-a100",
        "Deployment/court-worker-h200",
    }
    kinds = {manifest["kind"] for manifest in render(example("cpu"))}
    assert kinds.isdisjoint({"Role", "RoleBinding", "ValidatingAdmissionPolicy"})


def test_the_account_of_workers_is_limited_to_the_cost_of_their_own_pods() -> None:
    found = {manifest["kind"]: manifest for manifest in render(example("full"))}
    policy, binding = found["ValidatingAdmissionPolicy"], found["ValidatingAdmissionPolicyBinding"]
    (condition,) = policy["spec"]["matchConditions"]
    assert (
        condition["expression"]
        == 'request.userInfo.username == "system:serviceaccount:courts:court-worker-pod"'
    )
    said = " ".join(validation["expression"] for validation in policy["spec"]["validations"])
    for part in ("spec", "labels", "annotations", "finalizers", "ownerReferences", ANNOTATION, "pod-name"):
        assert part in said
    assert binding["spec"]["policyName"] == policy["metadata"]["name"]
    assert binding["spec"]["validationActions"] == ["Deny"]
    without = example("full") | {"deletionCostPolicy": False}
    assert "ValidatingAdmissionPolicy" not in {manifest["kind"] for manifest in render(without)}


def test_the_notes_say_that_no_peer_reaches_the_web_servers() -> None:
    values = example("cpu")
    assert "networkPolicy.webFrom is empty" in notes(values)
    assert "networkPolicy.webFrom" not in notes(values | {"networkPolicy": {"enabled": False}})
    assert "networkPolicy.webFrom" not in notes(example("full"))


def test_zero_and_false_replace_the_defaults_of_pools() -> None:
    values = example("cpu") | {"poolDefaults": {"deletionCost": True, "replicas": 3}}
    values["pools"]["cpu"] |= {"replicas": 0, "stopGraceSeconds": 0, "deletionCost": False}
    found = {name_of(manifest): manifest for manifest in render(values)}
    deployment = found["Deployment/court-worker-cpu"]["spec"]
    assert deployment["replicas"] == 0
    assert deployment["template"]["spec"]["terminationGracePeriodSeconds"] == 30
    assert deployment["template"]["spec"]["serviceAccountName"] == "court"


def test_the_schema_knows_every_setting_that_the_chart_does_not_make() -> None:
    known = set(schema()["properties"]["settings"]["properties"])
    secrets = {f"{PREFIX}{key.upper()}" for key in schema()["properties"]["secretKeys"]["items"]["enum"]}
    everything = {f"{PREFIX}{field.name.upper()}" for field in fields(Config)}
    values = example("full")
    made = {
        variable["name"].removesuffix("_FILE")
        for _, pod in policies.pods(render(values))
        for container in pod["containers"]
        for variable in container["env"]
    }
    assert known <= everything
    assert known.isdisjoint(secrets)
    # Not offered: what an image decides, and what makes no sense in a pod
    left = everything - known - secrets - made
    assert left == {
        f"{PREFIX}{name}"
        for name in (
            *("DATA_DIR", "PROBLEMS_DIR", "IMPORTS_DIR", "RUNTIME_DIR", "BACKUP_DIR", "PORT", "DEBUG"),
            *("IMAGES", "CONTAINER_RUNTIME", "GPUS", "SITE_URL", "NODE_KEY", "BOARD_KEY"),
        )
    }


def test_an_upgrade_touches_no_selector() -> None:
    before = {name_of(m): m for m in render(example("full"))}
    newer = example("full")
    digest = newer["images"]["web"]["digest"].replace("0", "1")
    newer["images"]["web"]["digest"] = digest
    newer["pools"]["cpu"]["image"]["digest"] = digest
    newer["web"] = {"replicas": 5}
    newer["settings"] = {}
    after = {name_of(m): m for m in render(newer)}
    assert before.keys() == after.keys()
    for name, manifest in before.items():
        if manifest["kind"] in {"Deployment", "StatefulSet"}:
            assert manifest["spec"]["selector"] == after[name]["spec"]["selector"]
            assert manifest["spec"].get("serviceName") == after[name]["spec"].get("serviceName")
            assert manifest["spec"].get("volumeClaimTemplates") == after[name]["spec"].get(
                "volumeClaimTemplates"
            )


def test_a_release_of_any_name_keeps_the_policies() -> None:
    for release in ("0", "a" * 53):
        manifests = render(example("full"), release=release)
        assert findings(manifests, versions=("1.37",)) == []
        assert policies.findings(manifests) == []


def test_comments_of_the_chart_name_what_exists() -> None:
    values = (CHART / "values.yaml").read_text()
    for path in re.findall(r"\b(?:docs|deploy)/[\w./-]+", values):
        assert (chart.ROOT / path.rstrip(".")).exists(), path
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]


def _places(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*path, str(key)))


def _is_open(path: tuple[str, ...]) -> bool:
    """Whether the object at `path` takes any key: labels, annotations, pools."""
    return bool(path) and path[-1] in {"nodeSelector", "matchLabels", "labels", "annotations", "pools"}
