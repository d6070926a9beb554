import { useEffect, useRef } from 'react'

/** A flat line until the peaks are loaded. */
export const FLAT_PEAKS: readonly number[] = Array.from({ length: 80 }, () => 0.01)

const BAR = 3
const GAP = 2
/** Exponent that spreads the peaks: music is mostly loud, and all bars would look alike. */
const CONTRAST = 1.7

/** Peaks as bars; the played part has the colour of the take. Hidden from screen readers: a slider beside it has the label. */
export function Waveform(props: {
  peaks: readonly number[]
  played: number
  colour: string
  height?: number
}) {
  const { peaks, played, colour, height = 40 } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const draw = useRef(() => {})
  useEffect(() => {
    draw.current = () => {
      if (canvas.current) paint(canvas.current, peaks, played, colour)
    }
    // the first draw waits for the ResizeObserver, when the size is known
    if (canvas.current?.dataset['drawn']) draw.current()
  }, [peaks, played, colour])
  useEffect(() => observeAppearance(canvas.current, () => draw.current()), [])
  return <canvas ref={canvas} aria-hidden style={{ width: '100%', height, display: 'block' }} />
}

/** Calls back on the first and every other size of the canvas, and on a change of theme. */
function observeAppearance(element: HTMLCanvasElement | null, draw: () => void): (() => void) | undefined {
  if (!element) return undefined
  const resized = new ResizeObserver(draw)
  resized.observe(element)
  const theme = matchMedia('(prefers-color-scheme: dark)')
  theme.addEventListener('change', draw)
  const chosen = new MutationObserver(draw)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    resized.disconnect()
    chosen.disconnect()
    theme.removeEventListener('change', draw)
  }
}

function paint(element: HTMLCanvasElement, peaks: readonly number[], played: number, colour: string): void {
  const { clientWidth: width, clientHeight: height } = element
  element.dataset['drawn'] = 'true'
  const scale = devicePixelRatio
  element.width = width * scale
  element.height = height * scale
  const context = element.getContext('2d')
  if (!context || width === 0) return
  context.scale(scale, scale)
  const style = getComputedStyle(element)
  const ink = style.getPropertyValue('--wave').trim() || style.getPropertyValue('--soft').trim()
  const take = style.getPropertyValue(colour).trim()
  const bars = Math.max(1, Math.floor(width / (BAR + GAP)))
  const loudest = Math.max(0.05, ...peaks)
  for (let bar = 0; bar < bars; bar++) {
    const from = Math.floor((bar / bars) * peaks.length)
    const to = Math.max(from + 1, Math.floor(((bar + 1) / bars) * peaks.length))
    const peak = Math.max(0, ...peaks.slice(from, to)) / loudest
    const barHeight = Math.max(BAR, peak ** CONTRAST * height)
    context.fillStyle = bar / bars < played ? take : ink
    context.beginPath()
    context.roundRect(bar * (BAR + GAP), (height - barHeight) / 2, BAR, barHeight, 1.5)
    context.fill()
  }
}
