import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import { faintControls } from './contrast.ts'
import type { Visit } from './steps.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Widths, also for pictures, which have one more in between. */
export const WIDTHS = [360, 768, 1440] as const
export const SCHEMES = ['light', 'dark'] as const
/** What is checked: each of these widths and each scheme once. Pictures are taken of all. */
const CHECKED = new Set(['360 light', '1440 dark'])
/** A wide screen at 400 % (WCAG 1.4.10), and phones on their side. */
const LOW = [
  { width: 320, height: 256 },
  { width: 667, height: 320 },
  { width: 640, height: 300 },
] as const
/** The folder of `make pictures`. */
const PICTURES = process.env['PICTURES']

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

/** axe-core's default rules, with best practices and target sizes. */
const findings = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Finding[] }> }
    }
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled: true } },
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
    )
  })

/**
 * Elements beyond the screen: overlays, at its top and bottom those that are fixed and nothing scrolls to; and, where the page
 * scrolls sideways, the innermost elements that are too wide.
 */
const overflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const isFixed = (one: Element | null): boolean =>
      one !== null && (getComputedStyle(one).position === 'fixed' || isFixed(one.parentElement))
    const scrolls = (one: Element | null): boolean =>
      one !== null && (/auto|scroll/.test(getComputedStyle(one).overflowY) || scrolls(one.parentElement))
    for (const one of document.querySelectorAll('[role=menu], [role=dialog], [role=alert], section')) {
      const { left, right, top, bottom } = one.getBoundingClientRect()
      if (one.localName !== 'section' && (left < 0 || right > clientWidth))
        return [`from ${left} to ${right}: ${one.outerHTML.slice(0, 80)}`]
      if (isFixed(one) && !scrolls(one.parentElement) && bottom > top && (top < 0 || bottom > innerHeight))
        return [`from ${top} to ${bottom} of ${innerHeight}: ${one.outerHTML.slice(0, 80)}`]
    }
    if (scrollWidth <= clientWidth) return []
    const out = [...document.querySelectorAll('body *')].filter(
      (one) => one.getBoundingClientRect().right > clientWidth,
    )
    const inner = out.filter((one) => !out.some((other) => one !== other && one.contains(other)))
    return [`the page is ${scrollWidth} wide: ${inner.map((one) => one.outerHTML.slice(0, 80)).join(', ')}`]
  })

/** Waits for layout after a resize and for the end of transitions, during which colours are in between. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished),
    )
  })

const ground = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)

/** Checks the current state, narrow and light, wide and dark; answers the findings with their elements. */
export async function inspect({ page }: Visit, state: string): Promise<string[]> {
  const wrong: string[] = []
  const grounds = new Set<string>()
  if (!PICTURES && !(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  for (const size of LOW) {
    await page.setViewportSize(size)
    await settled(page)
    for (const one of await overflow(page)) wrong.push(`${state}, ${size.width} × ${size.height}: ${one}`)
  }
  for (const width of WIDTHS)
    for (const colorScheme of SCHEMES) {
      if (!PICTURES && !CHECKED.has(`${width} ${colorScheme}`)) continue
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await settled(page)
      grounds.add(await ground(page))
      if (PICTURES) await takePicture(page, `${PICTURES}/${nameOf(state)}-${width}-${colorScheme}.png`)
      const found = PICTURES ? [] : [...(await findings(page)), ...(await faintControls(page))]
      for (const one of [...found, ...(await overflow(page))])
        wrong.push(`${state}, ${width} px, ${colorScheme}: ${one}`)
    }
  if (grounds.size !== SCHEMES.length || grounds.has('rgba(0, 0, 0, 0)'))
    wrong.push(`${state}: grounds ${[...grounds].join(' and ')}`)
  return wrong
}

/** Collects the findings of all states, so that one run shows all of them. */
export function looker(visitor: Visit) {
  const wrong: string[] = []
  return {
    look: async (state: string): Promise<void> => void wrong.push(...(await inspect(visitor, state))),
    done: (): void => {
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
      expect(visitor.errors).toEqual([])
    },
  }
}

const nameOf = (state: string): string =>
  state
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(' ', '-')

/** A picture of the whole page, or of the screen while a fixed element covers the page. */
async function takePicture(page: Page, path: string): Promise<void> {
  const isCovered =
    (await page
      .getByRole('dialog')
      .or(page.getByRole('region', { name: 'Player' }))
      .count()) > 0
  await page.evaluate(layOutAll)
  await page.screenshot({ path, fullPage: !isCovered })
}

/** What pictures of the documentation show. */
export const WIDE = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const

export async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  const path = `${import.meta.dirname}/../../../docs/pictures/${name}.webp`
  await page.screenshot({ path, type: 'webp', quality: 80 })
}

/** Lays out content below the screen too, which the browser otherwise skips until it is scrolled near. */
function layOutAll(): void {
  for (const one of document.querySelectorAll<HTMLElement>('main *'))
    if (getComputedStyle(one).contentVisibility === 'auto') one.style.contentVisibility = 'visible'
}
