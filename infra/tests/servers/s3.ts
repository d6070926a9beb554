import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificate } from '@prelude/platform'
import { versionOf } from './images.ts'
import { findGoProgram, type GoProgram, runTool } from './installed.ts'
import { answersOk, freePort, type NativeOptions, type NativeServer, startProcess } from './server-process.ts'

const BUCKET = 'prelude'

export const VERSITYGW: GoProgram = {
  name: 'versitygw',
  from: 'github.com/versity/versitygw/cmd/versitygw',
  version: versionOf('s3'),
}

/** The versitygw program. Errors: ServerMissing. */
export const findS3 = (): Promise<string> => findGoProgram(VERSITYGW)

interface S3Options extends NativeOptions {
  readonly accessKey: string
  readonly secretKey: string
  /** TLS, and users beside the root: `addS3User`. */
  readonly certificate?: Certificate
}

/** Starts an S3 store with objects as files below `dir/objects`. The URL names a bucket that is created when needed. */
export async function startS3({
  dir,
  port,
  accessKey,
  secretKey,
  certificate,
}: S3Options): Promise<NativeServer> {
  const program = await findS3()
  const own = port ?? (await freePort())
  const [objects, sidecar] = [join(dir, 'objects'), join(dir, 'sidecar')]
  await mkdir(objects, { recursive: true })
  await mkdir(sidecar, { recursive: true })
  const server = await startProcess({
    name: 's3',
    dir,
    command: program,
    args: [
      ...[`--port=127.0.0.1:${own}`, '--health=/health', '--quiet'],
      ...(certificate ? await secured(dir, certificate) : []),
      ...['posix', '--sidecar', sidecar, objects],
    ],
    // by environment: everybody can read a command line
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    healthy: () => answersOk(`http${certificate ? 's' : ''}://127.0.0.1:${own}/health`),
  })
  const access = `${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}`
  const url = `s3://${access}@127.0.0.1:${own}/${BUCKET}${certificate ? '' : '?tls=false'}`
  return { ...server, port: own, url }
}

async function secured(dir: string, { cert, key }: Certificate): Promise<string[]> {
  const [certFile, keyFile, users] = [join(dir, 'cert.pem'), join(dir, 'key.pem'), join(dir, 'users')]
  await mkdir(users)
  await writeFile(certFile, cert)
  await writeFile(keyFile, key, { mode: 0o600 })
  return ['--cert', certFile, '--key', keyFile, '--iam-dir', users]
}

/** Adds a user who may make no buckets, and do nothing that no policy of a bucket allows. */
export const addS3User = async (
  server: NativeServer,
  root: Pick<S3Options, 'accessKey' | 'secretKey'>,
  user: Pick<S3Options, 'accessKey' | 'secretKey'>,
): Promise<void> =>
  runTool(
    await findS3(),
    [
      ...['admin', '--allow-insecure', '--endpoint-url', `https://127.0.0.1:${server.port}`],
      ...['create-user', '--role', 'user', '--access', user.accessKey, '--secret', user.secretKey],
    ],
    { env: { ADMIN_ACCESS_KEY: root.accessKey, ADMIN_SECRET_KEY: root.secretKey } },
  )
