"""Renders the chart, and validates the manifests by the schemas of Kubernetes and of custom resources."""

import functools
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from jsonschema_rs import Draft202012, Draft202012Validator, Registry

ROOT = Path(__file__).resolve().parents[3]
CHART = ROOT / "deploy" / "helm" / "warpcourt"
CRDS = ROOT / "deploy" / "helm" / "crds"
HELM = ROOT / ".venv" / "bin" / "helm"
_HELM_BUFFER = 4096  # Helm reads JSON with a length that is a multiple of this as empty
NODE = ROOT / ".venv" / "bin" / "node"
VERSIONS = tuple(f"1.{minor}" for minor in range(30, 38))  # of Kubernetes
Manifest = dict[str, Any]
# The package's own validator, in Python, would take most of the tests' time.
_SCHEMAS = files("kubernetes_validate") / "kubernetes-json-schema"
CUSTOM = ("keda.sh/", "monitoring.coreos.com/", "gateway.networking.k8s.io/")


class _Loader(yaml.CSafeLoader):
    """Reads YAML as Kubernetes does: `=` is a string. Far faster than the loader in Python."""


_Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)


class HelmRefused(Exception):
    """Raised when helm does not render the chart. Contains its output."""


def example(name: str) -> Manifest:
    """Return the values of `ci/NAME-values.yaml`."""
    found: Manifest = yaml.safe_load((CHART / "ci" / f"{name}-values.yaml").read_text())
    return found


def merged(values: Mapping[str, Any]) -> Manifest:
    """Return `values` merged into the defaults of the chart, as helm does."""
    defaults: Manifest = yaml.safe_load((CHART / "values.yaml").read_text())
    return _over(defaults, values)


def render(values: Mapping[str, Any], *, release: str = "court", kubernetes: str = "1.35") -> list[Manifest]:
    """Return the manifests of the chart for a version of Kubernetes. Raises HelmRefused."""
    printed = _helm("template", values, release, "--kube-version", kubernetes)
    return [manifest for manifest in yaml.load_all(printed, _Loader) if manifest]


def notes(values: Mapping[str, Any]) -> str:
    """Return the notes that helm prints after an installation. Raises HelmRefused."""
    return _helm("install", values, "court", "--dry-run=client").partition("\nNOTES:\n")[2]


def _helm(command: str, values: Mapping[str, Any], release: str, *options: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        text = json.dumps(values)
        file.write(text if len(text) % _HELM_BUFFER else f"{text}\n")
        file.flush()
        done = subprocess.run(
            [HELM, command, release, CHART, "--namespace", "courts", "--values", file.name, *options],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"GOGC": "off"},  # the program ends before garbage collection would help
        )
    if done.returncode:
        raise HelmRefused(done.stderr)
    return done.stdout


def findings(manifests: Iterable[Manifest], versions: Iterable[str] = VERSIONS) -> list[str]:
    """Return the errors by the schemas of these versions of Kubernetes and of custom resources."""
    manifests = list(manifests)
    custom = [manifest for manifest in manifests if manifest["apiVersion"].startswith(CUSTOM)]
    built_in = [manifest for manifest in manifests if manifest not in custom]
    found = _custom_findings(custom)
    for version in versions:
        for manifest in built_in:
            schema = _schema(version, manifest["apiVersion"], manifest["kind"])
            errors = schema.iter_errors(manifest) if schema else ["no such kind in this version"]
            found += (f"{version} {name_of(manifest)}: {error}" for error in errors)
    return found


@functools.cache
def _schema(version: str, api: str, kind: str) -> Draft202012Validator | None:
    """Return the validator of a kind in a version of Kubernetes, None if that version lacks the kind."""
    group, _, api_version = api.rpartition("/")
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], api_version)))
    file = _SCHEMAS / f"v{version}.0-local-strict" / f"{name}.json"
    if not file.is_file():
        return None
    return Draft202012Validator(json.loads(file.read_text()), registry=_definitions(version))


@functools.cache
def _definitions(version: str) -> Registry:
    read = json.loads((_SCHEMAS / f"v{version}.0-local-strict" / "_definitions.json").read_text())
    return Registry([(read["$id"], read)], draft=Draft202012)


def name_of(manifest: Manifest) -> str:
    """Return the kind and the name."""
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


def _custom_findings(manifests: list[Manifest]) -> list[str]:
    if not manifests:
        return []
    validator = _validator()
    assert validator.stdin
    assert validator.stdout
    validator.stdin.write(json.dumps(manifests) + "\n")
    validator.stdin.flush()
    said = zip(manifests, json.loads(validator.stdout.readline()), strict=True)
    return [f"{name_of(manifest)}: {finding}" for manifest, finding in said if finding]


@functools.cache
def _validator() -> "subprocess.Popen[str]":
    """Start Node with the schemas, because loading them takes longer than using them.

    It ends with this process.
    """
    return subprocess.Popen(
        [NODE, CRDS / "validate.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CRDS
    )


def _over(base: Manifest, values: Mapping[str, Any]) -> Manifest:
    both = dict(base)
    for key, value in values.items():
        inner = both.get(key)
        both[key] = _over(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return both
