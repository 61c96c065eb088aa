import type { Database, Session } from '@google-cloud/spanner'
import { IsothermError } from '../../errors.js'
import type { CallOptions, PartitionedReads, PartitionOptions, PartRequest } from '../../database/driver.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import { answer, refuseAborted, timeLimit } from '../calls.js'
import { translate } from './errors.js'
import { MessageGate } from './message-gate.js'
import { decodeToken, encodeToken } from './part-token.js'
import { fixedMoment, readRequest, served, sqlRequest, timestampBounds } from './requests.js'
import { paceResumption } from './resumption.js'
import { rowBatches } from './row-batches.js'
import { columnsDecoder, rowDecoder } from './values.js'

/** As long as a part may take where nobody says: the client's own default would end it after an hour. */
const UNLIMITED = 2 ** 31 - 1

type BatchTransaction = ReturnType<Database['batchTransaction']>

/**
 * Reads in parts: the database splits a read, and each part can be read by another process, in the session and the read-only
 * transaction that it was split in.
 *
 * Source: https://cloud.google.com/spanner/docs/reads#read_data_in_parallel
 *
 * @param deadline of a call, and how long a part that is read may stay silent, in milliseconds
 */
export function spannerPartitions(
  database: Database,
  dialect: SqlDialect,
  deadline: number,
): PartitionedReads {
  /** The request as the client sends it, the same each time: the service compares it with the one that was split. */
  const clientRequest = (request: PartRequest, own: number, gate?: MessageGate) =>
    request.kind === 'read'
      ? readRequest(request.read, own, gate)
      : sqlRequest(request.statement, own, dialect, gate)

  async function split(
    session: Session,
    request: PartRequest,
    options: PartitionOptions,
    own: number,
  ): Promise<{ transaction: BatchTransaction; tokens: string[] }> {
    const transaction = database.batchTransaction({ session }, timestampBounds(fixedMoment(options.at)))
    await transaction.begin({ timeout: own })
    const partitionOptions = { maxPartitions: options.parts }
    const sent = { ...clientRequest(request, own), partitionOptions }
    const [parts] =
      request.kind === 'read'
        ? await transaction.createReadPartitions({ ...sent, table: request.read.layout.table.name })
        : await transaction.createQueryPartitions(sent as never)
    const place = { session: session.formattedName_!, transaction: asText(transaction.id!) }
    const tokens = parts.map((part) =>
      encodeToken({ ...place, partition: asText((part as { partitionToken: Uint8Array }).partitionToken) }),
    )
    return { transaction, tokens }
  }

  return {
    async partition(request, options) {
      refuseAborted(options)
      const own = timeLimit(options.deadline, deadline)
      let isGivenUp = false
      const work = async () => {
        // A session of its own: it ends with the parts, and nothing else happens in it that would end them.
        const [session] = await database.createSession({ gaxOptions: { timeout: own } })
        let isUsed = false
        try {
          const { transaction, tokens } = await split(session, request, options, own)
          isUsed = tokens.length > 0 && !isGivenUp
          return { readTimestamp: transaction.readTimestamp as Date, tokens }
        } finally {
          if (!isUsed) await session.delete().catch(() => {})
        }
      }
      try {
        return await answer(work, own, options)
      } catch (error) {
        isGivenUp = true
        throw unsplittable(error) ?? translate(error)
      }
    },

    async *readPart(request, token, options = {}) {
      refuseAborted(options)
      const { dataBoost, ...call } = options
      const limit = call.deadline === undefined ? undefined : timeLimit(call.deadline, deadline)
      const own = limit ?? UNLIMITED
      const { session, transaction: id, partition } = decodeToken(token, database.formattedName_)
      const transaction = database.batchTransaction({ session, transaction: id })
      paceResumption(transaction)
      const gate = new MessageGate()
      const sent = {
        ...clientRequest(request, own, gate),
        ...served(call),
        partitionToken: partition,
        ...(dataBoost && { dataBoostEnabled: true }),
      }
      const [stream, decode, width] =
        request.kind === 'read'
          ? ([
              transaction.createReadStream(request.read.layout.table.name, sent as never),
              columnsDecoder(request.read.columns),
              request.read.columns.length,
            ] as const)
          : ([transaction.runStream(sent as never), rowDecoder(request.types), request.types.length] as const)
      try {
        yield* rowBatches(stream, gate, decode, width, {
          deadline: limit,
          silence: deadline,
          ...(call.signal && { signal: call.signal }),
        })
      } catch (error) {
        throw gone(error) ?? error
      }
    },

    async closeParts(token, options: CallOptions = {}) {
      const own = timeLimit(options.deadline, deadline)
      const { session } = decodeToken(token, database.formattedName_)
      const remove = () => database.session(session).delete({ timeout: own })
      try {
        await answer(remove, own, options)
      } catch (error) {
        const translated = translate(error)
        // Whoever closes first closes for all.
        if (gone(translated) === undefined) throw translated
      }
    },
  }
}

function asText(bytes: Uint8Array | string): string {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64')
}

/** A statement that cannot be split, said in the words of the service or the emulator. */
function unsplittable(error: unknown): IsothermError | undefined {
  if (!(error instanceof Error) || !/partitionable/.test(error.message)) return undefined
  return new IsothermError('UNSUPPORTED', 'The database cannot split this statement.', { cause: error })
}

/** A part whose session, transaction or token the database does not know any more. */
function gone(error: unknown): IsothermError | undefined {
  if (!(error instanceof IsothermError)) return undefined
  const { code, message } = error
  const isGone =
    (code === 'NOT_FOUND' && /\b(session|transaction)\b/i.test(message)) ||
    (code === 'DATABASE' && /invalid partition token/i.test(message))
  if (!isGone) return undefined
  return new IsothermError(
    'SNAPSHOT_EXPIRED',
    'The parts are gone: they were closed, or nobody read any of them for an hour.',
    { fix: 'Ask for partitions() again, and read all of them.', cause: error },
  )
}
