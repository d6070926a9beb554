/** Every sentence of the app. Those of the product's description stand to the letter. */
export const messages = {
  signInFirst: 'Please sign in first.',
  lyricsAndStyle: 'Please provide lyrics and style of song.',
  submitting: 'Submitting your demo request...',
  submitted: (id: string) => `Request submitted. Request ID: ${id}. We'll notify when ready.`,
  submitFailed: 'Error submitting request. Try again.',
  amountTooLow: 'Amount must be greater than 24.99',
  checkoutFailed: 'The payment page cannot be opened right now. Please try again.',
  selectSong: 'Select a song ID to upload to.',
  bothVersions: 'Upload both Version 1 and Version 2 MP3 files.',
  uploadFailed: 'Upload failed. Please try again.',
  uploaded: 'Both versions uploaded successfully — song marked as ready.',
  replaced: (version: string) => `Version ${version} is replaced.`,
  uploading: 'Uploading both versions...',
  wrongPassword: 'Wrong admin password.',
  unlocked: 'Admin mode enabled.',
  emptyAlbum: 'No requests yet. Create your first demo!',
  cooking: 'Cooking...',
  mailWhenReady: "You'll get an email once song is ready.",
  lowCredits: 'Low credits',
  styleCopied: 'music style copied!',
  lyricsCopied: 'lyrics copied!',
  copyFailed: 'Copying did not work in this browser.',
  comingSoon: 'The marketplace is coming soon. You will be able to sell your songs here.',
  untitled: 'Untitled',
  noLyrics: 'No lyrics available for this song.',
  paymentSuccessful: 'Payment Successful',
  paymentFailed: 'Payment Failed',
  paymentFailedText: 'Oops! Your payment was not successful. Please try again or contact support',
  offline: 'Connection lost. Trying again…',
  noConnection: 'There is no connection right now. Please try again.',
  somethingWrong: 'Something went wrong. Please try again.',
  signInFailed: 'Signing in did not work. Please try again.',
  emailNotVerified:
    'Your e-mail address is not verified yet. Verify it with your account provider and sign in again.',
  signOutFailed: 'Signing out did not work. Please try again.',
  uploadCancelled: 'Upload cancelled.',
  transferNoted: 'Thank you. We are looking for your transfer; credits are added within an hour.',
} as const

/** The first `count` code points, then an ellipsis. */
export function truncate(text: string, count: number): string {
  const points = Array.from(text)
  return points.length > count ? `${points.slice(0, count).join('')}…` : text
}

const meta = (name: string, fallback: string): string => {
  const value = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return value === '' || value.startsWith('{{') ? fallback : value
}

/** What the server fills into the page. */
export const house = {
  brand: meta('brand', 'Prelude'),
  supportEmail: meta('support-email', 'support@prelude.test'),
  signInProvider: meta('sign-in-provider', 'Google'),
}

/** Credits with two decimals and no thousands separator. */
export const credits = (value: number): string => value.toFixed(2)
