import { isBlank, type Song, withLineFeeds } from '@prelude/contracts'
import { messages } from '../messages.ts'

/** What a song is called: by its title, else its style. */
export const songName = ({ title, style }: Pick<Song, 'title' | 'style'>): string =>
  withLineFeeds(title ?? (isBlank(style) ? messages.untitled : style))
