import type { ServiceName } from '@prelude/contracts'
import { creditsProgram } from '@prelude/credits'
import { gatewayProgram } from '@prelude/gateway'
import { notifierProgram } from '@prelude/notifier'
import { paymentsProgram } from '@prelude/payments'
import { type Program as ServiceProgram, type Settings, settingsOf } from '@prelude/platform'
import { songsProgram } from '@prelude/songs'
import { storageProgram } from '@prelude/storage'
import { storeSettings } from '../../cli/check-invariants.ts'
import { auditorSettings } from '../../invariants/cross-check.ts'
import { prepareSettings } from '../../prepare/prepare.ts'

/** A process of the distributed product. */
interface Program {
  readonly main: string
  /** Every setting that it reads; no other shape may name one that is not here. */
  readonly settings: Settings
  /** The services that it calls. */
  readonly calls: readonly ServiceName[]
}

const service = <S extends Settings>(program: ServiceProgram<S>): Program => ({
  main: `${program.service === 'gateway' ? 'gateway' : `services/${program.service}`}/src/main.ts`,
  settings: settingsOf(program),
  calls: program.calls,
})

export const SERVICES: Readonly<Record<ServiceName, Program>> = {
  gateway: service(gatewayProgram),
  songs: service(songsProgram),
  credits: service(creditsProgram),
  payments: service(paymentsProgram),
  storage: service(storageProgram),
  notifier: service(notifierProgram),
}

/** What a cluster and containers run: tests hold their files to this table. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  ...SERVICES,
  // its container is also where operators run `prelude check-invariants`
  prepare: { main: 'infra/prepare/main.ts', settings: { ...prepareSettings, ...storeSettings }, calls: [] },
  auditor: { main: 'infra/invariants/hourly.ts', settings: auditorSettings, calls: [] },
}

/** The names in an environment of what a program reads; `required`: without a default. */
export const namesOf = ({ settings }: Pick<Program, 'settings'>): { all: string[]; required: string[] } => {
  const all = Object.values(settings)
  return {
    all: all.map(({ env }) => env),
    required: all.filter((setting) => !('fallback' in setting)).map(({ env }) => env),
  }
}
