import type { Page } from '@playwright/test'
import { everyMail } from '@prelude/notifier/testing'
import { expect, test } from './fixtures.ts'

/** Mails as programs show them. */

/** What Outlook, which draws with Word, does not know: style sheets, these properties, and padding outside table cells. */
const UNKNOWN_TO_OUTLOOK =
  /(?:^|;)\s*(?:max-width|border-radius|display|white-space|word-break|flex)\s*:[^;]*/g

const asOutlook = (page: Page): Promise<void> =>
  page.evaluate((unknown) => {
    for (const style of document.querySelectorAll('style')) style.remove()
    for (const element of document.querySelectorAll<HTMLElement>('[style]')) {
      element.style.cssText = element.style.cssText.replace(new RegExp(unknown, 'g'), '')
      if (element.tagName !== 'TD') element.style.padding = '0'
    }
  }, UNKNOWN_TO_OUTLOOK.source)

/** The distinct heights at which these texts stand. */
const linesOf = (page: Page, texts: readonly string[]): Promise<number> =>
  page.evaluate((wanted) => {
    const tops = new Set<number>()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (wanted.includes(node.nodeValue?.trim() ?? '')) {
        const range = document.createRange()
        range.selectNodeContents(node)
        tops.add(Math.round(range.getBoundingClientRect().top))
      }
    return tops.size
  }, texts)

test('each mail is whole on a phone, in the dark and without what Outlook lacks: one button, lines, direction @night', async ({
  browser,
}) => {
  const mails = await everyMail()
  const words = ['one', 'two', 'three', 'four', 'שלום']
  for (const [viewport, colorScheme] of [
    [{ width: 360, height: 740 }, 'light'],
    [{ width: 360, height: 740 }, 'dark'],
    [{ width: 800, height: 740 }, 'light'],
  ] as const) {
    const page = await browser.newPage({ viewport, colorScheme })
    for (const { kind, language, html } of mails) {
      await page.setContent(html)
      if (viewport.width > 360) await asOutlook(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const serif = await page.evaluate(
        () =>
          [...document.querySelectorAll('td')].filter(
            (cell) =>
              [...cell.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim()) &&
              !getComputedStyle(cell).fontFamily.includes('sans-serif'),
          ).length,
      )
      const buttons = await page.locator('.button a').count()
      const pictures = await page.locator('img[alt]:not([alt=""])').count()
      expect({ kind, language, overflow, paper, serif, buttons, pictures }).toEqual({
        kind,
        language,
        overflow: 0,
        paper: colorScheme === 'dark' ? 'rgb(22, 19, 17)' : 'rgb(245, 239, 227)',
        serif: 0,
        buttons: kind === 'account-closed' ? 0 : 1,
        pictures: 1,
      })
      if (kind !== 'song-requested') continue
      expect(await linesOf(page, words)).toBe(words.length)
      await expect(page.locator('td', { hasText: 'שיר עם שקט' }).last()).toHaveCSS('direction', 'rtl')
    }
    await page.close()
  }
})
