import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { ServerMissing } from '../servers/server-missing.ts'
import { findTools, type Tools } from './tools.ts'

export const K8S = resolve(import.meta.dirname, '../../k8s')

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme?: string }
}

interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly ports: readonly { readonly name: string }[]
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string }
    readonly limits: object
  }
  readonly securityContext: object
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
}

export interface Volume {
  readonly name: string
  readonly configMap?: { readonly name: string }
  readonly secret?: { readonly secretName: string; readonly defaultMode: number }
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
}

export interface Pod {
  readonly containers: readonly Container[]
  readonly volumes: readonly Volume[]
  readonly automountServiceAccountToken: boolean
  readonly restartPolicy?: string
  readonly securityContext: object
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[]
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly podSelector?: Selector
    readonly ingress?: readonly { readonly from?: readonly { readonly podSelector?: Selector }[] }[]
    readonly egress?: readonly { readonly ports: readonly { readonly port: number | string }[] }[]
    readonly jobTemplate?: {
      readonly spec: Pick<Manifest['spec'], 'template' | 'activeDeadlineSeconds' | 'podFailurePolicy'>
    }
    readonly activeDeadlineSeconds?: number
    readonly podFailurePolicy?: {
      readonly rules: readonly {
        readonly action: string
        readonly onExitCodes: { readonly values: number[] }
      }[]
    }
    readonly schedule?: string
    readonly volumes?: readonly Volume[]
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly suspend?: boolean
    readonly maxReplicas?: number
    readonly metrics?: readonly [
      { readonly resource: { readonly target: { readonly averageUtilization: number } } },
    ]
    readonly behavior?: { readonly scaleUp: { readonly stabilizationWindowSeconds: number } }
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: Pod
    }
  }
}

/** `complete` is the example with all that its comments offer. */
type Folder = 'complete' | 'secrets'

const EMPTY = { complete: '', secrets: '' }

/** What kustomize makes of the folders; empty where the tools are not installed, with a line on stderr. */
export async function render() {
  const tools = await findTools().catch((error: unknown) => {
    if (!(error instanceof ServerMissing)) throw error
    process.stderr.write(`\nSKIPPED: the Kubernetes manifests were not checked: ${error.message}\n`)
    return null
  })
  const text = tools === null ? EMPTY : renderedBy(tools)
  const parsed = Object.entries(text).map(([folder, documents]) => [
    folder,
    parseAllDocuments(documents).map((document) => document.toJS() as Manifest),
  ])
  return { tools, manifests: Object.fromEntries(parsed) as Record<Folder, readonly Manifest[]> }
}

function renderedBy({ kustomize }: Tools): Record<Folder, string> {
  const build = (folder: string): string => execFileSync(kustomize, ['build', folder], { encoding: 'utf8' })
  return {
    complete: withOptions(build),
    secrets: readFileSync(`${K8S}/secrets.example.yaml`, 'utf8'),
  }
}

/** Renders a copy of the example in which the lines that name other folders are no comments. */
function withOptions(build: (folder: string) => string): string {
  const copy = mkdtempSync(join(tmpdir(), 'prelude-k8s-'))
  try {
    for (const folder of ['k8s', 'observability/prometheus'])
      cpSync(resolve(K8S, '..', folder), join(copy, folder), { recursive: true })
    execFileSync(join(copy, 'k8s/monitoring/rules.sh'))
    const file = join(copy, 'k8s/example/kustomization.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^( *)# (?=- (\.\.\/|alerting))/gm, '$1'))
    return build(join(copy, 'k8s/example'))
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Commands of administrators, with the addresses that they read: each is a CronJob that runs only when somebody starts it. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'check-invariants': ['DATABASE_ADMIN_URL', 'BLOBS_URL'],
  replay: ['DATABASE_ADMIN_URL'],
  republish: ['DATABASE_ADMIN_URL'],
  'after-recovery': ['DATABASE_ADMIN_URL', 'BUS_URL'],
}

/** All that the nightly backup reads. */
export const BACKUP = ['AUDIT_DATABASE_URL', 'BLOBS_URL']

/** Deployments, StatefulSets, Jobs, and CronJobs as the Jobs that they make. */
export const workloadsOf = (manifests: readonly Manifest[]): Manifest[] =>
  manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind))
    .map(({ spec, ...one }) => ({ ...one, spec: { ...spec, ...spec.jobTemplate?.spec } }))
