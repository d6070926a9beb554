import { createContext, useContext } from 'react'
import type { Song } from '@prelude/contracts'

export interface PlayerChoice {
  readonly song: Song
  readonly version: 1 | 2
  /** An earlier take of the version; the newest if not given. */
  readonly take?: number
  /** Its sheet, with lyrics and files, opens too. */
  readonly isOpen?: boolean
  /** Called on close: moves the focus back to the control that opened the player. */
  readonly returnFocus?: () => void
}

/** Opens the top-up dialog (with an amount filled in) or the player from any component. */
export interface Overlays {
  openTopUp(amount?: number): void
  /** Plays it too: to be called in the handler of a gesture. */
  openPlayer(choice: PlayerChoice): void
}

export const OverlaysContext = createContext<Overlays>({ openTopUp: () => {}, openPlayer: () => {} })

export const useOverlays = (): Overlays => useContext(OverlaysContext)
