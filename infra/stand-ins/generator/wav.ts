/** The header of a WAV file of `sizeBytes` in total, of PCM samples. */
export function wavHead(
  sizeBytes: number,
  { rate, channels, bits }: { readonly rate: number; readonly channels: number; readonly bits: number },
): Buffer {
  const frameBytes = (channels * bits) / 8
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(sizeBytes - 8, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * frameBytes, 28)
  head.writeUInt16LE(frameBytes, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(sizeBytes - 44, 40)
  return head
}
