import { asFileName, HIDDEN, noDevice } from '@prelude/contracts'
import { AUDIO_EXTENSIONS, type Format } from './audio/format.ts'

const MAX_SAFE = 100
const MAX_ORIGINAL = 255
const HIDDEN_CHARACTERS = new RegExp(`[${HIDDEN}]`, 'gu')

/** The name as its owner gave it, without folders and hidden characters: at most 255 characters, maybe empty. */
export const originalName = (given: string | null | undefined): string =>
  Array.from(
    (given ?? '')
      .toWellFormed()
      .replace(/^.*[/\\]/s, '')
      .replace(HIDDEN_CHARACTERS, ''),
  )
    .slice(0, MAX_ORIGINAL)
    .join('')
    .trim()
    .replace(/^\.+$/, '')

/** A name as a form carries it: browsers write quotes and line breaks as %22, %0D and %0A, and nothing else that way. */
export const fromForm = (name: string): string =>
  name.replace(/%(22|0D|0A)/g, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/**
 * Only letters, digits, `.`, `_` and `-`, at most 100, never beginning with a dot, and with an extension that is true:
 * what can be part of a path. `audio` where nothing of the name is left.
 */
export function safeName(original: string, format: Format): string {
  const reduced = original
    .normalize('NFKD')
    .replace(/\s+/gu, '_')
    .replace(/[^A-Za-z0-9._-]/g, '')
    .replace(/^[._-]+/, '')
  const dot = reduced.lastIndexOf('.')
  const given = dot < 0 ? '' : reduced.slice(dot + 1)
  const extension = format.extensions.includes(given.toLowerCase()) ? given : format.extensions[0]
  const stem = AUDIO_EXTENSIONS.has(given.toLowerCase()) ? reduced.slice(0, dot) : reduced
  const kept = AUDIO_EXTENSIONS.has(reduced.toLowerCase()) ? '' : stem
  return `${kept.slice(0, MAX_SAFE - 1 - extension.length).replace(/\.+$/, '') || 'audio'}.${extension}`
}

/** The same name with a suffix before its extension, for a path that is taken. */
export function markedName(safe: string, mark: string): string {
  const dot = safe.lastIndexOf('.')
  const extension = safe.slice(dot)
  return `${safe.slice(0, Math.min(dot, MAX_SAFE - extension.length - mark.length - 1))}-${mark}${extension}`
}

/** `songs/{songId}/version1_{filename}`. */
export const objectPath = (songId: string, version: number, name: string): string =>
  `songs/${songId}/version${version}_${name}`

export const draftPath = (songId: string, draftId: string, { extensions }: Format): string =>
  `drafts/${songId}/${draftId}.${extensions[0]}`

/** Of all objects. */
export const PREFIXES = ['songs/', 'drafts/'] as const

export interface DownloadName {
  /** For `filename*`. */
  readonly name: string
  /** For `filename`. */
  readonly safe: string
}

/** The file name of a download. Two versions with one name are distinguished by ` (1)` and ` (2)`. */
export function downloadName(
  version: number,
  own: { originalName: string; format: Format },
  other: { originalName: string; format: Format } | undefined,
): DownloadName {
  const named = (audio: { originalName: string; format: Format }): DownloadName => {
    const safe = safeName(audio.originalName, audio.format)
    return { name: noDevice(audio.originalName || safe), safe: noDevice(safe) }
  }
  const mine = named(own)
  const twin = other && named(other)
  const same = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase()
  if (!same(mine.name, twin?.name) && !same(mine.safe, twin?.safe)) return mine
  return { name: numbered(mine.name, version), safe: numbered(mine.safe, version) }
}

/** The name of a version in the owner's words, which may be any text. */
export function titledName(title: string, version: number, format: Format): DownloadName {
  const name = `${asFileName(title)} (Version ${version}).${format.extensions[0]}`
  return { name, safe: safeName(name, format) }
}

function numbered(name: string, version: number): string {
  const extension = /\.[^.\s]{1,10}$/.exec(name)?.[0] ?? ''
  return `${name.slice(0, name.length - extension.length)} (${version})${extension}`
}

/** RFC 6266 with RFC 8187: a plain name for old clients, the true one for the others. */
export const attachment = ({ name, safe }: DownloadName): string =>
  `attachment; filename="${safe}"; filename*=UTF-8''${encodeURIComponent(name).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )}`
