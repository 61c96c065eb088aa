import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@google-cloud/spanner'
import {
  type CallOptions,
  IsothermError,
  type SchemaChangeState,
  type SchemaChanges,
  type SqlDialectRuntime,
  answer,
  areWords,
  placedTokens,
  timeLimit,
  itemAt,
  internals,
} from '@isotherm/core/engine'
import { isUnsent, translate, translateSchemaChange } from './errors.js'
import { reachabilityOf } from './reachability.js'
import { CallHandle, beginOptions } from './requests.js'

/** Milliseconds until a request is sent that had no connection before. */
const CONNECTION_PAUSE = 250
/** For how long it is tried to send a request, in milliseconds: a host behind a proxy is not probed. */
const CONNECTS_WITHIN = 5_000

/** How long a request is waited for whose host refuses connections, in milliseconds. */
const LAST_ANSWER = 1_000

/**
 * Runs statements that change the schema, and waits for their end. The client by itself would send the request again after a
 * lost answer, and to a host that comes back when the caller has gone.
 *
 * @param own the timeout, in milliseconds
 * @throws {IsothermError} `OUTCOME_UNKNOWN` where the request may have been sent.
 */
export async function applySchemaChange(
  database: Database,
  statements: readonly string[],
  dialect: SqlDialectRuntime,
  own: number,
  call: CallOptions,
): Promise<void> {
  const endsAt = performance.now() + own
  const connectsBy = performance.now() + CONNECTS_WITHIN
  const handle = new CallHandle()
  let maybeSent = false
  let isAbandoned = false
  let begun: Promise<unknown> | undefined
  const begin = async () => {
    for (;;) {
      maybeSent = true
      try {
        const [operation] = await database.updateSchema(
          ofDatabase(statements, database, dialect),
          beginOptions(handle),
        )
        return operation
      } catch (error) {
        if (!isUnsent(error)) throw error
        maybeSent = false
        await sleep(CONNECTION_PAUSE, undefined, { ref: false })
        if (isAbandoned || performance.now() > connectsBy) throw error
      }
    }
  }
  try {
    const operation = await reachabilityOf(database).answer(() => (begun = begin()), own, call)
    // The database goes on whether or not it can be reached for a while.
    await answer(() => operation.promise(), endsAt - performance.now(), call)
  } catch (error) {
    isAbandoned = true
    // What waits for a connection to a host that refuses it fails soon, and says that it was not sent.
    if (begun && isUnavailable(error)) await answer(() => begun!, LAST_ANSWER).catch(() => {})
    handle.cancel()
    throw maybeSent ? translateSchemaChange(error) : translate(error)
  }
}

/**
 * Changes of the schema as long-running operations with ids that Isotherm chooses: the database keeps the outcome of each,
 * so that a process can ask for it after a crash.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.admin.database.v1#updatedatabaseddlrequest
 *
 * @param timeoutMs of a call, in milliseconds
 */
export function spannerSchemaChanges(
  database: Database,
  dialect: SqlDialectRuntime,
  timeoutMs: number,
): SchemaChanges {
  return {
    async begin(statements, operationId, call = {}) {
      const begin = () =>
        database.updateSchema({ statements: ofDatabase(statements, database, dialect), operationId })
      try {
        await reachabilityOf(database).answer(begin, timeLimit(call.timeoutMs, timeoutMs), call)
      } catch (error) {
        if (!isThereAlready(error)) throw translate(error)
      }
    },

    async state(operationId, call = {}) {
      const name = `${database.formattedName_}/operations/${operationId}`
      const get = async () => {
        const operation = await operationNamed(database, name)
        return stateOf(operation, metadataOf(database, operation))
      }
      try {
        return await reachabilityOf(database).answer(get, timeLimit(call.timeoutMs, timeoutMs), call)
      } catch (error) {
        const translated = translate(error)
        if (translated instanceof IsothermError && translated.code === 'NOT_FOUND') return undefined
        throw translated
      }
    },
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof IsothermError && error.code === 'UNAVAILABLE'
}

/** An operation in the protocol's form: `google.longrunning.Operation`. */
interface Operation {
  readonly done: boolean
  readonly error?: { readonly code: number; readonly message: string } | null
  readonly metadata?: { readonly value: Uint8Array } | null
}

/** `google.spanner.admin.database.v1.UpdateDatabaseDdlMetadata`. */
interface Metadata {
  readonly statements: readonly string[]
  readonly commitTimestamps: readonly unknown[]
  readonly progress: readonly { readonly progressPercent?: number | null }[]
}

/** The members that the client's typings leave out. */
interface ClientInternals {
  request(config: object): Promise<[Operation]>
  readonly commonHeaders_: object
  readonly instance: { readonly parent: { getDatabaseAdminClient(): AdminClient } }
}

const inside = internals<ClientInternals>('Database of @google-cloud/spanner', [
  'request',
  'commonHeaders_',
  'instance',
])

interface AdminClient {
  readonly descriptors: {
    readonly longrunning: {
      readonly updateDatabaseDdl: { metadataDecoder(bytes: Uint8Array): Metadata }
    }
  }
}

async function operationNamed(database: Database, name: string): Promise<Operation> {
  const { request, commonHeaders_: headers } = inside(database)
  const method = { client: 'DatabaseAdminClient', method: 'getOperation' }
  const [operation] = await request({ ...method, reqOpts: { name }, gaxOpts: {}, headers })
  return operation
}

/** `ALTER DATABASE d` changes the database that it is applied to, whatever that one was called that it was read from. */
function ofDatabase(
  statements: readonly string[],
  { formattedName_ }: Database,
  dialect: SqlDialectRuntime,
): string[] {
  const mark = dialect.name === 'googlesql' ? '`' : '"'
  const own = `${mark}${itemAt(formattedName_.split('/'), -1)}${mark}`
  return statements.map((statement) => {
    if (!/\bDATABASE\b/i.test(statement)) return statement
    const tokens = placedTokens(statement, dialect.lexicalSyntax)
    const name = tokens[2]
    if (!areWords(tokens, 0, 'ALTER', 'DATABASE') || !name) return statement
    return statement.slice(0, name.start) + own + statement.slice(name.end)
  })
}

/** The client's own method for an operation leaves out the metadata of a failed one, which say how far it came. */
function metadataOf(database: Database, { metadata }: Operation): Metadata {
  const admin = inside(database).instance.parent.getDatabaseAdminClient()
  return admin.descriptors.longrunning.updateDatabaseDdl.metadataDecoder(metadata?.value ?? new Uint8Array())
}

function stateOf({ done, error }: Operation, metadata: Metadata): SchemaChangeState {
  const { statements, commitTimestamps, progress } = metadata
  const isComplete = done && !error
  return {
    statements,
    done,
    applied: isComplete ? statements.length : commitTimestamps.length,
    progress: statements.map((_, at) =>
      isComplete || at < commitTimestamps.length ? 100 : (progress[at]?.progressPercent ?? 0),
    ),
    ...(error && {
      error: translate(Object.assign(new Error(error.message), { code: error.code })) as IsothermError,
    }),
  }
}

const ALREADY_EXISTS = 6

/** Whether the error says that the operation exists; for an existing table, the database reports another error. */
function isThereAlready(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error as { code?: unknown }).code === ALREADY_EXISTS &&
    /\boperations?\b/i.test(error.message)
  )
}
