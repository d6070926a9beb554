import type { ReactNode } from 'react'
import { createStore } from './store.ts'

const content = createStore<ReactNode>(null)

/** Shows something below every page and its footer: work that goes on when its own page is left. Null removes it. */
export const setBackground = content.set

export const Background = (): ReactNode => content.use()
