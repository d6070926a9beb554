import { useState } from 'react'
import type { Share } from '@prelude/contracts'
import { call } from '../../api/client.ts'
import { invalidateShares, type useShares } from '../../api/shares.ts'
import { useCommand } from '../../api/use-command.ts'
import { format, messages } from '../../messages.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'

/** The links to a song, newest first, with what they show and how often they were played. */
export function ShareLinks({ links }: { links: ReturnType<typeof useShares> }) {
  const { data } = links
  const { sharing } = messages
  return (
    <div className="stack gap-2">
      <h3>{sharing.links}</h3>
      {!data && <QueryState query={links} variant="inline" />}
      {data?.length === 0 && <p className="soft">{sharing.none}</p>}
      {data && data.length > 0 && (
        <ul aria-label={sharing.links} className="rows">
          {data.map((share) => (
            <Item key={share.id} share={share} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Item({ share }: { share: Share }) {
  const { versions, lyrics, download, expiresAt, endedAt, plays, url } = share
  const { busy, run: end } = useCommand(async () => {
    await call('DELETE /api/shares/:id', { params: { id: share.id } })
    toast.status(messages.sharing.endDone)
    invalidateShares()
  }, toast.alert)
  const [isAsking, setAsking] = useState(false)
  const { sharing } = messages
  const shows = [
    versions.length > 1 ? sharing.bothVersions : messages.version(versions[0] ?? 1),
    ...(lyrics ? [sharing.withLyrics] : []),
    ...(download ? [sharing.withDownload] : []),
  ].join(', ')
  const ends = endedAt ?? expiresAt
  const until = endedAt === null ? sharing.until : sharing.ended
  return (
    <li className={`row split ${endedAt === null ? '' : 'soft'}`}>
      <span>
        {endedAt === null ? (
          <a href={url} target="_blank" rel="noreferrer">
            {shows}
          </a>
        ) : (
          shows
        )}{' '}
        · {sharing.plays(plays)}
        {ends !== null && ` · ${until(format.when(ends))}`}
      </span>
      {endedAt === null && (
        <Button variant="link" onClick={() => setAsking(true)}>
          {sharing.end}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          question={sharing.endTitle}
          action={sharing.end}
          back={sharing.keep}
          busy={busy}
          onConfirm={end}
          onClose={() => setAsking(false)}
        >
          <p>{sharing.endEnds}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}
