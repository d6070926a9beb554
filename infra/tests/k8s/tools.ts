import { findFolder, findGoProgram, type GoProgram } from '../servers/installed.ts'

export const KUSTOMIZE: GoProgram = {
  name: 'kustomize',
  from: 'sigs.k8s.io/kustomize/kustomize/v5',
  version: 'v5.8.1',
}

/** The version of the API server that validates the manifests. */
export const KUBERNETES = 'v1.36.3'
export const API_SERVER_FOLDER = `kube-apiserver-${KUBERNETES}`

export interface Tools {
  readonly kustomize: string
  /** Folder with the programs `kube-apiserver` and `server`, which is etcd. */
  readonly apiServer: string
}

/** Paths of the tools that check the manifests. Errors: ServerMissing. */
export async function findTools(): Promise<Tools> {
  return { kustomize: await findGoProgram(KUSTOMIZE), apiServer: await findFolder(API_SERVER_FOLDER) }
}
