{{- define "sextant.labels" -}}
app.kubernetes.io/name: sextant
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sextant.selector" -}}
app.kubernetes.io/name: sextant
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* How many pods a deployment asks for: nothing where it is scaled, or each upgrade would take back what was grown. */}}
{{- define "sextant.replicas" -}}
{{- if not (include "sextant.scaled" .) }}replicas: {{ .replicas }}{{ end }}
{{- end }}

{{- define "sextant.scaled" -}}
{{- if gt (int .maxReplicas) (int .replicas) }}yes{{ end }}
{{- end }}

{{- define "sextant.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "sextant.env" -}}
- {name: SEXTANT_ENV, value: production}
- {name: ALLOWED_HOSTS, value: {{ join "," .Values.hosts | quote }}}
- {name: TRUST_PROXY, value: "true"}
- {name: SITE_URL, value: {{ printf "https://%s" (first .Values.hosts) | quote }}}
{{- range $name, $value := .Values.env }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end }}

{{- /* What all pods share: no root, no way to become it, nothing to write but var and tmp. */}}
{{- define "sextant.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {sizeLimit: 1Gi}
  - name: local
    emptyDir: {sizeLimit: 1Gi}
  - name: files
    {{- if .Values.storage.enabled }}
    persistentVolumeClaim: {claimName: {{ .Release.Name }}-files}
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end }}

{{- define "sextant.container" -}}
image: {{ include "sextant.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
env: {{ include "sextant.env" . | nindent 2 }}
envFrom:
  - secretRef: {name: {{ .Values.secretName }}}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: local, mountPath: /app/var}
  - {name: files, mountPath: /app/var/files}
{{- end }}
