import type { AlertName } from '@prelude/contracts'

/**
 * How this installation was started, which decides how its commands are typed: as one process from a checkout, or where
 * `RUNS_IN` says. Null: unknown.
 */
export type RunsIn =
  | 'containers'
  | 'kubernetes'
  | { readonly checkout: string; readonly dataDir: string }
  | null

/** Commands of `prelude` that help with an alert. */
const COMMANDS: Partial<Record<AlertName, 'check-invariants' | 'replay' | 'backup'>> = {
  PreludeInvariantBroken: 'check-invariants',
  PreludeDeadLetters: 'replay',
  PreludeBackupOld: 'backup',
}

/** Alerts whose reason is in the log of the service; null: that of the alert. */
const LOGS: Partial<Record<AlertName, 'auditor' | null>> = {
  PreludeServiceDown: null,
  PreludeInstanceDown: null,
  PreludeConsumerStalled: null,
  PreludeJobFailing: null,
  PreludeCrossCheckStale: 'auditor',
}

/** The command that helps with an alert, as it is typed in this installation; undefined where there is none. */
export function commandFor(
  { name, service }: { readonly name: AlertName; readonly service: string | null },
  runsIn: RunsIn,
): string | undefined {
  const command = COMMANDS[name]
  if (command !== undefined) return typed(command, runsIn)
  const log = LOGS[name] === undefined ? null : (LOGS[name] ?? service)
  if (log === null || runsIn === null) return undefined
  if (runsIn === 'containers') return `docker compose logs --tail 50 ${log}`
  if (runsIn !== 'kubernetes') return 'journalctl -u prelude -n 50'
  return `kubectl -n prelude logs --tail 50 -l app.kubernetes.io/name=${log} --prefix`
}

function typed(command: string, runsIn: RunsIn): string {
  if (runsIn === null) return `prelude ${command}`
  if (runsIn === 'containers')
    return command === 'backup'
      ? 'docker compose run --rm backup prelude backup --in=/backups'
      : `docker compose run --rm prepare prelude ${command}`
  if (runsIn === 'kubernetes')
    return `kubectl -n prelude create job --from=cronjob/${command} ${command}-$(date +%s)`
  return `cd ${runsIn.checkout} && DATA_DIR=${runsIn.dataDir} make prelude RUN=${command}`
}
