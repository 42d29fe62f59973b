{{- define "warpcourt.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "warpcourt.selector" -}}
app.kubernetes.io/name: warpcourt
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "warpcourt.labels" -}}
{{ include "warpcourt.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "warpcourt.image" -}}
{{ printf "%s@%s" .repository .digest | quote }}
{{- end -}}

{{- /* What every pod has: no token of its account mounted, no privilege, none of the host's namespaces. */ -}}
{{- define "warpcourt.pod" -}}
serviceAccountName: {{ .account | default (include "warpcourt.name" .root) | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Of pods that run our own code alone. Workers have a profile of their own, see workers.yaml. */ -}}
{{- define "warpcourt.podSecurity" -}}
{{ include "warpcourt.identity" . }}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "warpcourt.identity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end -}}

{{- define "warpcourt.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- /* The settings of all parts. POD_IP is a host name by which the kubelet and Prometheus ask. */ -}}
{{- define "warpcourt.env" -}}
- name: POD_IP
  valueFrom: {fieldRef: {fieldPath: status.podIP}}
- {name: WARPCOURT_PUBLIC_URL, value: {{ .Values.publicUrl | quote }}}
- {name: WARPCOURT_ALLOWED_HOSTS, value: "localhost,127.0.0.1,$(POD_IP)"}
- {name: WARPCOURT_HOST, value: 0.0.0.0}
- {name: WARPCOURT_TRUSTED_PROXIES, value: {{ .Values.web.trustedProxies | quote }}}
- {name: WARPCOURT_DRAIN_S, value: {{ .Values.web.drainSeconds | quote }}}
- {name: WARPCOURT_LOG_FORMAT, value: json}
- {name: WARPCOURT_METRICS_HOST, value: 0.0.0.0}
- {name: WARPCOURT_METRICS_PORT, value: "9100"}
{{- range $key := concat (list "secret_key" "database_url" "broker_url" "metrics_token") .Values.secretKeys }}
- {name: WARPCOURT_{{ upper $key }}_FILE, value: /run/secrets/warpcourt/{{ $key }}}
{{- end }}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{- define "warpcourt.mounts" -}}
- {name: secrets, mountPath: /run/secrets/warpcourt, readOnly: true}
- {name: tmp, mountPath: /tmp}
- {name: runtime, mountPath: /run/warpcourt}
- {name: data, mountPath: /var/lib/warpcourt/data}
{{- if .Values.problemsClaim }}
- {name: problems, mountPath: /srv/warpcourt/problems, readOnly: true}
{{- end }}
{{- end -}}

{{- /* `sizes` are those of tmp, runtime and data. Everything that must survive is in the database. */ -}}
{{- define "warpcourt.volumes" -}}
- name: secrets
  secret: {secretName: {{ .root.Values.secretName | quote }}, defaultMode: 0440}
- name: tmp
  emptyDir: {sizeLimit: {{ index .sizes 0 }}}
- name: runtime
  emptyDir: {sizeLimit: {{ index .sizes 1 }}}
- name: data
  emptyDir: {sizeLimit: {{ index .sizes 2 }}}
{{- if .root.Values.problemsClaim }}
- name: problems
  persistentVolumeClaim: {claimName: {{ .root.Values.problemsClaim | quote }}, readOnly: true}
{{- end }}
{{- end -}}

{{- define "warpcourt.spread" -}}
topologySpreadConstraints:
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "warpcourt.selector" $ | nindent 8 }}
{{- end }}
{{- end -}}

{{- /* A probe of Warpcourt's own server for metrics and health. */ -}}
{{- define "warpcourt.probe" -}}
httpGet: {path: {{ .path }}, port: {{ .port }}}
timeoutSeconds: 5
periodSeconds: {{ .period }}
failureThreshold: {{ .failures }}
{{- end -}}

{{- /* The number of jobs in the queues of a pool. Each part is answered by a partial index. `slurmscale` asks the same. */ -}}
{{- define "warpcourt.queueQuery" -}}
{{- $queues := list -}}
{{- range .pool.queues }}{{ $queues = append $queues (printf "'%s'" .) }}{{ end -}}
{{- .root.Files.Get "files/unfinished_jobs.sql" | replace "QUEUES" (join ", " $queues) | replace "\n" " " | replace "   " " " | trim -}}
{{- end -}}

{{- /* A pool with the defaults. Each of its keys replaces that of the defaults as a whole, also with 0 or false. */ -}}
{{- define "warpcourt.pool" -}}
{{- $pool := deepCopy .root.Values.poolDefaults -}}
{{- range $key, $value := .given }}{{ $_ := set $pool $key $value }}{{ end -}}
{{- $pool | toYaml -}}
{{- end -}}

{{- /* The account of workers that write the deletion cost of their pods. */ -}}
{{- define "warpcourt.workerAccount" -}}
{{ include "warpcourt.name" . }}-worker-pod
{{- end -}}

{{- /* The components of the pools whose workers write it, as a JSON array. */ -}}
{{- define "warpcourt.deletionCostComponents" -}}
{{- $components := list -}}
{{- range $name, $given := .Values.pools -}}
{{- if (include "warpcourt.pool" (dict "root" $ "given" $given) | fromYaml).deletionCost }}{{ $components = append $components (printf "worker-%s" $name) }}{{ end -}}
{{- end -}}
{{- $components | toJson -}}
{{- end -}}
