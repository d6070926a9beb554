/** The texts of mails to people in English; the other languages have the same. */
export const en = {
  /** Of times and dates. */
  locale: 'en-GB',
  /** Of sums. */
  moneyLocale: 'en-US',
  picture: 'A cassette',
  hi: (name: string | null): string => `Hi ${name ?? 'there'},`,
  questions: (support: string): string => `Questions? Write to ${support}`,
  switchOff: 'Switch these mails off',
  /** A title or style, in a sentence or a subject. */
  quoted: (name: string): string => `“${name}”`,
  openRequest: 'Open your request',
  listen: 'Listen to your song',
  style: 'Style',
  readyBy: 'Ready by',
  changesUntil: 'Changes until',
  why: 'Why',
  ready: {
    subject: (song: string): string => `Your song is ready: ${song}`,
    text: 'Your demo song is finished. Two versions are waiting for you on its page.',
    gift: 'This one is on us: it cost you no credits.',
    yours: 'It belongs to you, and you may use it commercially.',
    sentTo: (person: string): string => `This mail went to ${person}.`,
  },
  cooking: {
    subject: (song: string): string => `Your song is cooking now: ${song}`,
    text: (credits: string): string =>
      `Your credits arrived, and ${credits} credits went to the request that was waiting for them. We will write again once the song is ready.`,
  },
  late: {
    subject: (song: string): string => `Your song is late: ${song}`,
    text: 'We have not kept our word: your song is not ready yet. We are still making it, and we will write as soon as it is there.',
    credits: 'If you would rather not wait, cancel the request on its page: all of its credits come back.',
    gift: 'It is a gift and costs you no credits; if you would rather not wait, you can cancel the request on its page.',
  },
  back: {
    subject: (credits: string, song: string): string => `${credits} credits are back: ${song}`,
    cancelled: (credits: string): string =>
      `You cancelled this request, so the ${credits} credits that it had taken are yours again.`,
    gift: (credits: string): string =>
      `This song is a gift from us, so the ${credits} credits that it had taken are yours again.`,
    given: (credits: string): string =>
      `We give this song back, so the ${credits} credits that it had taken are yours again.`,
  },
  cancelled: {
    subject: (credits: string, song: string): string => `${song} is cancelled: ${credits} credits are back`,
  },
  declined: {
    subject: (song: string): string => `We cannot make ${song}`,
    subjectBack: (credits: string, song: string): string =>
      `We cannot make ${song}: ${credits} credits are back`,
    back: (credits: string): string =>
      `We could not make this song for you, so the ${credits} credits that it had taken are yours again.`,
    free: 'We could not make this song for you. It cost you nothing.',
    gift: 'We could not make this song for you. It was to be a gift and cost you nothing.',
    before: (credits: string): string =>
      `We could not make this song for you. The ${credits} credits that it had taken came back to you before.`,
  },
  changed: {
    subject: (song: string): string => `Your changes are ready: ${song}`,
    text: 'We changed your song as you asked. The new recording is on its page, beside the one before.',
  },
  replaced: {
    subject: (song: string): string => `A file of your song was replaced: ${song}`,
    text: 'We replaced a file of your song. The page of the song plays the new one, and its licence names it.',
  },
  messages: {
    one: (song: string): string => `New message about ${song}`,
    several: (song: string): string => `New messages about ${song}`,
    text: (song: string): string => `We wrote to you about your song ${song}.`,
    answer: 'Answer',
  },
  receipt: {
    subject: (credits: string, sum: string): string => `Your receipt: ${credits} credits for ${sum}`,
    transferSubject: (credits: string): string => `Your bank transfer arrived: ${credits} credits`,
    text: 'Your payment arrived, and the credits are in your account. Thank you!',
    transferText: 'Your bank transfer arrived, and the credits are in your account. Thank you!',
    paid: 'Paid',
    credits: 'Credits',
    method: 'Method',
    methods: { card: 'Card', naira_transfer: 'Naira Transfer', alternate: 'Paystack' },
    date: 'Date',
    payment: 'Payment',
    ofProvider: 'Receipt of the payment provider',
    makeSong: 'Make a song',
  },
  rejected: {
    subject: 'We could not find your bank transfer',
    text: (support: string): string =>
      `We looked for the bank transfer that you told us about and could not match it to money on our account, so no credits were added. If you did send it, please write to ${support} with the receipt of your bank.`,
    transfer: 'Transfer',
    open: (brand: string): string => `Open ${brand}`,
  },
  reversed: {
    subject: (credits: string): string => `Your payment was refunded: ${credits} credits were taken back`,
    disputedSubject: (credits: string): string =>
      `Your bank disputes a payment: ${credits} credits are on hold`,
    text: (sum: string, credits: string): string =>
      `Money of your payment of ${sum} went back to you, so its ${credits} credits were taken back.`,
    disputed: (sum: string, credits: string): string =>
      `Your bank disputes your payment of ${sum}. Until that is decided, its ${credits} credits are not yours to spend.`,
    owed: (credits: string): string =>
      `${credits} of them were spent already: you owe these. Your next credits settle that first, before they pay for songs. There is nothing else that you have to do.`,
    taken: 'Taken from your balance',
    owedInAll: 'Owed in all',
    credits: (credits: string): string => `${credits} credits`,
    statement: 'See your statement',
  },
  closed: {
    subject: 'Your account is closed',
    text: 'Your account is closed for good. Your songs, with their words and audio, and your name, address and photo are deleted. Accounting records stay, without your name.',
    last: (support: string): string =>
      `If it was not you, or not at your wish, write to ${support}. What was deleted cannot be brought back. This is our last mail to you.`,
  },
}

export type Words = typeof en
