import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { acceptsConnections, freePort, startProcess } from '../servers/server-process.ts'
import type { Manifest } from './rendered.ts'

interface Answer {
  readonly status: number
  /** The object, or what is wrong with it. */
  readonly body: { readonly message?: string; readonly resources?: readonly Resource[] }
}

interface Resource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

export interface ApiServer {
  /** Creates an object, as `kubectl create --validate=strict` does: null, or why it is refused. */
  create(object: Manifest): Promise<string | null>
  stop(): Promise<void>
}

/** kube-apiserver with etcd, as processes: it admits, validates and stores objects. Without controllers and nodes nothing runs. */
export async function startApiServer(folder: string, dir: string): Promise<ApiServer> {
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()]
  const etcdUrl = `http://127.0.0.1:${client}`
  const etcd = await startProcess({
    name: 'etcd',
    dir: join(dir, 'etcd'),
    command: join(folder, 'server'),
    args: [
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      '--unsafe-no-fsync',
    ],
    healthy: () => acceptsConnections(client),
  })
  const own = join(dir, 'api')
  await mkdir(own, { recursive: true })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(join(own, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await writeFile(join(own, 'tokens.csv'), 'token,tests,tests,system:masters\n')

  const send = async (method: 'GET' | 'POST', path: string, object?: object): Promise<Answer> => {
    const ca = await readFile(join(own, 'apiserver.crt'))
    const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, path, method, ca, headers, agent: false })
    sent.end(object && JSON.stringify(object))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, body: (await json(answer)) as Answer['body'] }
  }

  const api = await startProcess({
    name: 'kube-apiserver',
    dir: own,
    command: join(folder, 'kube-apiserver'),
    args: [
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      '--cert-dir=.',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--service-account-issuer=https://prelude.test',
      '--service-account-key-file=key.pem',
      '--service-account-signing-key-file=key.pem',
      '--token-auth-file=tokens.csv',
      '--disable-admission-plugins=ServiceAccount',
    ],
    healthy: async () => {
      // priorities and quotas are there after the first namespace
      const { status } = await send('GET', '/api/v1/namespaces/default')
      if (status !== 200) throw new Error(`the API server answers ${status}`)
    },
  })

  return {
    create: async (object) => {
      const { apiVersion, kind, metadata } = object
      const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
      const { resources = [] } = (await send('GET', root)).body
      const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'))
      if (resource === undefined) return `${apiVersion} has no ${kind}`
      const namespace = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'prelude'}` : ''
      const { status, body } = await send(
        'POST',
        `${root}${namespace}/${resource.name}?fieldValidation=Strict`,
        object,
      )
      return status === 201 ? null : (body.message ?? `${status}`)
    },
    stop: async () => {
      await api.stop()
      await etcd.stop()
    },
  }
}
