import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { startMailbox } from '../../stand-ins/mailbox/index.ts'

test('the page shows the text of mails escaped, and their HTML only inside a sandbox', async () => {
  const mailbox = await startMailbox({ host: '127.0.0.1', smtpPort: 0, httpPort: 0 })
  onTestFinished(() => mailbox.stop())
  const transport = createTransport(mailbox.smtpUrl)
  await transport.sendMail({
    from: 'Prelude <hello@prelude.test>',
    to: 'ada@example.org',
    subject: '<script>1</script>',
    text: '<img src=x>',
    html: '<script>alert(1)</script><p>Hi</p>',
  })
  transport.close()
  const page = await (await fetch(mailbox.url)).text()
  expect(page).not.toContain('<script>')
  expect(page).not.toContain('<img')
  const [, src = ''] = /<iframe [^>]*src="([^"]+)" sandbox=/.exec(page) ?? []
  const frame = await fetch(new URL(src, mailbox.url))
  expect(await frame.text()).toContain('<p>Hi</p>')
  const policy = frame.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toMatch(/^sandbox (?!.*allow-(scripts|same-origin))/)
  const messages = `${mailbox.url}/api/messages`
  expect((await fetch(messages, { method: 'DELETE' })).status).toBe(204)
  expect(await (await fetch(messages)).json()).toEqual([])
})
