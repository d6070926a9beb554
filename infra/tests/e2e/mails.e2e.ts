import type { Page } from '@playwright/test'
import { done } from '../support/person.ts'
import { expect, test } from './fixtures.ts'
import { fulfil, mail, mails, newcomer, operator, pay, person, request, studio } from './studio.ts'

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
  const sara = await person(newcomer('שרה כהן'))
  const { email } = studio().operator
  const style = `שיר עם שקט ${sara.uid}`
  const words = ['one', 'two', 'three', 'four', 'שלום']
  await fulfil(await request(sara, 'one\u000btwo\u2028three\nfour\u0085שלום', style))
  const declined = await request(sara, 'la', 'no singer')
  const body = { reason: 'First line.\u2028Second line.' }
  done(await (await operator()).post(`/api/operator/songs/${declined.id}/decline`, body))
  await pay(sara, 25)
  await mail(sara.email, /song is ready/)
  await mail(sara.email, /^Your receipt/)
  await mail(sara.email, /cannot make/)
  const announced = await mail(email, new RegExp(`New song request: ${style.slice(0, 15)}`))
  for (const [viewport, colorScheme] of [
    [{ width: 360, height: 740 }, 'light'],
    [{ width: 360, height: 740 }, 'dark'],
    [{ width: 800, height: 740 }, 'light'],
  ] as const) {
    const page = await browser.newPage({ viewport, colorScheme })
    for (const { html, subject } of [...(await mails(sara.email)), announced]) {
      await page.setContent(html)
      const isOutlook = viewport.width > 360
      if (isOutlook) await asOutlook(page)
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
      expect([subject, overflow, paper, serif]).toEqual([
        subject,
        0,
        colorScheme === 'dark' ? 'rgb(22, 19, 17)' : 'rgb(245, 239, 227)',
        0,
      ])
      await expect(page.locator('.button a')).toHaveCount(1)
      await expect(page.getByRole('img', { name: 'A cassette' })).toHaveJSProperty('naturalWidth', 204)
    }
    await page.setContent(announced.html)
    if (viewport.width > 360) await asOutlook(page)
    expect(await linesOf(page, words)).toBe(words.length)
    await expect(page.locator('td', { hasText: style }).last()).toHaveCSS('direction', 'rtl')
    await page.close()
  }
})
