import { fromCents, KOBO_PER_CREDIT, Nullable, TRANSFER_MIN_KOBO } from '@prelude/contracts'
import { Type } from 'typebox'
import type { FindUser } from '../accounts/store/users.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import type { Countries } from './countries.ts'

type Deps = { config: GatewayConfig; countries: Countries; findUser: FindUser }

const Card = Type.Object({ id: Type.Literal('card') })
const NairaTransfer = Type.Object({
  id: Type.Literal('naira_transfer'),
  amount: Type.Number(),
  currency: Type.Literal('NGN'),
  credits: Type.Number(),
  bankName: Type.String(),
  accountName: Type.String(),
  accountNumber: Type.String(),
  reference: Nullable(Type.String()),
  note: Type.String(),
  supportEmail: Type.String(),
})

/** Spec §2: bank transfer is offered in Nigeria only; the reference is the person's e-mail. */
export const paymentMethods = ({ config, countries, findUser }: Deps): PublicRoute =>
  publicRoute('GET /api/payment-methods', {
    access: 'visitor',
    summary: 'How the caller may pay',
    reply: Type.Array(Type.Union([Card, NairaTransfer])),
    handle: async ({ request }) => {
      const country = await countries.of(request)
      if (country?.countryCode !== 'NG') return [{ id: 'card' }]
      const user = request.caller && (await findUser(request.caller.uid))
      const transfer = {
        id: 'naira_transfer',
        amount: fromCents(TRANSFER_MIN_KOBO),
        currency: 'NGN',
        credits: TRANSFER_MIN_KOBO / KOBO_PER_CREDIT,
        ...config.bank,
        reference: user?.email ?? null,
        supportEmail: config.supportEmail,
      }
      return [{ id: 'card' }, transfer]
    },
  })

export const geo = ({ countries }: Deps): PublicRoute =>
  publicRoute('GET /api/geo', {
    access: 'anyone',
    summary: "The country of the caller's address, or nulls",
    reply: Type.Object({ country: Nullable(Type.String()), countryCode: Nullable(Type.String()) }),
    handle: async ({ request }) => (await countries.of(request)) ?? { country: null, countryCode: null },
  })
