{{/* The name of all objects. */}}
{{- define "ratchet.name" -}}
{{- if contains "ratchet-webhook" .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-ratchet-webhook" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "ratchet.selector" -}}
app.kubernetes.io/name: {{ include "ratchet.name" . }}
{{- end -}}

{{- define "ratchet.labels" -}}
{{ include "ratchet.selector" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "ratchet.selfSigned" -}}
{{- if eq .Values.certificates.source "selfSigned" -}}true{{- end -}}
{{- end -}}

{{/* The Secret with the authority that scrapers trust. */}}
{{- define "ratchet.secret" -}}
{{ include "ratchet.name" . }}-{{ if include "ratchet.selfSigned" . }}certs{{ else }}tls{{ end }}
{{- end -}}

{{/* A generated file with the names of this release in place of the usual ones. */}}
{{- define "ratchet.generated" -}}
{{- $names := printf ".%s.%s.svc" (include "ratchet.name" .context) .context.Release.Namespace -}}
{{- .context.Files.Get .file | replace ".ratchet-webhook.ratchet-system.svc" $names -}}
{{- end -}}

{{/* A webhook configuration: the generated one, with the values of this release. */}}
{{- define "ratchet.webhooks" -}}
{{- $context := .context -}}
{{- $values := $context.Values -}}
{{- $name := include "ratchet.name" $context -}}
{{- $namespace := $context.Release.Namespace -}}
{{- $object := include "ratchet.generated" . | fromYaml -}}
{{- $metadata := dict "name" $name "labels" (include "ratchet.labels" $context | fromYaml) -}}
{{- if not (include "ratchet.selfSigned" $context) -}}
{{- $_ := set $metadata "annotations" (dict "cert-manager.io/inject-ca-from" (printf "%s/%s" $namespace $name)) -}}
{{- end -}}
{{- $_ := set $object "metadata" $metadata -}}
{{- $unsent := append (without $values.unsentNamespaces $namespace) $namespace -}}
{{- range $webhook := $object.webhooks -}}
{{- $_ := set $webhook "failurePolicy" (eq $object.kind "MutatingWebhookConfiguration" | ternary "Ignore" $values.failurePolicy) -}}
{{- $_ := set $webhook "timeoutSeconds" (int $values.timeoutSeconds) -}}
{{- $_ := set $webhook.clientConfig.service "name" $name -}}
{{- $_ := set $webhook.clientConfig.service "namespace" $namespace -}}
{{- $_ := set $webhook.clientConfig.service "port" 443 -}}
{{- if $webhook.namespaceSelector -}}
{{- $expression := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" $unsent -}}
{{- $_ := set $webhook "namespaceSelector" (dict "matchExpressions" (list $expression)) -}}
{{- end -}}
{{- range $condition := $webhook.matchConditions -}}
{{- if eq $condition.name "is-controller" -}}
{{- $users := list -}}
{{- range $user := $values.mutate.users -}}
{{- if hasSuffix "*" $user -}}
{{- $users = append $users (printf "request.userInfo.username.startsWith(%s)" (trimSuffix "*" $user | quote)) -}}
{{- else -}}
{{- $users = append $users (printf "request.userInfo.username == %s" ($user | quote)) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $condition "expression" (join " || " $users) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $object -}}
{{- end -}}
