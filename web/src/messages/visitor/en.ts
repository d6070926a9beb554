import type { Code } from '@prelude/contracts'
import { formatsFor } from '../format.ts'

const format = formatsFor('en')
const { plural } = format

/** Texts of the first page, and of those that people without an account open. */
export const texts = {
  // the spec's sentence, letter by letter
  signInFirst: 'Please sign in first.',
  // our own texts
  wordsKept: 'What you typed is kept, and is here again once you have signed in.',
  noConnection: 'There is no connection right now. Please try again.',
  somethingWrong: 'Something went wrong. Please try again.',
  signInFailed: 'Signing in did not work. Please try again.',
  emailNotVerified:
    'Your account provider does not confirm your e-mail address. Verify it there and sign in again.',
  /** Errors of the API by code. English shows the server's own text. */
  problems: {} as Partial<Record<Code, string>>,
  pageTitle: (brand: string) => `${brand}: find your hit song before you hit the studio`,
  loading: 'Loading…',
  tryAgain: 'Try again',
  download: 'Download',
  downloadBegins: 'Your download begins in a moment.',
  dismiss: 'Dismiss',
  undo: 'Undo',
  goHome: 'Go Home',
  justNow: 'just now',
  version: (n: number) => `Version ${n}`,
  bar: {
    signIn: (provider: string) => `Sign in with ${provider}`,
    balanceUnknown: 'Loading...',
    credits: (count: number) => plural(count, { one: 'credit', other: 'credits' }, true),
    account: 'Account',
    desk: 'Desk',
    statement: 'Statement',
    yourData: 'Your data',
    sessions: 'Your sessions',
    logout: 'Logout',
    lightColours: 'Use light colours',
    darkColours: 'Use dark colours',
  },
  landing: {
    welcome: 'Welcome',
    tagline: 'Find Your Hit Song Before You Hit The Studio!',
    pitch:
      'Bring lyrics and the sound in your head. Get two finished demo takes, sung and produced. Yours to keep, yours to sell.',
    tryNow: 'Try Now',
    price: (credits: number, takes: number) =>
      `${credits} ${plural(credits, { one: 'credit', other: 'credits' })} a song · ${takes} ${plural(takes, { one: 'take', other: 'takes' })}`,
    samples: 'Sample songs',
    listen: 'Same words, same tune, two takes. Press play.',
    takes: (count: number) => plural(count, { one: 'demo · 1 take', other: `demo · ${count} takes` }),
    play: (take: string, artist: string) => `Play sample ${take} of ${artist}`,
    side: (take: string) => `Side ${take}`,
    how: 'How it works',
    steps: [
      {
        title: 'Bring the words',
        text: 'Paste your lyrics, complete or incomplete, and describe the genre, speed, voice and instruments.',
      },
      {
        title: 'We cook',
        text: 'Two takes of your song are sung, played and mixed. You get an e-mail when they are ready.',
      },
      {
        title: 'Compare and keep',
        text: 'Switch between Version 1 and Version 2 at the same bar. Download both. Then book the studio, or don’t.',
      },
    ],
    priceTitle: 'The price',
    priceUnit: 'credits a song',
    priceText: (smallest: number, songs: number) =>
      `Both takes included. One credit is one US dollar; the smallest top-up is ${format.price(smallest, 'USD')}, enough for ${plural(songs, { one: '1 song', other: `${songs} songs` })}. No subscription.`,
    ownTitle: 'You own the song',
    ownText:
      'Generated songs belong to you and may be used commercially: release them, perform them, pitch them, sell them.',
    questions: 'Questions',
    answers: [
      {
        question: 'How long does it take?',
        answer:
          'The form says when a song that is paid now will be ready; once yours is paid, its time does not move. If we are late, you can have all of your credits back.',
      },
      {
        question: 'My lyrics are not finished. Can I still send them?',
        answer: 'Yes. Send what you have; a verse and a hook are plenty to hear whether the song is there.',
      },
      {
        question: 'What exactly do I get?',
        answer:
          'Two finished versions of the same song as audio files, to play in your album and to download.',
      },
      {
        question: 'What if I do not have enough credits?',
        answer:
          'Your request is kept and waits. It starts by itself as soon as credits arrive; nothing has to be sent again.',
      },
      {
        question: 'How can I pay?',
        answer:
          'By card from anywhere. In Nigeria also by Naira Transfer; credits are added within an hour of it.',
      },
      {
        question: 'Who else sees my lyrics?',
        answer: 'Only you and the people who make your song. Nothing is published by us.',
      },
    ],
    otherQuestion: 'Something else? Write to',
    start: 'Start your first demo',
  },
  footer: { language: 'Language', terms: 'Terms', privacy: 'Privacy', imprint: 'Imprint' },
  notFound: {
    title: 'Page not found',
    text: 'There is nothing at this address. The song must be somewhere else.',
  },
  unreachable: {
    offline: 'You are offline',
    noAnswer: 'The server does not respond',
    text: 'Your songs are safe, and what you typed in this tab is kept. This page continues as soon as the connection is back.',
    retrying: 'trying again…',
  },
  errorPage: {
    title: 'The tape got caught',
    text: 'This part of the page could not be shown. Your songs and what you typed are kept.',
    reload: 'Load the page again',
  },
  /** Of a song that is charged now. */
  promise: {
    readyBy: (when: string) => `Ready by ${when}`,
    ifPaidNow: (when: string) => `Ready by ${when}, if you pay now`,
  },
  share: {
    by: (artist: string) => `by ${artist}`,
    download: (version: string) => `Download ${version}`,
    madeWith: (brand: string) => `Made with ${brand}: your words, two takes.`,
  },
  made: {
    title: 'How it was made',
    notStated: 'Not stated',
    people: 'Made by people',
    assisted: 'Made with the help of AI',
    ai: 'Made by AI',
  },
  licence: {
    title: 'Licence',
    valid: 'Valid',
    notValid: 'Not valid',
    refunded: 'The credits of this song were given back.',
    replaced: 'Newer takes replaced these files.',
    newer: 'The newer licence',
    hash: (sha256: string) => `SHA-256 ${sha256}`,
    issued: (when: string) => `Issued on ${when}`,
    allowed:
      'This song belongs to the person who ordered it and may be used commercially: released, performed, pitched, sold.',
    noRegistration: 'This is a permission, and no registration of a copyright.',
    noName: 'The name on a printed licence is not part of this check.',
    check: 'Check a file',
    stays: 'Choose a file or drop it here. It stays on this device.',
    same: 'This is the file.',
    other: 'This is not the file.',
    unreadable: 'This file could not be read.',
  },
  player: {
    playVersion: (version: string) => `Play ${version}`,
    takeOf: (version: string, n: number) => `${version}, take ${n}`,
    title: 'Player',
    play: 'Play',
    pause: 'Pause',
    nowPlaying: (version: string) => `${version} is playing`,
    lyrics: 'Lyrics',
    pressPlay: 'Press play to listen.',
    failed: {
      now: 'This version cannot be played right now.',
      here: 'This browser cannot play this kind of file. Another browser or program may.',
    },
    noWaveform: 'There is no waveform of this version. It plays all the same.',
    position: 'Position',
    positionOf: (at: string, whole: string) => `${at} of ${whole}`,
    version: 'Version',
    download: 'Download',
    save: 'Save',
  },
}
