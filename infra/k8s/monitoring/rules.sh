#!/bin/sh
# Writes rules.yaml: the rules of infra/observability/prometheus/alerts.yml as an object of the Prometheus operator, each with the
# label `namespace` (NAMESPACE, else prelude), without which no AlertmanagerConfig of that namespace matches an alert.
set -eu
cd "$(dirname "$0")"
{
  printf 'apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: { name: prelude }\nspec:\n'
  sed -e 's/^/  /' -e "s/ labels: {/ labels: { namespace: ${NAMESPACE:-prelude},/" ../../observability/prometheus/alerts.yml
} > rules.yaml
