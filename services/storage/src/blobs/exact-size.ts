import { Transform } from 'node:stream'

/** Passes bytes on. Errors: when there are more or fewer than announced. */
export function exactly(sizeBytes: number): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > sizeBytes) done(new Error(`the source is longer than the ${sizeBytes} bytes announced`))
      else done(null, chunk)
    },
    flush(done) {
      if (seen < sizeBytes) done(new Error(`the source ended after ${seen} of ${sizeBytes} bytes`))
      else done()
    },
  })
}
