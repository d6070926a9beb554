import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool } from '../servers/installed.ts'
import { API_SERVER_FOLDER, KUBERNETES } from '../k8s/tools.ts'
import { fill } from './cache.ts'

/**
 * Builds kube-apiserver, and etcd in the version that it names. Kubernetes' modules refer to each other as folders of one repository,
 * which the module proxy has as versions. Errors: ServerMissing.
 */
export const installApiServer = (): Promise<void> =>
  fill(API_SERVER_FOLDER, async (folder) => {
    await runTool('go', ['mod', 'download', `k8s.io/kubernetes@${KUBERNETES}`])
    const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim()
    const mod = await readFile(join(cache, `cache/download/k8s.io/kubernetes/@v/${KUBERNETES}.mod`), 'utf8')
    const modules = mod.matchAll(/^\s*(\S+) => \.\/staging/gm)
    const replace = [...modules].map(([, name]) => `${name} => ${name} ${KUBERNETES.replace('v1', 'v0')}\n`)
    const required = `go 1.26.0\nrequire k8s.io/kubernetes ${KUBERNETES}`
    await writeFile(join(folder, 'go.mod'), `module tools\n${required}\nreplace (\n${replace.join('')})\n`)
    const programs = ['k8s.io/kubernetes/cmd/kube-apiserver', 'go.etcd.io/etcd/server/v3']
    await runTool('go', ['install', '-mod=mod', '-gcflags=all=-N -l', ...programs], {
      cwd: folder,
      env: { GOBIN: folder, CGO_ENABLED: '0' },
    })
  })
