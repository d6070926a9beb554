import { PROBLEMS, WEB_ROUTES } from '@prelude/contracts'
import {
  counter,
  dependencyCalls,
  DURATION_BUCKETS,
  gauge,
  histogram,
  type Subscription,
} from '@prelude/platform'
import { SIGN_IN_FAILURES } from '../accounts/sign-in-answers.ts'
import type { Answered } from '../api/plugins/request-context.ts'
import { createWebVitals } from './web-vitals.ts'

/** What people outside notice: answers, refusals, live streams. */
export function gatewayMeasures() {
  const storeCalls = dependencyCalls()
  const requests = histogram(
    'prelude_public_request_duration_seconds',
    'Duration of requests to the gateway, without live streams and health checks; files of the web app are the route web.',
    DURATION_BUCKETS,
    ['method', 'route', 'status'],
  )
  const problems = counter(
    'prelude_public_problems_total',
    'Requests to the gateway that were refused or failed, by the code of the problem.',
    ['code'],
  )
  const streams = gauge('prelude_live_streams', 'Open live streams of this instance.')
  const sent = counter('prelude_live_messages_total', 'Messages sent on live streams, by kind.', ['kind'])
  const signIns = counter(
    'prelude_sign_ins_total',
    'Sign-ins that came back from the identity provider, by outcome (ok, or why not).',
    ['outcome'],
    ['ok', ...SIGN_IN_FAILURES].map((outcome) => ({ outcome })),
  )
  const clientErrors = counter(
    'prelude_client_errors_total',
    'Errors that browsers reported, by the route of the page.',
    ['page'],
    WEB_ROUTES.map((page) => ({ page })),
  )
  const lag = gauge('prelude_live_feed_lag', 'Events not yet turned into live updates.')
  const webVitals = createWebVitals()
  let feed: Subscription | undefined
  return {
    metrics: [
      ...[storeCalls, requests, problems, streams, sent, signIns, clientErrors, lag],
      ...webVitals.metrics,
    ],
    storeCalls,
    webVitals,
    request: ({ method, route, status, code, seconds }: Answered & { seconds: number }) => {
      if (code !== null) problems.inc({ code: code in PROBLEMS ? code : 'other' })
      if (route?.endsWith('/live')) return // it lasts as long as its client stays
      const known = route?.startsWith('/api/') ? route : route === null ? 'unknown' : 'web'
      requests.observe({ method, route: known, status }, seconds)
    },
    streams: (open: number) => streams.set(open),
    sent: (kind: string) => sent.inc({ kind }),
    /** `ok`, or why not. */
    signedIn: (outcome: string) => signIns.inc({ outcome }),
    /** By the route of the page. */
    clientError: (page: string) => clientErrors.inc({ page }),
    /** The feed of live streams, once it runs. */
    watchFeed: (subscription: Subscription) => {
      feed = subscription
    },
    read: async () => {
      if (feed) lag.set(await feed.lag())
    },
  }
}
