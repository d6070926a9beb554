import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from '../../servers/installed.ts'
import { type Process, startProcess } from '../../servers/server-process.ts'

/** Errors: ServerMissing. */
export const findSound = (): void => findProgram('pulseaudio')

/**
 * An output device that plays in real time and is heard by nobody: without a device Firefox refuses to play, and WebKit
 * falls back to a sink of its own. `env` makes a browser use it.
 */
export async function startSound(dir: string): Promise<Process & { readonly env: Record<string, string> }> {
  const socket = join(dir, 'socket')
  const server = await startProcess({
    name: 'pulseaudio',
    dir,
    command: 'pulseaudio',
    args: [
      '-n',
      '--daemonize=no',
      '--exit-idle-time=-1',
      '--load=module-null-sink',
      `--load=module-native-protocol-unix socket=${socket} auth-anonymous=1`,
    ],
    env: { HOME: dir, XDG_RUNTIME_DIR: dir },
    healthy: () => access(socket),
  })
  return { ...server, env: { PULSE_SERVER: `unix:${socket}` } }
}
