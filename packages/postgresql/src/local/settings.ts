import { Buffer } from 'node:buffer'
import { type Message, errorText, message, messagesIn } from './messages.js'
import type { Turn } from './session.js'

/** PGlite has refused the settings of a client. */
export class SettingsRefused extends Error {
  override readonly name = 'SettingsRefused'
}

type Setting = readonly [name: string, value: string]

/** The settings of one client, which the session has in the client's turns only. */
export class Settings {
  /** Those that differ from the session's own, as of the end of a turn. */
  #values: readonly Setting[] = []
  /** Names as in `SET shop.tenant`, which pg_settings does not list. */
  readonly #customNames = new Set<string>()
  /** Whether a statement has run, since they were read, that may have changed them. */
  #mayDiffer = false
  /** Why the settings could not be read. */
  #lost: SettingsRefused | undefined

  get areOwn(): boolean {
    return this.#mayDiffer || this.#values.length > 0
  }

  /** To call before a statement that `maySet` runs. */
  willChange(text: string): void {
    this.#mayDiffer = true
    for (const [, name, quoted] of text.matchAll(CUSTOM_NAME)) this.#customNames.add((name ?? quoted)!)
  }

  /** @returns what PGlite reports to a client about settings that have changed: messages of the type `S` */
  async set(turn: Turn, values: readonly Setting[]): Promise<readonly Buffer[]> {
    for (const [name] of values) if (name.includes('.')) this.#customNames.add(name)
    this.#mayDiffer = true
    const calls = values.map(
      ([name, value]) => `pg_catalog.set_config(${quote(name)}, ${quote(value)}, false)`,
    )
    const answered = await ask(turn, `SELECT ${calls.join(', ')}`)
    return answered.filter(({ type }) => type === 'S').map(({ bytes }) => bytes)
  }

  /** Gives the session the settings that the client had at the end of its last turn. */
  async restore(turn: Turn): Promise<void> {
    if (this.#values.length === 0 && !this.#lost) return
    try {
      if (this.#lost) throw this.#lost
      await this.set(turn, this.#values)
    } catch (error) {
      if (!(error instanceof SettingsRefused)) throw error
      throw new SettingsRefused(`The settings of this connection cannot be set again: ${error.message}.`)
    }
    this.#mayDiffer = false
  }

  /** Reads the settings where they may have changed, and gives the session its own. */
  async leave(turn: Turn): Promise<void> {
    if (!this.#mayDiffer) return void (await ask(turn, RESET))
    this.#mayDiffer = false
    const names = [...this.#customNames].map(quote).join(', ')
    let rows: readonly Message[]
    const reading = [
      // An answer in another encoding could not be read.
      'RESET client_encoding',
      `SELECT 'session_authorization', session_user::text UNION ALL SELECT 'role', pg_catalog.current_setting('role')`,
      RESET_USER,
      `SELECT name, setting FROM pg_catalog.pg_settings WHERE source = 'session' AND name NOT IN (${OF_TRANSACTION})`,
      ...(names
        ? [`SELECT name, pg_catalog.current_setting(name, true) FROM unnest(ARRAY[${names}]) AS name`]
        : []),
      RESET,
    ]
    try {
      rows = await ask(turn, reading.join('; '))
    } catch (error) {
      // As with a temp_file_limit of zero: others go on.
      if (!(error instanceof SettingsRefused)) throw error
      this.#lost = error
      return void (await ask(turn, RESET))
    }
    const [user, role, ...others] = rows
      .filter(({ type }) => type === 'D')
      .map(({ bytes }) => settingIn(bytes))
    // The user at the end: it may not have the right to change the others.
    const users = [user, role].filter((each) => !OWN_USER.has(each![1]))
    this.#values = [...others, ...users].filter((each) => each !== undefined)
  }
}

/** Gives the one session to clients with settings of their own. */
export class SettingsInSession {
  /** Whose settings the session has; undefined: its own. */
  #current: Settings | undefined

  /** @throws {SettingsRefused} where a setting is no longer possible, as of a role that was dropped */
  async become(next: Settings, turn: Turn): Promise<void> {
    const last = this.#current
    if (last === next) return
    if (last?.areOwn) await last.leave(turn)
    this.#current = next
    await next.restore(turn)
  }

  /** Ends all that clients have left in the session, besides their settings. */
  async discard(turn: Turn): Promise<void> {
    this.#current = undefined
    await turn.send(message('Q', RESET_USER))
    await turn.send(DISCARD)
  }
}

const DISCARD = message('Q', 'DISCARD ALL')

/** RESET SESSION AUTHORIZATION does nothing on PGlite, which begins without a login. */
const RESET_USER = 'SET SESSION AUTHORIZATION postgres; RESET ROLE'
const RESET = `${RESET_USER}; RESET ALL`
/** SET TRANSACTION leaves them in pg_settings after its transaction, and they cannot be set again in a query. */
const OF_TRANSACTION = `'transaction_deferrable', 'transaction_isolation', 'transaction_read_only'`
/** The values of session_authorization and role at the start. */
const OWN_USER = new Set(['postgres', 'none'])

const CUSTOM_NAME =
  /\bset\s+(?:session\s+)?([a-z_]\w*\.[a-z_][\w.]*)|\bset_config\s*\(\s*'([a-z_]\w*\.[a-z_][\w.]*)'/gi

const CALLS = /\bset_config\b/i
const COMMANDS = /\b(?:set|reset|discard|do|call|execute)\b/i
const OTHER_COMMAND = /^\s*(?:insert|update|delete|merge|with|select|create|alter)\b/i

/** Whether a statement may change settings of its session. A function that does so behind its name is not noticed. */
export function maySet(text: string): boolean {
  if (CALLS.test(text)) return true
  if (!COMMANDS.test(text)) return false
  // An UPDATE has the word SET too. After a semicolon, there may be another statement.
  return !OTHER_COMMAND.test(text) || text.trimEnd().slice(0, -1).includes(';')
}

async function ask(turn: Turn, text: string) {
  const answer: Buffer[] = []
  await turn.send(message('Q', text), (part) => answer.push(part))
  const answered = [...messagesIn(Buffer.concat(answer))]
  const error = answered.find(({ type }) => type === 'E')
  if (error) throw new SettingsRefused(errorText(error.bytes))
  return answered
}

/** The two columns of a row; undefined where there is no such setting. */
function settingIn(row: Buffer): Setting | undefined {
  const name = row.readInt32BE(7)
  const value = row.readInt32BE(11 + name)
  if (value < 0) return undefined
  return [row.toString('utf8', 11, 11 + name), row.toString('utf8', 15 + name, 15 + name + value)]
}

function quote(text: string): string {
  // Not E'': a backslash has no meaning with the default of standard_conforming_strings.
  return `'${text.replaceAll("'", "''")}'`
}
