import {
  type CallOptions,
  IsothermError,
  type QueryPartitionRequest,
  type PartitionOptions,
  type PartitionedReads,
  type SqlDialectRuntime,
  refuseAborted,
  timeLimit,
  present,
  clientLimit,
} from '@isotherm/core/engine'
import type { Database, Session } from '@google-cloud/spanner'
import { delayResumption, translate } from './errors.js'
import { MessageGate, rowBatches } from './result-stream.js'
import { reachabilityOf } from './reachability.js'
import { fixedMoment, readRequest, served, sqlRequest, timestampBounds } from './requests.js'
import { columnsDecoder, rowDecoder } from './values.js'

/** The position of a query partition in the database. */
interface QueryPartitionOrigin {
  /** The session's full name, which begins with that of its database. */
  readonly session: string
  readonly transaction: string
  readonly partition: string
}

/** One text for all of it, since only this driver has to make sense of it. */
export function encodeToken({ session, transaction, partition }: QueryPartitionOrigin): string {
  return Buffer.from(JSON.stringify([session, transaction, partition])).toString('base64url')
}

/**
 * @param database the full name of the database that is to be read
 * @throws {IsothermError} `INVALID_QUERY_PARTITION` for an invalid token, or one of another database.
 */
export function decodeToken(token: string, database: string): QueryPartitionOrigin {
  const [session, transaction, partition] = texts(Buffer.from(token, 'base64url').toString())
  if (session === undefined || transaction === undefined || partition === undefined) {
    throw new IsothermError('INVALID_QUERY_PARTITION', 'The query partition is damaged.', {
      fix: 'Pass query partitions on unchanged, as queryPartitions() returned them.',
    })
  }
  const [own = session] = session.split('/sessions/')
  if (!isSame(own, database)) {
    throw new IsothermError(
      'INVALID_QUERY_PARTITION',
      `The query partition is one of ${own}, not of ${database}.`,
      {
        fix: 'Read it with the database that created it.',
      },
    )
  }
  return { session, transaction, partition }
}

/** The client does not always know its project before the first call, and writes {{projectId}} until then. */
function isSame(one: string, other: string): boolean {
  const isUnknown = other.startsWith('projects/{{')
  const path = (name: string): string => (isUnknown ? name.slice(name.indexOf('/instances/')) : name)
  return path(one) === path(other)
}

function texts(json: string): readonly (string | undefined)[] {
  try {
    const parsed: unknown = JSON.parse(json)
    return Array.isArray(parsed) && parsed.every((each) => typeof each === 'string') ? parsed : []
  } catch {
    return []
  }
}

/** The default time limit of a query partition: the client's own default would end it after an hour. */
const UNLIMITED = 2 ** 31 - 1

type BatchTransaction = ReturnType<Database['batchTransaction']>

/**
 * Reads in parts: the database splits a read, and each part can be read by another process, in the session and the read-only
 * transaction that it was split in.
 *
 * Source: https://cloud.google.com/spanner/docs/reads#read_data_in_parallel
 *
 * @param timeoutMs of a call, and how long a query partition that is read may stay silent, in milliseconds
 */
