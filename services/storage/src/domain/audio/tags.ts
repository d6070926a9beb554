import type { Bytes } from './bytes.ts'
import { MAX_TAG_BYTES } from './limits.ts'

/** Behind the last frame, page, chunk or box: padding, block-wise copies, tags of other kinds. */
export const MAX_STRAY_BYTES = 64 * 1024

/** At the end of a file; each costs a read of the whole window before it. */
const MAX_TRAILING_TAGS = 16

/** Where the audio begins: behind any ID3v2 and APEv2 tags. Not followed beyond what tags may have. */
export async function skipLeadingTags(bytes: Bytes): Promise<number> {
  let offset = 0
  for (;;) {
    const size = leadingTagBytes(await bytes.at(offset, 32))
    if (size === 0 || offset > MAX_TAG_BYTES) return offset
    offset += size
  }
}

function leadingTagBytes(head: Buffer): number {
  if (head.length >= 10 && head.toString('latin1', 0, 3) === 'ID3') {
    const footer = ((head[5] ?? 0) & 0x10) !== 0 ? 10 : 0
    return 10 + syncsafe(head, 6) + footer
  }
  return isApe(head) ? 32 + head.readUInt32LE(12) : 0
}

/** Where the audio ends: before any ID3v1, APEv2 and Lyrics3 tags. */
export async function skipTrailingTags(bytes: Bytes, start: number): Promise<number> {
  let end = bytes.size
  for (let tags = 0; tags < MAX_TRAILING_TAGS; tags++) {
    const tail = await bytes.at(Math.max(start, end - 128), Math.min(128, end - start))
    const size = trailingTagBytes(tail)
    if (size === 0 || end - size < start) return end
    end -= size
  }
  return end
}

function trailingTagBytes(tail: Buffer): number {
  if (tail.length === 128 && tail.toString('latin1', 0, 3) === 'TAG') return 128
  if (tail.length < 32) return 0
  const footer = tail.subarray(-32)
  if (isApe(footer)) {
    const hasHeader = (footer.readUInt32LE(20) & 0x80000000) !== 0
    return footer.readUInt32LE(12) + (hasHeader ? 32 : 0)
  }
  const lyrics = /^(\d{6})LYRICS200$/.exec(tail.toString('latin1', tail.length - 15))
  return lyrics ? Number(lyrics[1]) + 15 : 0
}

const isApe = (tag: Buffer): boolean => tag.length === 32 && tag.toString('latin1', 0, 8) === 'APETAGEX'

/** 28 bits in four bytes. */
const syncsafe = (bytes: Buffer, offset: number): number =>
  bytes.subarray(offset, offset + 4).reduce((value, byte) => value * 128 + (byte & 0x7f), 0)
