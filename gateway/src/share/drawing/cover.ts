import { songCover } from '@prelude/contracts'
import { Resvg } from '@resvg/resvg-js'
import { COVER } from './task.ts'

export const coverPng = (songId: string): Buffer =>
  new Resvg(songCover(songId, COVER), { font: { loadSystemFonts: false } }).render().asPng()
