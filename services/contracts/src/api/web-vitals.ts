import { type Static, Type } from 'typebox'
import { WEB_ROUTES } from '../browser.ts'
import { Nullable, OneOf } from './operation.ts'

/** The Core Web Vitals (web.dev/vitals), by the fields of a report. */
export const WEB_VITALS = ['lcpMs', 'inpMs', 'cls'] as const
export type WebVital = (typeof WEB_VITALS)[number]

const measured = (description: string, maximum: number) =>
  Type.Optional(Type.Number({ description, minimum: 0, maximum }))

/** What a browser measured from loading a page to leaving it. What it cannot measure, or what never happened, is missing. */
export const WebVitalsReport = Type.Object({
  page: OneOf(...WEB_ROUTES),
  lcpMs: measured('until the largest text or image was shown (Largest Contentful Paint)', 3_600_000),
  inpMs: measured('the slowest answer to an input (Interaction to Next Paint)', 3_600_000),
  cls: measured('how much of the page moved (Cumulative Layout Shift)', 1_000),
})
export type WebVitalsReport = Static<typeof WebVitalsReport>

/** One of them over all reports since the gateways started. */
export const WebVitalSummary = Type.Object({
  name: OneOf(...WEB_VITALS),
  /** The 75th percentile, null without a report. */
  p75: Nullable(Type.Number()),
  reports: Type.Integer(),
})
export type WebVitalSummary = Static<typeof WebVitalSummary>
