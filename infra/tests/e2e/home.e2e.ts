import type { Song } from '@prelude/contracts'
import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { album, type Visit } from './steps.ts'
import { give, person, request } from './studio.ts'

/** How much of the screen the home page takes, and how many controls, with songs in every state. */

const FOCUSABLE = ':is(a[href], button:enabled, input, select, textarea, summary):visible'
const HOUR = 3_600_000

/** Songs in every state, with the longest texts that they may have. */
function songs(one: Song): Song[] {
  const at = Date.now()
  const promised: Partial<Song> = { charged: true, charge: 'charged', promisedAt: at + 30 * HOUR }
  const ready: Partial<Song> = {
    ...promised,
    status: 'ready',
    downloadUrl1: '/1',
    downloadUrl2: '/2',
    updatedAt: at - HOUR,
    takes: { '1': 1, '2': 1 },
    timeline: [{ state: 'delivered', at: at - HOUR }],
  }
  const titled = {
    title: 'A title that is longer than the place that there is for it',
    favourite: true,
    style: 'R&B, slow, falsetto, Rhodes, brushed drums and a choir',
  }
  const late: Partial<Song> = { ...promised, timeline: [{ state: 'late', at }] }
  const reason =
    'We have no pedal steel player this month, and it would not be the song you asked for. '.repeat(4)
  const refunded = { charge: 'refunded', refundReason: reason } as const
  const states: Partial<Song>[] = [
    { ...ready, ...titled },
    { ...ready, style: '🎷'.repeat(40), lyrics: '🎶'.repeat(50) },
    { ...ready, ...titled, charge: 'gift', updatedAt: at },
    { ...ready, style: titled.style },
    { ...ready, changes: { state: 'asked', notes: [], askedAt: at, deliveredAt: null } },
    { ...ready, ...refunded },
    promised,
    { ...titled, ...late, startedAt: at },
    { ...titled, charge: 'declined' },
    { status: 'declined', charge: 'refunded', closedReason: reason, closedAt: at },
    { ...titled, status: 'cancelled', closedAt: at },
  ]
  return states.map((state, n) => ({ ...one, id: one.id.slice(0, -6) + String(100_003 * (n + 1)), ...state }))
}

/** Items that are too high, have too many controls, or a control without anything beside it. */
const misfits = (items: Locator, most: number): Promise<string[]> =>
  items.evaluateAll(
    (all, height) =>
      all.flatMap((item) => {
        const box = (one: Element): DOMRect => one.getBoundingClientRect()
        const isVisible = (one: Element): boolean => one.checkVisibility()
        const controls = [...item.querySelectorAll('a, button, input')].filter(isVisible)
        const beside = [...item.querySelectorAll('a, button, input, img, p, span, time')].filter(isVisible)
        const lonely = controls.filter((one) => {
          const { top, bottom } = box(one)
          return !beside.some(
            (other) =>
              !one.contains(other) &&
              !other.contains(one) &&
              Math.min(bottom, box(other).bottom) - Math.max(top, box(other).top) >
                Math.min(bottom - top, box(other).height) / 2,
          )
        })
        const focusable = controls.filter((one) => !one.matches(':disabled'))
        const problems = [
          ...(box(item).height > height ? [`${box(item).height} px high`] : []),
          ...(focusable.length > 8 ? [`${focusable.length} controls`] : []),
          ...lonely.map((one) => `alone: ${one.textContent || one.getAttribute('aria-label')}`),
          ...(item.scrollWidth > item.clientWidth ? ['too wide'] : []),
        ]
        return problems.map((one) => `${one}: ${item.textContent}`)
      }),
    most,
  )

const bottomOf = async (visitor: Visit, name: string): Promise<number> => {
  const box = await visitor.page.getByRole('button', { name, exact: true }).boundingBox()
  return (box?.y ?? Infinity) + (box?.height ?? 0)
}

test('home is calm: few controls, low items in every state and language, and Create on the first screen', async ({
  visitAs,
}) => {
  const ada = await person()
  await give(ada, 10)
  const all = songs(await request(ada, 'Leave the lamp on, I am late again and the rain is loud', 'Soul'))
  const visitor = await visitAs(ada)
  const { page } = visitor
  await page.route('**/api/live', (route) => route.abort())
  await page.route(/\/api\/songs\?/, async (route) => {
    const isPending = new URL(route.request().url()).searchParams.get('status') === 'pending'
    const items = isPending ? all.filter(({ status }) => status === 'pending') : all
    await route.fulfill({ json: { items, nextCursor: null } })
  })
  await page.reload()
  const items = album(visitor).getByRole('listitem')
  await expect(items).toHaveCount(all.length)
  await page.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: '1 late' }).click()
  await expect(items.filter({ hasText: 'Late:' }).getByRole('link')).toBeFocused()
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await page.locator(FOCUSABLE).count()).toBeLessThanOrEqual(90)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1600)
  await page.getByRole('heading', { name: 'My Album' }).click()
  let presses = 0
  const name = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null)
  while (!(await name())?.startsWith('Play ') && presses < 20) {
    await page.keyboard.press('Tab')
    presses++
  }
  expect(presses).toBeLessThanOrEqual(12)
  for (const [language, create] of [
    ['English', 'Create'],
    ['Français', 'Créer'],
    ['Português', 'Criar'],
  ] as const) {
    await page.getByRole('button', { name: language }).click()
    for (const [width, height, most] of [
      [1280, 800, 112],
      [768, 800, 112],
      [360, 780, 140],
    ] as const) {
      await page.setViewportSize({ width, height })
      expect(await misfits(page.getByRole('listitem'), most)).toEqual([])
      expect(await bottomOf(visitor, create)).toBeLessThanOrEqual(height)
    }
  }
})
