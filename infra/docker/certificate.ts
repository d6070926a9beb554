import { execFileSync } from 'node:child_process'

const DAYS = '3650'

/**
 * A new key and a certificate of this name which nobody else signed, PEM: who trusts it trusts this server alone, since it
 * is no authority (CA:FALSE). Errors: openssl is not installed.
 */
export const selfSigned = (name: string): string =>
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        DAYS,
      ],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`],
      ...['-addext', 'basicConstraints=critical,CA:FALSE', '-keyout', '-', '-out', '-'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  ).trim()

/** Without the key. */
export const certificateIn = (pem: string): string => pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'))
