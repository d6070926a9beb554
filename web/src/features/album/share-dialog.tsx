import { Check, Copy } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Share, Song } from '@prelude/contracts'
import { call } from '../../api/client.ts'
import { invalidateShares, useShares } from '../../api/shares.ts'
import { useCommand } from '../../api/use-command.ts'
import { versionsOf } from '../../audio/version-switch.tsx'
import { serverNow } from '../../browser/server-clock.ts'
import { messages } from '../../messages.ts'
import { songName } from '../../text/song-name.ts'
import { Button } from '../../ui/button.tsx'
import { useCopy } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { FormError } from '../../ui/form-error.tsx'
import styles from './share-dialog.module.css'
import { ShareLinks } from './share-links.tsx'

const DAY_MS = 24 * 60 * 60_000
const DAYS = [1, 7, 30]

/** Makes and ends links by which people without an account hear a song. Closed while `song` is null. */
export function ShareDialog({ song, onClose }: { song: Song | null; onClose: () => void }) {
  // the last one, while the dialog fades
  const [shown, setShown] = useState(song)
  if (song !== null && song !== shown) setShown(song)
  return (
    <Dialog title={messages.sharing.share} open={song !== null} onOpenChange={(open) => !open && onClose()}>
      {shown && <Sharing key={shown.id} song={shown} />}
    </Dialog>
  )
}

function Sharing({ song }: { song: Song }) {
  const links = useShares(song.id)
  const [made, setMade] = useState<Share | null>(null)
  const isOver = links.data?.some(({ id, endedAt }) => id === made?.id && endedAt !== null)
  const { sharing } = messages
  return (
    <div className="stack gap-4">
      {made && isOver !== true ? (
        <Made key={made.id} share={made} title={songName(song)} onAnother={() => setMade(null)} />
      ) : (
        <>
          <p>{sharing.hint}</p>
          <p>{song.title === null ? sharing.showsStyle : sharing.showsTitle}</p>
          <NewLink song={song} onMade={setMade} />
        </>
      )}
      <ShareLinks links={links} />
    </div>
  )
}

/** The address of a new link, and what one does with it. */
function Made({ share: { url }, title, onAnother }: { share: Share; title: string; onAnother: () => void }) {
  const link = useRef<HTMLInputElement>(null)
  // selected, scrolled into view and announced; before the dialog takes the focus that the removed form had
  useLayoutEffect(() => link.current?.focus(), [])
  const { isCopied, copy } = useCopy(url)
  const { sharing } = messages
  const canSend = 'share' in navigator
  const send = (): void => {
    // refused: closed without a choice
    navigator.share({ url, title }).catch(() => undefined)
  }
  return (
    <div className={`stack ${styles.made}`}>
      <TextField
        ref={link}
        label={sharing.link}
        readOnly
        value={url}
        onFocus={({ target }) => target.select()}
      />
      <div className={`row ${styles.row}`}>
        {canSend && (
          <Button variant="primary" onClick={send}>
            {sharing.send}
          </Button>
        )}
        <Button variant={canSend ? 'outline' : 'primary'} onClick={copy}>
          {isCopied ? <Check aria-hidden size={18} /> : <Copy aria-hidden size={18} />}
          {sharing.copy}
        </Button>
        <Button variant="link" onClick={onAnother}>
          {sharing.another}
        </Button>
      </div>
      <p role="status" className="soft">
        {isCopied && sharing.copied}
      </p>
    </div>
  )
}

interface Choice {
  readonly versions: readonly (1 | 2)[]
  readonly lyrics: boolean
  readonly download: boolean
  /** Null: never. */
  readonly days: number | null
}

function NewLink({ song, onMade }: { song: Song; onMade: (share: Share) => void }) {
  const [choice, setChoice] = useState<Choice>({
    versions: versionsOf(song),
    lyrics: false,
    download: false,
    days: null,
  })
  const { busy, error, make } = useNewLink(song.id, onMade)
  const { sharing } = messages
  const check = (label: string, checked: boolean, changed: (checked: boolean) => Partial<Choice>) => (
    <Checkbox
      key={label}
      checked={checked}
      disabled={busy}
      onChange={(checked) => setChoice({ ...choice, ...changed(checked) })}
    >
      {label}
    </Checkbox>
  )
  return (
    <form
      className="stack gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        make(choice)
      }}
    >
      <div className={styles.checks}>
        {versionsOf(song).map((n) =>
          check(messages.version(n), choice.versions.includes(n), (isChosen) => ({
            versions: versionsOf(song).filter((one) =>
              one === n ? isChosen : choice.versions.includes(one),
            ),
          })),
        )}
        {check(sharing.lyrics, choice.lyrics, (lyrics) => ({ lyrics }))}
        {check(sharing.download, choice.download, (download) => ({ download }))}
      </div>
      <Select
        label={sharing.expires}
        disabled={busy}
        value={choice.days ?? ''}
        onChange={({ target }) =>
          setChoice({ ...choice, days: target.value === '' ? null : Number(target.value) })
        }
      >
        <option value="">{sharing.never}</option>
        {DAYS.map((days) => (
          <option key={days} value={days}>
            {sharing.days(days)}
          </option>
        ))}
      </Select>
      {error && <FormError key={error.at} text={error.text} />}
      <Button type="submit" variant="primary" busy={busy}>
        {sharing.make}
      </Button>
    </form>
  )
}

/** Sends one link at a time. The same choice sent again after a lost answer finds the link that was made. */
function useNewLink(songId: string, onMade: (share: Share) => void) {
  const [attempt, setAttempt] = useState<{ choice: Choice; key: string; at: number } | null>(null)
  const { busy, error, refuse, run } = useCommand(async (choice: Choice) => {
    const now = attempt?.choice === choice ? attempt : { choice, key: crypto.randomUUID(), at: serverNow() }
    setAttempt(now)
    const { days, ...shown } = choice
    const body = { ...shown, expiresAt: days === null ? null : now.at + days * DAY_MS }
    const params = { id: songId }
    onMade(await call('POST /api/songs/:id/shares', { params, body, idempotencyKey: now.key }))
    setAttempt(null)
    invalidateShares()
  })
  const make = (choice: Choice): void => {
    if (choice.versions.length === 0) refuse(messages.sharing.noVersion)
    else void run(choice)
  }
  return { busy, error, make }
}
