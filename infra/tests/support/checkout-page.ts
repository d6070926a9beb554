export type Outcome = 'pay' | 'pay_later' | 'decline' | 'cancel'

/** Presses a button on the page of the checkout stand-in at this address; answers the redirect, or the page. */
export async function press(
  { url }: { readonly url: string },
  outcome: Outcome,
): Promise<{ location: string | null; page: string }> {
  const form = await (await fetch(url)).text()
  const action = new URL(/<form[^>]*action="([^"]+)"/.exec(form)?.[1] ?? url, url)
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ outcome }),
    redirect: 'manual',
  })
  return { location: response.headers.get('location'), page: await response.text() }
}
