import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Self-signed, for this machine, PEM. */
export async function certificate(): Promise<Certificate> {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-certificate-'))
  try {
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const kind = [
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ]
    await promisify(execFile)('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert])
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') }
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** One that this process trusts, as with NODE_EXTRA_CA_CERTS. */
export async function trustedCertificate(): Promise<Certificate> {
  const made = await certificate()
  setDefaultCACertificates([...getCACertificates('default'), made.cert])
  return made
}
