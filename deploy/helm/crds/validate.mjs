// Reads lines on standard input, each a JSON array of manifests. Prints a line for each: an array of findings, one string
// per manifest, empty if it is valid.
import { createInterface } from "node:readline";

import { HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { TriggerAuthentication } from "@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication";
import { PodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";

const kinds = { HTTPRoute, ScaledObject, TriggerAuthentication, PodMonitor, PrometheusRule };

function finding(manifest) {
  const Kind = kinds[manifest.kind];
  if (!Kind) return `no schema for ${manifest.apiVersion} ${manifest.kind}`;
  try {
    new Kind(manifest).validate();
    return "";
  } catch (error) {
    return String(error.message);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(JSON.parse(line).map(finding))}\n`);
}
