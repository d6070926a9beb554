import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { collectSeldom } from '../../src/garbage.ts'

/** Receives 200 MB from itself, of which it keeps the last few, beside a heap of some size, and prints how often V8 looked through all of the heap. */
if (process.argv[2] === 'counted') collectSeldom()
const heap = Array.from({ length: 300_000 }, (_, i) => ({ text: `object ${i}` }))
let looks = 0
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { detail } = entry as PerformanceEntry & { detail: { kind: number } }
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) looks++
  }
})
observer.observe({ entryTypes: ['gc'] })
const lately: Buffer[] = []
const server = createServer((socket) => {
  socket.on('data', (chunk) => {
    lately.push(chunk)
    if (lately.length > 300) lately.shift()
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
const piece = Buffer.alloc(1_000_000)
for (let i = 0; i < 200; i++) if (!socket.write(piece)) await once(socket, 'drain')
socket.end()
await once(socket, 'close')
server.close()
await new Promise((resolve) => setImmediate(resolve))
process.stdout.write(`${heap.length} ${looks}`)
