import { formatsFor } from './format.ts'

const format = formatsFor('en')
const { plural } = format

/** Texts of the pages of a signed-in person, which are loaded with them. */
export const personPages = {
  order: {
    readyLater: (when: string, said: string) => `Ready by ${when}, longer than the form said (${said})`,
    late: (when: string) => `Late: promised for ${when}`,
    backAtOnce: (credits: number) => `you can have your ${format.credits(credits)} credits back`,
    ready: 'Ready',
    gift: 'a gift',
    ends: { cancelled: 'Cancelled', declined: 'Declined' },
    changing: 'We are working on your changes.',
    cancel: 'Cancel request',
    cancelTitle: 'Cancel this request?',
    cancelPaid: (credits: number) =>
      `It will not be made, and its ${format.credits(credits)} credits are yours again at once.`,
    cancelUnpaid: 'It will not be made. It has cost you nothing.',
    keep: 'Keep it',
    cancelled: 'Request cancelled.',
    cancelledPaid: (credits: number) =>
      `Request cancelled. ${format.credits(credits)} credits are yours again.`,
    askChanges: 'Ask for changes',
    accept: 'Accept',
    accepted: 'Accepted. Thank you.',
    changesUntil: (when: string) => `Changes until ${when}`,
  },
  thread: {
    title: 'Messages',
    message: 'Message',
    none: 'Nothing written yet.',
    hint: 'Ctrl or ⌘ with Enter sends it.',
    send: 'Send',
    empty: 'Write something first.',
    closed: 'Messages about this song are closed.',
    you: 'You',
    studio: 'Studio',
    read: 'read',
    /** Announced when one arrives. */
    arrived: 'A new message has arrived.',
    unread: (count: number) => plural(count, { one: '1 new message', other: `${count} new messages` }),
  },
  sessions: {
    title: 'Your sessions',
    about: 'The browsers in which you are signed in. If you do not recognise one, end it.',
    list: 'Sessions',
    current: 'this browser',
    since: (when: string) => `signed in ${when}`,
    lastSeen: (when: string) => `last seen ${when}`,
    end: (browser: string, when: string) => `Sign out ${browser}, signed in ${when}`,
    signOut: 'Sign out',
    everywhere: 'Sign out everywhere',
    everywhereHint: 'Ends all other sessions. This browser stays signed in.',
    ended: 'The session is ended.',
    othersEnded: 'All other sessions are ended.',
  },
  yourData: {
    title: 'Your data',
    holds:
      'All data that we hold about you, as one ZIP file: your profile, your songs with their lyrics, messages and audio, your statement, your payments, and a list of the mails we sent you.',
    download: 'Download your data',
    close: 'Close your account',
    operatorStays: 'The account of the operator cannot be closed.',
    irreversible: 'This takes effect immediately and cannot be undone. Download your data first.',
    losesReady: (count: number) =>
      plural(count, {
        one: 'Your finished song is deleted, with its audio.',
        other: `Your ${count} finished songs are deleted, with their audio.`,
      }),
    losesCooking: (count: number) =>
      plural(count, {
        one: 'The song that is cooking is cancelled, and its credits are not refunded.',
        other: `The ${count} songs that are cooking are cancelled, and their credits are not refunded.`,
      }),
    losesWaiting: (count: number) =>
      plural(count, {
        one: 'The request waiting for credits is deleted.',
        other: `The ${count} requests waiting for credits are deleted.`,
      }),
    losesCredits: (credits: number, supportEmail: string) =>
      `Your ${format.credits(credits)} credits are lost. If you want a refund, write to ${supportEmail} first.`,
    losesName:
      'Your name, your e-mail address and your photo are deleted, and you are signed out everywhere.',
    stays:
      'Accounting records remain: amounts and dates without your name. If you sign in again, you start with an empty account.',
    inDebt: (debt: number) =>
      `You owe ${format.credits(debt)} credits for a payment that was reversed. Settle them, or write to us, before you close your account.`,
    underWay:
      'One of your payments is still in progress. You can close your account once it is settled, or write to us.',
    confirm: 'Type your e-mail address to confirm',
    wrongConfirmation: 'Type the e-mail address of your account to close it.',
    closePermanently: 'Close my account permanently',
    closed: 'Your account is closed and your data is deleted.',
    signInAgain:
      'Your last sign-in was a while ago. Sign in again to download your data or to close your account.',
  },
  /** What a request says beside lyrics and style. */
  brief: {
    title: 'Brief',
    hint: 'optional',
    labels: {
      genre: 'Genre',
      mood: 'Mood',
      tempo: 'Tempo',
      voice: 'Voice',
      language: 'Language',
      instruments: 'Instruments',
      reference: 'Reference',
    },
    keepWords: 'Keep my words exactly',
    yes: 'yes',
    tempoOf: (bpm: number) => `${bpm} BPM`,
    tempoPlaceholder: 'BPM',
    instrumentsHint: 'Separated by commas.',
    referenceHint: 'The address of a song that sounds alike.',
    choices: {
      genre: ['Afrobeats', 'Gospel soul', 'Highlife', 'Indie pop', 'Amapiano'],
      mood: ['joyful', 'tender', 'longing', 'defiant', 'calm'],
      voice: ['warm female lead', 'raspy male lead', 'choir'],
      language: ['English', 'Yoruba', 'Igbo', 'Pidgin', 'French', 'Portuguese'],
      instruments: ['acoustic guitar', 'Rhodes', 'bass', 'horns', 'talking drum', 'strings'],
    },
    tooLong: (most: number) =>
      plural(most, { one: 'At most 1 character.', other: `At most ${most} characters.` }),
    wrongTempo: (least: number, most: number) => `A whole number from ${least} to ${most}.`,
    tooMany: (most: number) =>
      plural(most, { one: 'At most 1 instrument.', other: `At most ${most} instruments.` }),
    wrongReference: 'An address that begins with https://',
    sections: { Verse: 'Verse', Chorus: 'Chorus', Bridge: 'Bridge' },
    putBack: 'Put back what I was writing',
    generator: 'We may use a music generator, which gets your lyrics, style and brief, not your name.',
  },
  /** What should change in a delivered song. */
  changes: {
    title: 'Changes',
    hint: 'Listen, stop where something should change, and say what. All of it is sent at once.',
    addHere: 'Add note here',
    addWhole: 'For the whole version',
    note: 'Note',
    newNote: (at: string) => `What should change at ${at}?`,
    editing: (at: string) => `You are editing: ${at}`,
    placeholder: 'The voice a little louder, please',
    notes: 'Notes',
    at: (version: string, at: string) => `${version}, ${at}`,
    whole: 'as a whole',
    empty: 'Nothing written yet',
    edit: 'Edit',
    remove: 'Remove',
    send: 'Send changes',
    sent: 'Sent. We will write as soon as the new recording is there.',
    noneYet: 'Write at least one first.',
    emptyNote: 'One is still empty: write what should change there, or remove it.',
    full: (most: number) => `At most ${most} at a time.`,
    misfits: 'Some notes cannot be sent as they are. Edit or remove those that are marked.',
    afterEnd: 'After the end of the recording, which is another one now',
    asked: (when: string) => `Asked for ${when}. We are working on it.`,
    delivered: (when: string) => `Delivered ${when}. The new takes are above, beside those before.`,
  },
  /** What the operator reads about a delivery under way, at home and at the desk. */
  delivery: {
    madeWith: 'Made with',
    madeSaved: 'Saved.',
    save: 'Save',
    /** After Cancel or Pause, once the files may have arrived. */
    asking: 'Asking the server whether it has arrived…',
    tooLateToCancel: 'It was delivered before it could be cancelled. A wrong file can be replaced.',
    outcomeUnknown:
      'The server does not answer: whether it was delivered is not known. Look before you send it again.',
    replaceTitle: 'Replace this file?',
    replaceEnds: 'The file that is there now is removed for good.',
    keep: 'Keep it',
  },
  /** What waits for the person, above the album. */
  needsYou: {
    title: 'Needs you',
    late: (count: number) => `${format.whole(count)} late`,
    waiting: (count: number) => `${format.whole(count)} waiting for credits`,
    messages: (count: number) => `${format.whole(count)} with new messages`,
  },
  /** How an owner keeps songs. */
  library: {
    favourites: 'Favourites',
    archived: 'Archived',
    sort: 'Sort',
    newest: 'Newest first',
    byTitle: 'By title',
    shown: (count: number) =>
      plural(count, { one: '1 request shown', other: `${format.whole(count)} requests shown` }),
    acceptTitle: 'Accept this song?',
    acceptEnds: 'Changes can no longer be asked for after that. Both versions stay in your album.',
    acceptedOtherwise: (when: string) => `Without your answer it counts as accepted ${when}.`,
    notYet: 'Not yet',
    rename: 'Rename',
    title: 'Title',
    favourite: 'Favourite',
    askAgain: 'Ask again',
    askedAgain: 'The form holds the words of this song. Change what you like.',
    archive: 'Archive',
    restore: 'Back to the album',
    archivedDone: 'Archived. It is under “Archived” in your album.',
    restoredDone: 'Back in your album.',
    prefer: (version: string) => `Prefer ${version}`,
  },
  /** Links by which people without an account hear a song. */
  sharing: {
    share: 'Share',
    hint: 'Whoever has the link hears the song, without an account, until you end it.',
    showsTitle: 'It shows the title and your first name.',
    showsStyle: 'It shows your first name and, as the song has no title, its style.',
    lyrics: 'Show lyrics',
    download: 'Allow download',
    expires: 'Expires',
    never: 'Never',
    days: (days: number) => plural(days, { one: 'After 1 day', other: `After ${days} days` }),
    make: 'Make link',
    noVersion: 'Choose at least one version.',
    link: 'Link',
    copy: 'Copy',
    copied: 'link copied!',
    links: 'Links',
    none: 'No links yet.',
    another: 'Another link',
    send: 'Send…',
    bothVersions: '2 versions',
    withLyrics: 'lyrics',
    withDownload: 'download',
    plays: (count: number) => plural(count, { one: '1 play', other: `${format.whole(count)} plays` }),
    until: (when: string) => `until ${when}`,
    ended: (when: string) => `ended ${when}`,
    end: 'End link',
    endTitle: 'End this link?',
    endEnds: 'Nobody can hear the song by it after that.',
    keep: 'Keep it',
    endDone: 'The link has ended.',
  },
}
