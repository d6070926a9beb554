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
  const requests = histogram({
    name: 'prelude_public_request_duration_seconds',
    help: 'Duration of requests to the gateway, without live streams and health checks; files of the web app are the route web.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
  })
  const problems = counter({
    name: 'prelude_public_problems_total',
    help: 'Requests to the gateway that were refused or failed, by the code of the problem.',
    labelNames: ['code'],
  })
  const streams = gauge({ name: 'prelude_live_streams', help: 'Open live streams of this instance.' })
  const sent = counter({
    name: 'prelude_live_messages_total',
    help: 'Messages sent on live streams, by kind.',
    labelNames: ['kind'],
  })
  const signIns = counter(
    {
      name: 'prelude_sign_ins_total',
      help: 'Sign-ins that came back from the identity provider, by outcome (ok, or why not).',
      labelNames: ['outcome'],
    },
    ['ok', ...SIGN_IN_FAILURES].map((outcome) => ({ outcome })),
  )
  const clientErrors = counter(
    {
      name: 'prelude_client_errors_total',
      help: 'Errors that browsers reported, by the route of the page.',
      labelNames: ['page'],
    },
    WEB_ROUTES.map((page) => ({ page })),
  )
  const lag = gauge({
    name: 'prelude_live_feed_lag',
    help: 'Events not yet turned into live updates.',
  })
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
