import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import type { Song } from '@prelude/contracts'
import { useCredits } from '../../api/credits.ts'
import { messages } from '../../messages.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { useTopUp } from './use-top-up.ts'

/** Values that all songs of a page share. */
interface AlbumContextValue {
  /** Undefined until known. */
  readonly balance: number | undefined
  /** Opens the top-up dialog with the amount missing for this request. */
  readonly topUp: (songId: string) => void
  readonly sell: () => void
  /** Asks once more before the request is cancelled. */
  readonly cancel: (song: Song) => void
  /** Opens the dialog with the links to it. */
  readonly share: (song: Song) => void
}

const AlbumContext = createContext<AlbumContextValue>({
  balance: undefined,
  topUp: () => {},
  sell: () => {},
  cancel: () => {},
  share: () => {},
})

export const useAlbum = (): AlbumContextValue => useContext(AlbumContext)

/**
 * The dialogs of all songs of a page, and what they subscribe to once: a thousand subscriptions would make every update a
 * thousand times as expensive.
 */
export function AlbumProvider({ songs, children }: { songs: readonly Song[]; children: ReactNode }) {
  const [isSelling, setSelling] = useState(false)
  const [cancelling, setCancelling] = useState<Song | null>(null)
  const [sharing, setSharing] = useState<Song | null>(null)
  const balance = useCredits()
  const topUp = useTopUp(useMemo(() => songs.some(({ charge }) => charge === 'declined'), [songs]))
  const sell = useCallback(() => setSelling(true), [])
  const value = useMemo(
    () => ({ balance, topUp, sell, cancel: setCancelling, share: setSharing }),
    [balance, topUp, sell],
  )
  return (
    <AlbumContext value={value}>
      {children}
      <Dialog title={messages.album.comingSoon} open={isSelling} onOpenChange={setSelling}>
        <p>{messages.comingSoon}</p>
      </Dialog>
      <CancelDialog song={cancelling} onClose={() => setCancelling(null)} />
      <ShareDialog song={sharing} onClose={() => setSharing(null)} />
    </AlbumContext>
  )
}
