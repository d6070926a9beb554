import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import type { Certificate } from '../../src/http/index.ts'

const HERE = 'DNS:localhost,IP:127.0.0.1'
const KIND = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']

/** For this machine or these names (`DNS:db.test,IP:127.0.0.2`); signed by `authority`, else self-signed. */
export async function certificate(names = HERE, authority?: Certificate): Promise<Certificate> {
  const dir = await mkdtemp(join(tmpdir(), 'prelude-certificate-'))
  const file = (name: string): string => join(dir, `${name}.pem`)
  try {
    const subject = [
      '-subj',
      authority ? '/CN=server' : '/CN=authority',
      '-addext',
      `subjectAltName=${names}`,
    ]
    if (authority) {
      await writeFile(file('ca'), authority.cert)
      await writeFile(file('ca-key'), authority.key)
    }
    const signer = authority ? ['-CA', file('ca'), '-CAkey', file('ca-key')] : []
    const made = ['-keyout', file('key'), '-out', file('cert')]
    await promisify(execFile)('openssl', ['req', ...KIND, ...subject, ...signer, ...made])
    return { cert: await readFile(file('cert'), 'utf8'), key: await readFile(file('key'), 'utf8') }
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
