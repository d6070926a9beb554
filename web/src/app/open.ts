import { createContext, useContext } from 'react'

export interface PlayerChoice {
  readonly songId: string
  readonly version: 1 | 2
  /** Called when the player is closed: the focus goes back to where it was opened. */
  readonly returnFocus?: () => void
}

/** What can be opened from anywhere: the top-up dialog (with an amount filled in) and the player. */
export interface Open {
  topUp(amount?: number): void
  player(choice: PlayerChoice): void
}

export const OpenContext = createContext<Open>({ topUp: () => {}, player: () => {} })

export const useOpen = (): Open => useContext(OpenContext)
