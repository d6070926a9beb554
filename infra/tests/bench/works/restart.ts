import { launchBrowser } from '../../e2e/browser.ts'
import { startBenchProduct } from '../product.ts'
import { PHONE, visit } from '../visit.ts'
import { atMost, ms, type Work } from '../work.ts'

const RESTARTS = 5

/** A restart while a customer's page is open: from when the product serves again until the page shows what happens then. */
export const restart: Work = {
  name: 'restart',
  run: async () => {
    await using product = await startBenchProduct()
    const { url } = product
    const [customer] = await product.people(1, 0)
    await using browser = await launchBrowser()
    await using phone = await visit(browser, PHONE, { url, person: customer! })
    const album = phone.page.getByRole('region', { name: 'My Album' })
    const request = async (style: string): Promise<void> => {
      await customer!.post('/api/songs', { lyrics: 'la', style })
      await album.getByText(style).waitFor()
    }
    await phone.page.goto(url)
    await request('Before')
    const times: number[] = []
    while (times.length < RESTARTS) {
      await product.process.stop()
      await phone.page.getByText('Connection lost.').waitFor()
      await product.process.start()
      const since = performance.now()
      await request(`After restart ${times.length}.`)
      await phone.page.getByText('Connection lost.').waitFor({ state: 'detached' })
      times.push(performance.now() - since)
    }
    return [
      atMost('restart: serving again → the open page is live', ms, { slowest: [Math.max(...times), 3_000] }),
    ]
  },
}
