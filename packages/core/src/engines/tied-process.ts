import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Stream } from 'node:stream'

/** A child process that cannot outlive this one. */
export interface TiedProcess {
  readonly pid: number | undefined
  /** How it ended, as a sentence. Never rejects. */
  readonly ended: Promise<string>
  /** The last lines that it printed. */
  tail(): string
  /** The first group of the first match in what it prints. */
  awaitOutput(pattern: RegExp): Promise<string>
  /** Ends it at once and waits until it is gone. */
  kill(): Promise<void>
  /** From now on it does not keep this process from ending. */
  unref(): void
}

/**
 * The shell starts a watcher and then becomes the program, which so keeps the process id that Node.js knows. The
 * watcher waits for the end of a pipe whose other end only this process holds: the kernel closes it however this
 * process ends, SIGKILL included, where no handler of ours could run.
 *
 * The watcher kills its own parent only, so that it never hits a stranger to whom the process id has passed on; where
 * there is no /proc to ask, it goes by the process id.
 */
const script = `
exec 3<&0
(
  exec >/dev/null 2>&1
  read -r _ <&3
  read -r _ _ _ parent _ </proc/self/stat
  [ "\${parent:-$$}" = "$$" ] && kill -KILL $$
) &
exec "$@" </dev/null 3<&-
`

const tailLength = 4_096

/**
 * Starts a program that is killed when this process ends, however it ends: by itself, by an error or by any signal. No
 * signal handler is installed, and Ctrl+C does not reach the program (it has a session of its own), so that this
 * process can still talk to it while it cleans up.
 */
export function spawnTied(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): TiedProcess {
  const child = spawn('/bin/sh', ['-c', script, 'isotherm-engine', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: environment,
  })
  const streams: Stream[] = [child.stdin, child.stdout, child.stderr]
  let printed = ''
  const listeners = new Set<() => void>()
  for (const stream of streams) stream.on('error', () => {})
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (chunk: string) => {
      printed = (printed + chunk).slice(-tailLength)
      for (const listener of listeners) listener()
    })
  }

  let over = false
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      over = true
      resolve(how)
    }
    child.once('error', (error) => end(`it could not be started: ${error.message}.`))
    // 'close' rather than 'exit': by then all that it printed is here.
    child.once('close', (code, signal) => {
      end(signal === null ? `it ended with exit code ${code}.` : `it was ended by ${signal}.`)
    })
  })

  return {
    pid: child.pid,
    ended,
    tail: () => printed.trim(),
    awaitOutput: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = pattern.exec(printed)?.[1]
          if (found === undefined) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
      }),
    kill: async () => {
      if (over) return
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
    unref: () => {
      child.unref()
      for (const stream of streams) if (stream instanceof Socket) stream.unref()
    },
  }
}