export function spannerPartitions(
  database: Database,
  dialect: SqlDialectRuntime,
  timeoutMs: number,
): PartitionedReads {
  // The request is the same each time: the service compares it with the one that was split.
  async function split(
    session: Session,
    request: QueryPartitionRequest,
    options: PartitionOptions,
    own: number,
  ): Promise<{ transaction: BatchTransaction; tokens: string[] }> {
    const transaction = database.batchTransaction({ session }, timestampBounds(fixedMoment(options.at)))
    await transaction.begin({ timeout: clientLimit(own) })
    const partitionOptions = { maxPartitions: options.parts }
    const ask = async () => {
      if (request.kind === 'read') {
        const { name: table } = request.read.layout.table
        const sent = { ...readRequest(request.read, own), partitionOptions, table }
        return transaction.createReadPartitions(sent)
      }
      const sent = { ...sqlRequest(request.statement, own, dialect), partitionOptions }
      return transaction.createQueryPartitions(sent)
    }
    const [parts] = await ask()
    const origin = {
      session: present(session.formattedName_ ?? undefined, 'name of the session'),
      transaction: asText(present(transaction.id ?? undefined, 'id of the transaction')),
    }
    const tokens = parts.map((part) =>
      encodeToken({ ...origin, partition: asText((part as { partitionToken: Uint8Array }).partitionToken) }),
    )
    return { transaction, tokens }
  }

  return {
    async partition(request, options) {
      refuseAborted(options)
      const own = timeLimit(options.timeoutMs, timeoutMs)
      let isAbandoned = false
      const work = async () => {
        // A session of its own: it ends with the query partitions, and nothing else happens in it that would end them.
        const [session] = await database.createSession({ gaxOptions: { timeout: clientLimit(own) } })
        let isUsed = false
        try {
          const { transaction, tokens } = await split(session, request, options, own)
          isUsed = tokens.length > 0 && !isAbandoned
          return { readTimestamp: transaction.readTimestamp as Date, tokens }
        } finally {
          if (!isUsed) await session.delete().catch(() => {})
        }
      }
      try {
        return await reachabilityOf(database).answer(work, own, options)
      } catch (error) {
        isAbandoned = true
        throw unsplittable(error) ?? translate(error)
      }
    },

    async *readQueryPartition(request, token, options = {}) {
      refuseAborted(options)
      const { dataBoost, ...call } = options
      const limit = call.timeoutMs === undefined ? undefined : timeLimit(call.timeoutMs, timeoutMs)
      const own = limit ?? UNLIMITED
      const { session, transaction: id, partition } = decodeToken(token, database.formattedName_)
      const transaction = database.batchTransaction({ session, transaction: id })
      delayResumption(transaction)
      const gate = new MessageGate()
      const origin = {
        ...served(call),
        partitionToken: Buffer.from(partition, 'base64'),
        ...(dataBoost && { dataBoostEnabled: true }),
      }
      const [stream, decode, width] =
        request.kind === 'read'
          ? ([
              transaction.createReadStream(request.read.layout.table.name, {
                ...readRequest(request.read, own, gate),
                ...origin,
              }),
              columnsDecoder(request.read.columns),
              request.read.columns.length,
            ] as const)
          : ([
              transaction.runStream({ ...sqlRequest(request.statement, own, dialect, gate), ...origin }),
              rowDecoder(request.types),
              request.types.length,
            ] as const)
      try {
        yield* rowBatches(stream, gate, decode, width, {
          timeoutMs: limit,
          silence: timeoutMs,
          ...(call.signal && { signal: call.signal }),
        })
      } catch (error) {
        throw gone(error) ?? error
      }
    },

    async closeQueryPartitions(token, options: CallOptions = {}) {
      const own = timeLimit(options.timeoutMs, timeoutMs)
      const { session } = decodeToken(token, database.formattedName_)
      const remove = () => database.session(session).delete({ timeout: clientLimit(own) })
      try {
        await reachabilityOf(database).answer(remove, own, options)
      } catch (error) {
        const translated = translate(error)
        // The session may already be closed: the first call closes the query partitions for all processes.
        if (gone(translated) === undefined) throw translated
      }
    },
  }
}

function asText(bytes: Uint8Array | string): string {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64')
}

/** The error for a statement that cannot be split, from the service or the emulator. */
function unsplittable(error: unknown): IsothermError | undefined {
  if (!(error instanceof Error) || !/partitionable/.test(error.message)) return undefined
  return new IsothermError('UNSUPPORTED_QUERY', 'The database cannot split this statement.', { cause: error })
}

/** A query partition whose session, transaction or token the database does not know any more. */
function gone(error: unknown): IsothermError | undefined {
  if (!(error instanceof IsothermError)) return undefined
  const { code, message } = error
  const isGone =
    (code === 'NOT_FOUND' && /\b(session|transaction)\b/i.test(message)) ||
    (code === 'DATABASE' && /invalid partition token/i.test(message))
  if (!isGone) return undefined
  return new IsothermError(
    'SNAPSHOT_EXPIRED',
    'The query partitions are gone: they were closed, or none of them was read for an hour.',
    { fix: 'Call queryPartitions() again, and read all of them.', cause: error },
  )
}
