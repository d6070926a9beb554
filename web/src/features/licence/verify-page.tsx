import { Check, X } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import { type Certificate, type CertifiedFile, withLineFeeds } from '@prelude/contracts'
import { ApiProblem, errorMessage, isTemporary } from '../../api/client.ts'
import { useCertificate } from '../../api/public.ts'
import { takeColours } from '../../audio/version-switch.tsx'
import { format, messages } from '../../messages.ts'
import { Link } from '../../router.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MadeText } from '../../ui/made-text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { formatDuration } from '../../text/time.ts'
import { usePageTitle } from '../../state/title.ts'
import styles from './verify-page.module.css'

/** What anyone who has its address reads of a certificate, and whether a file is one of those that it is about. */
export default function VerifyPage({ id }: { id: string }) {
  usePageTitle(messages.licence.title)
  const certificate = useCertificate(id)
  if (certificate.data) return <Checked key={id} certificate={certificate.data} />
  const { error } = certificate
  if (error === null || isTemporary(error)) return <QueryState query={certificate} />
  const isUnknown = error instanceof ApiProblem && error.status === 404
  return (
    <Notice tape={isUnknown ? 'none' : 'spilled'} title={errorMessage(error)}>
      <Link to="/">{messages.goHome}</Link>
    </Notice>
  )
}

function Checked({ certificate }: { certificate: Certificate }) {
  const { id, issuedAt, title, files, valid, reason, replacedBy } = certificate
  return (
    <section className="page narrow gap-3">
      <header className="row gap-4 split head">
        <h1>{messages.licence.title}</h1>
        <p className={`line bad ${styles.stamp}`} data-valid={valid}>
          {valid ? <Check aria-hidden /> : <X aria-hidden />}
          {valid ? messages.licence.valid : messages.licence.notValid}
        </p>
      </header>
      {reason === 'refunded' && <p>{messages.licence.refunded}</p>}
      {replacedBy !== null && (
        <p>
          {messages.licence.replaced} <Link to={`/verify/${replacedBy}`}>{messages.licence.newer}</Link>
        </p>
      )}
      {title !== null && (
        <p dir="auto" className={styles.title}>
          {withLineFeeds(title)}
        </p>
      )}
      <p className={`soft ${styles.wrap}`}>
        <time dateTime={new Date(issuedAt).toISOString()}>
          {messages.licence.issued(format.when(issuedAt))}
        </time>
      </p>
      <p className={`mono soft ${styles.wrap}`}>{id}</p>
      <ul className={`stack ${styles.files}`}>
        {files.map(({ version, take, sha256, durationMs, made }) => (
          <li className="stack gap-1" key={version} style={takeColours(version)}>
            <span>
              <strong>{messages.player.takeOf(messages.version(version), take)}</strong> ·{' '}
              {formatDuration(durationMs)}
            </span>
            <MadeText made={made} />
            <span className={`mono soft ${styles.wrap}`}>{messages.licence.hash(sha256)}</span>
          </li>
        ))}
      </ul>
      {valid && <p>{messages.licence.allowed}</p>}
      <p className={`soft ${styles.wrap}`}>{messages.licence.noRegistration}</p>
      <p className={`soft ${styles.wrap}`}>{messages.licence.noName}</p>
      <FileCheck files={files} />
    </section>
  )
}

type Outcome = 'hashing' | 'failed' | 'other' | CertifiedFile

/** The file is hashed in the browser and sent nowhere. */
function FileCheck({ files }: { files: readonly CertifiedFile[] }) {
  const inputId = useId()
  const [checked, setChecked] = useState<{ file: File; outcome: Outcome } | null>(null)
  const check = async (file: File | undefined): Promise<void> => {
    if (!file) return
    setChecked({ file, outcome: 'hashing' })
    const outcome = await hashOf(file).then<Outcome, Outcome>(
      (hash) => files.find(({ sha256 }) => sha256 === hash) ?? 'other',
      () => 'failed',
    )
    // another file may have been chosen meanwhile
    setChecked((now) => (now?.file === file ? { file, outcome } : now))
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    void check(event.dataTransfer.files[0])
  }
  return (
    <div
      className={`stack gap-2 dashed ${styles.drop}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <label htmlFor={inputId}>{messages.licence.check}</label>
      <input id={inputId} type="file" onChange={(event) => void check(event.target.files?.[0])} />
      <p className={`soft ${styles.wrap}`}>{messages.licence.stays}</p>
      <p role="status">{checked && <Result {...checked} />}</p>
    </div>
  )
}

function Result({ file, outcome }: { file: File; outcome: Outcome }) {
  if (outcome === 'hashing') return <Loading variant="inline" />
  const isTheFile = typeof outcome === 'object'
  const Mark = isTheFile ? Check : X
  return (
    <span className={styles.result} data-same={isTheFile}>
      <Mark aria-hidden />
      <span>
        <bdi className="mono">{file.name}</bdi>{' '}
        {outcome === 'failed' ? (
          messages.licence.unreadable
        ) : (
          <strong>{isTheFile ? messages.licence.same : messages.licence.other}</strong>
        )}{' '}
        {isTheFile && messages.version(outcome.version)}
      </span>
    </span>
  )
}

async function hashOf(file: File): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
