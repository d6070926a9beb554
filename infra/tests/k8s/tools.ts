import { join } from 'node:path'
import { findFolder, findGoProgram, type GoProgram } from '../../native/installed.ts'

export const KUSTOMIZE: GoProgram = {
  name: 'kustomize',
  from: 'sigs.k8s.io/kustomize/kustomize/v5',
  version: 'v5.8.1',
}
export const KUBECONFORM: GoProgram = {
  name: 'kubeconform',
  from: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: 'v0.8.0',
}
/** The oldest version of Kubernetes that the manifests support. */
export const OLDEST = '1.33.0'

/** Kind, group and version of every object in the manifests, as kubeconform names their schemas. */
export const KINDS = [
  'configmap-v1',
  'cronjob-batch-v1',
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'namespace-v1',
  'networkpolicy-networking-v1',
  'persistentvolumeclaim-v1',
  'poddisruptionbudget-policy-v1',
  'secret-v1',
  'service-v1',
  'statefulset-apps-v1',
]

/** Another list is another folder. */
export const SCHEMAS_FOLDER = `kubernetes-schemas-${OLDEST}-${KINDS.length}`

export interface Tools {
  readonly kustomize: string
  readonly kubeconform: string
  /** kubeconform's pattern of schema files. */
  readonly schemas: string
}

/** Paths of the tools that check the manifests. Errors: ServerMissing. */
export async function findTools(): Promise<Tools> {
  return {
    kustomize: await findGoProgram(KUSTOMIZE),
    kubeconform: await findGoProgram(KUBECONFORM),
    schemas: join(await findFolder(SCHEMAS_FOLDER), '{{.ResourceKind}}{{.KindSuffix}}.json'),
  }
}
