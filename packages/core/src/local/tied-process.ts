import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Stream } from 'node:stream'
import { IsothermError } from '../errors.js'
import { messageOf } from './resolve.js'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
 * The watcher kills its own parent only, so that it never hits another process that has got the same process id; without
 * /proc, it relies on the process id.
 */
const PROCESS_SCRIPT = `
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
  const child = spawn('/bin/sh', ['-c', PROCESS_SCRIPT, 'isotherm-engine', program, ...args], {
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

/** The result of `work`; if it fails, the error also contains the last output of the process. */
export async function withTail<Value>(child: TiedProcess, work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    const tail = quoted(child.tail())
    if (error instanceof IsothermError || tail === '' || messageOf(error).endsWith(tail)) throw error
    throw new Error(`${messageOf(error)}${tail}`, { cause: error })
  }
}

/** The last lines of a process, to follow a sentence; nothing if it was silent. */
export function quoted(tail: string): string {
  return tail === '' ? '' : ` Its output ends:\n      ${tail.split('\n').join('\n      ')}`
}

/** A folder that does not outlive this process. */
export interface TiedFolder {
  readonly path: string
  /** Removes it with all that is in it, and waits until it is gone. */
  remove(): Promise<void>
}

/**
 * Waits for a line, which asks for the removal, or for the end of the pipe, which means that this process is gone
 * however it ended. Then the programs that write to the folder are about to be killed as well: it has to be found gone
 * several times in a row.
 */
const FOLDER_SCRIPT = `
if read -r _; then
  exec rm -rf "$1"
fi
gone=0
tries=0
while [ $gone -lt 3 ] && [ $tries -lt 100 ]; do
  tries=$((tries + 1))
  if [ -e "$1" ]; then gone=0; rm -rf "$1"; else gone=$((gone + 1)); fi
  sleep 0.1
done
`

/** Makes a folder with a unique name, which is removed when this process ends, even by SIGKILL. */
export async function tiedFolder(prefix: string, parent = tmpdir()): Promise<TiedFolder> {
  const path = await mkdtemp(join(parent, prefix))
  const remover = spawn('/bin/sh', ['-c', FOLDER_SCRIPT, 'isotherm-folder', path], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = once(remover, 'close').catch(() => {})
  remover.stdin.on('error', () => {})
  remover.unref()
  if (remover.stdin instanceof Socket) remover.stdin.unref()
  return {
    path,
    remove: async () => {
      remover.ref()
      remover.stdin.end('now\n')
      await ended
      // The folder is removed already, unless there was no shell.
      await rm(path, { recursive: true, force: true })
    },
  }
}
