import {
  AbstractTokenizer,
  EndOfStreamError,
  type IRandomAccessFileInfo,
  type IReadChunkOptions,
} from 'strtok3'
import type { Bytes } from './domain/audio/bytes.ts'

/** Adapts Bytes to file-type and music-metadata, so that a file is opened once for all parsers. */
export class BytesTokenizer extends AbstractTokenizer {
  readonly fileInfo: IRandomAccessFileInfo
  readonly #bytes: Bytes

  constructor(bytes: Bytes) {
    super()
    this.#bytes = bytes
    this.fileInfo = { size: bytes.size }
  }

  async readBuffer(into: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position } = this.normalizeOptions(into, options)
    this.position = position
    const read = await this.peekBuffer(into, options)
    this.position += read
    return read
  }

  async peekBuffer(into: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(into, options)
    const found = await this.#bytes.at(position, length)
    if (found.length < length && !mayBeLess) throw new EndOfStreamError()
    found.copy(into)
    return found.length
  }

  override supportsRandomAccess(): boolean {
    return true
  }

  setPosition(position: number): void {
    this.position = position
  }
}
