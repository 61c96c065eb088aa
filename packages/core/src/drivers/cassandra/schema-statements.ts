import { setTimeout as delay } from 'node:timers/promises'
import { IsothermError } from '../../errors.js'
import type { CallOptions } from '../../database/driver.js'
import type { CqlTarget } from '../../dialects/cql/capabilities.js'
import { effectOf, type DdlEffect } from '../../dialects/cql/ddl-effect.js'
import { introspectCql } from '../../dialects/cql/introspect.js'
import { dialectNamed } from '../../dialects/registry.js'
import { answer, refuseAborted, timeLimit } from '../calls.js'
import { schemaAgrees } from './agreement.js'
import { shows } from './catalogue.js'
import { isUnanswered, outcomeUnknown, translate } from './errors.js'
import type { Session } from './execute.js'
import { tableChangedBy, tableIsAtRest, tableIsSettled } from './keyspaces.js'
import { queryRows } from './statements.js'

/** How long the catalogue is looked at for a statement whose answer was lost, in milliseconds. */
const SHOWS_WITHIN = 10_000
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 2_000

/** Somebody may give up a schema change, which then is looked at no more. */
interface Waiting {
  ended: boolean
  sent: boolean
}

/** Statements that change the schema, each of which is awaited: until all nodes have it, and until the service is through. */
export class SchemaStatements {
  readonly #session: Session
  readonly #target: CqlTarget
  readonly #deadline: number

  /** @param deadline of one call, in milliseconds */
  constructor(session: Session, target: CqlTarget, deadline: number) {
    this.#session = session
    this.#target = target
    this.#deadline = deadline
  }

  /** One after another. */
  async apply(texts: readonly string[], options: CallOptions): Promise<void> {
    const endsAt = performance.now() + timeLimit(options.deadline, this.#deadline)
    for (const text of texts) {
      await this.run(text, { ...options, deadline: endsAt - performance.now() })
    }
  }

  /**
   * @param again the statement may have run before: it is through where the catalogue shows what it does
   * @throws {IsothermError} `OUTCOME_UNKNOWN` where nobody knows whether it has run.
   */
  async run(text: string, options: CallOptions, again = false): Promise<void> {
    refuseAborted(options)
    const limit = timeLimit(options.deadline, this.#deadline)
    const waiting: Waiting = { ended: false, sent: false }
    try {
      await answer(() => this.#through(text, limit, again, waiting), limit, options)
    } catch (error) {
      const { has } = this.#session
      throw waiting.sent && isUnanswered(error) ? outcomeUnknown(error, false, has) : translate(error, has)
    } finally {
      waiting.ended = true
    }
  }

  /** The statements that would make the schema that is there. */
  async read(options: CallOptions): Promise<string[]> {
    const dialect = dialectNamed('cql', this.#target)
    const schema = await introspectCql(
      { query: (statement, types) => queryRows(this.#session, statement, types, options) },
      this.#session.keyspace,
    )
    return dialect.ddl(
      schema,
      schema.tables.map((table) => dialect.layout(table, schema)),
    )
  }

  async #through(text: string, limit: number, again: boolean, waiting: Waiting): Promise<void> {
    const effect = effectOf(text)
    const session = this.#session
    if (again) await this.#rests(text, waiting)
    if (!(again && (await this.#hasTakenPlace(effect)))) {
      try {
        await this.#send(text, effect, limit, waiting)
      } catch (error) {
        // Whoever sent it before may have died while the database was still at it.
        const isRefused = again && effect !== undefined && !waiting.sent
        if (!isRefused || !(await this.#rests(text, waiting)) || !(await shows(session, effect))) throw error
      }
    }
    if (!session.has.asynchronousDdl) {
      await this.#until(() => schemaAgrees(session.client), waiting)
      return
    }
    const table = tableChangedBy(text)
    if (table) await this.#until(() => tableIsSettled(session, table), waiting)
    if (effect) await this.#until(() => shows(session, effect), waiting)
  }

  async #send(text: string, effect: DdlEffect | undefined, limit: number, waiting: Waiting): Promise<void> {
    const { client } = this.#session
    waiting.sent = true
    try {
      await client.execute(text, [], { prepare: false, isIdempotent: false, readTimeout: Math.max(1, limit) })
    } catch (error) {
      if (!isUnanswered(error)) {
        waiting.sent = false
        throw error
      }
      // A node that dies may have told the others before.
      const endsAt = performance.now() + SHOWS_WITHIN
      const seen =
        effect !== undefined && (await this.#until(() => shows(this.#session, effect), waiting, endsAt))
      if (!seen) throw error
    }
  }

  /**
   * Whether the catalogue alone tells that a statement has taken place. A node of Cassandra writes there before its statements
   * know of it: it is told again, and is through with what it then refuses.
   */
  async #hasTakenPlace(effect: DdlEffect | undefined): Promise<boolean> {
    return this.#session.has.asynchronousDdl && effect !== undefined && (await shows(this.#session, effect))
  }

  /** Once nothing is under way that somebody else has sent. */
  async #rests(text: string, waiting: Waiting): Promise<boolean> {
    const session = this.#session
    if (!session.has.asynchronousDdl) return this.#until(() => schemaAgrees(session.client), waiting)
    const table = tableChangedBy(text)
    return table === undefined || this.#until(() => tableIsAtRest(session, table), waiting)
  }

  /** Asks until it is so: false where nobody waits any more, or where it is not so by then. */
  async #until(isSo: () => Promise<boolean>, waiting: Waiting, endsAt = Infinity): Promise<boolean> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      if (await this.#ask(isSo)) return true
      if (waiting.ended || performance.now() + pause > endsAt) return false
      await delay(pause)
      if (waiting.ended) return false
    }
  }

  /** While nodes come and go, nobody may know yet. */
  async #ask(isSo: () => Promise<boolean>): Promise<boolean> {
    try {
      return await isSo()
    } catch (failure) {
      const error = translate(failure, this.#session.has)
      if (error instanceof IsothermError && error.transient) return false
      throw error
    }
  }
}
