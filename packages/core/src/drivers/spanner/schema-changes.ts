import type { Database } from '@google-cloud/spanner'
import { IsothermError } from '../../errors.js'
import type { SchemaChanges, SchemaChangeState } from '../../database/driver.js'
import { answer, timeLimit } from '../calls.js'
import { translate } from './errors.js'

/**
 * Changes of the schema as long-running operations with ids of our own: the database keeps what became of each, for whoever
 * comes back after a crash.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.admin.database.v1#updatedatabaseddlrequest
 *
 * @param deadline of a call, in milliseconds
 */
export function spannerSchemaChanges(database: Database, deadline: number): SchemaChanges {
  return {
    async begin(statements, operationId, call = {}) {
      const begin = () => database.updateSchema({ statements: [...statements], operationId })
      try {
        await answer(begin, timeLimit(call.deadline, deadline), call)
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
        return await answer(get, timeLimit(call.deadline, deadline), call)
      } catch (error) {
        const translated = translate(error)
        if (translated instanceof IsothermError && translated.code === 'NOT_FOUND') return undefined
        throw translated
      }
    },
  }
}

/** As the protocol has it: `google.longrunning.Operation`. */
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

/** What the client's typings leave out. */
interface ClientInternals {
  request(config: object): Promise<[Operation]>
  readonly commonHeaders_: object
  readonly instance: { readonly parent: { getDatabaseAdminClient(): AdminClient } }
}

interface AdminClient {
  readonly descriptors: {
    readonly longrunning: {
      readonly updateDatabaseDdl: { metadataDecoder(bytes: Uint8Array): Metadata }
    }
  }
}

async function operationNamed(database: Database, name: string): Promise<Operation> {
  const { request, commonHeaders_: headers } = database as unknown as ClientInternals
  const method = { client: 'DatabaseAdminClient', method: 'getOperation' }
  const [operation] = await request({ ...method, reqOpts: { name }, gaxOpts: {}, headers })
  return operation
}

/** The client's own way to an operation leaves out the metadata of one that failed: how far it came. */
function metadataOf(database: Database, { metadata }: Operation): Metadata {
  const admin = (database as unknown as ClientInternals).instance.parent.getDatabaseAdminClient()
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

/** Said of an operation: of a table that is there already, the database says something else. */
function isThereAlready(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error as { code?: unknown }).code === ALREADY_EXISTS &&
    /\boperations?\b/i.test(error.message)
  )
}
