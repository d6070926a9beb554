import type { ComponentProps } from 'react'
import type { Song } from '@prelude/contracts'
import { saveAskedAgain } from '../../state/request-draft.ts'
import { messages } from '../../messages.ts'
import { navigate } from '../../router.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAlbum } from './album-context.tsx'
import { useSongAction } from './use-song-action.ts'

export type Look = Pick<ComponentProps<typeof Button>, 'small' | 'variant'>

/** What its owner can do with a song at any time. */
export function Keeping({ song, look }: { song: Song; look: Look }) {
  const { busy, mark } = useSongAction(song.id)
  const { share } = useAlbum()
  const { library } = messages
  // a refund ends all links and the licence
  const isKept = song.status === 'ready' && song.charge !== 'refunded'
  const askAgain = (): void => {
    saveAskedAgain(song)
    // each time a new form
    navigate('/', { filled: crypto.randomUUID() })
    toast.status(library.askedAgain)
  }
  const archive = async (): Promise<void> => {
    if (await mark({ archived: !song.archived }))
      toast.status(song.archived ? library.restoredDone : library.archivedDone)
  }
  return (
    <>
      {isKept && (
        <>
          <Button {...look} onClick={() => share(song)}>
            {messages.sharing.share}
          </Button>
          <a
            className={buttonClass(look.variant, look.small)}
            href={`/api/songs/${song.id}/certificate.pdf`}
            target="_blank"
            rel="noreferrer"
          >
            {messages.licence.title}
          </a>
        </>
      )}
      <Button {...look} onClick={askAgain}>
        {library.askAgain}
      </Button>
      <Button {...look} busy={busy} onClick={() => void archive()}>
        {song.archived ? library.restore : library.archive}
      </Button>
    </>
  )
}
