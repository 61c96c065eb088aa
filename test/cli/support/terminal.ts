import { setTimeout as delay } from 'node:timers/promises'
import { spawn, type IPty } from '@lydell/node-pty'
import xterm from '@xterm/headless'

const ROWS = 60
const COLUMNS = 200
/** For what hangs. */
const LIMIT_MS = 600_000

/**
 * A command, and then a question that the terminal answers once it has read everything before it. node-pty lets go of a terminal soon
 * after its program has ended: on a busy machine the last lines would be lost.
 */
const UNTIL_READ =
  'trap : INT; "$@"; code=$?; stty raw -echo; printf "\\033[5n"; head -c 4 >/dev/null; exit $code'

/** What keys send. */
export const keys = { enter: '\r', down: '\u001B[B', interrupt: '\u0003', endOfInput: '\u0004' } as const

/** A command in a pseudo-terminal, and what its user sees: the screen, after all that was drawn over. */
export class TerminalSession {
  readonly #screen = new xterm.Terminal({
    cols: COLUMNS,
    rows: ROWS,
    scrollback: 1000,
    allowProposedApi: true,
  })
  readonly #pty: IPty
  readonly #exited: Promise<number>
  #raw = ''
  #isOver = false

  constructor(
    file: string,
    args: readonly string[],
    directory: string,
    environment: Readonly<Record<string, string>>,
  ) {
    this.#pty = spawn('/bin/sh', ['-c', UNTIL_READ, 'sh', file, ...args], {
      cwd: directory,
      env: { ...environment, TERM: 'xterm-256color' },
      cols: COLUMNS,
      rows: ROWS,
    })
    this.#pty.onData((data) => {
      this.#raw += data
      this.#screen.write(data)
    })
    // Answers to what programs ask a terminal, such as where its cursor is.
    this.#screen.onData((data) => this.#pty.write(data))
    this.#exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#isOver = true
        resolve(exitCode)
      })
    })
  }

  /** Everything that was sent, with its escape sequences. */
  get raw(): string {
    return this.#raw
  }

  /** What stands on the screen, and above it. */
  async text(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#screen.write('', resolve)
    })
    const { active } = this.#screen.buffer
    const lines = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }

  type(text: string): void {
    this.#pty.write(text)
  }

  /** Waits until the screen shows this. */
  async shows(what: string | RegExp): Promise<void> {
    const pattern = typeof what === 'string' ? { test: (text: string) => text.includes(what) } : what
    const end = Date.now() + LIMIT_MS
    for (;;) {
      const wasOver = this.#isOver
      const text = await this.text()
      if (pattern.test(text)) return
      if (wasOver || Date.now() > end) throw new Error(`${String(what)} was not shown, but:\n${text}`)
      await delay(20)
    }
  }

  /** Ends whatever still runs, and lets go of the terminal. */
  close(): void {
    if (!this.#isOver) this.#pty.kill('SIGKILL')
    this.#screen.dispose()
  }

  /** Waits for the end, and gives the exit code. */
  async exit(): Promise<number> {
    const limit = delay(LIMIT_MS, undefined, { ref: false })
    const code = await Promise.race([this.#exited, limit])
    if (code !== undefined) return code
    throw new Error(`It did not end:\n${await this.text()}`)
  }
}
