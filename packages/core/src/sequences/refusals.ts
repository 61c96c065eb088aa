import { IsothermError } from '../errors.js'

export function missing(name: string, table: string): IsothermError {
  return new IsothermError('SEQUENCE_MISSING', `There is no sequence ${JSON.stringify(name)} in ${table}.`, {
    fix: 'Call create() of the generator once, as when the application is installed. It does nothing if the row exists.',
    table,
  })
}

/** The database has no code of its own for it. */
export function isOfMissingTable(error: unknown): boolean {
  return (
    error instanceof IsothermError &&
    /\b(?:table|relation)\b.*\b(?:not found|does not exist)\b/i.test(error.message)
  )
}

export function missingTable(table: string, cause: unknown): IsothermError {
  return new IsothermError('SEQUENCE_MISSING', `The database has no table of sequences ${table}.`, {
    fix: 'Declare it with the others, defineSchema([…, sequenceTable()]), and migrate; or name it: { table }.',
    table,
    cause,
  })
}

export function exhausted(name: string, maximum: bigint): IsothermError {
  return new IsothermError(
    'SEQUENCE_EXHAUSTED',
    `The sequence ${JSON.stringify(name)} has no numbers left: its last is ${maximum}.`,
    { fix: 'Raise its maximum, or start another sequence.' },
  )
}

export function movedBack(name: string, table: string, found: bigint, seen: bigint): IsothermError {
  return new IsothermError(
    'SEQUENCE_MOVED_BACK',
    `The sequence ${JSON.stringify(name)} was set back to ${found} by another client, but numbers below ${seen} may have been handed out.`,
    {
      fix: `Set its next_value to ${seen} or more. To hand out numbers again, restart the processes that use it.`,
      table,
    },
  )
}

export function closed(name: string): IsothermError {
  return new IsothermError('SEQUENCE_CLOSED', `The generator of ${JSON.stringify(name)} is closed.`, {
    fix: 'Close it only after the last call.',
  })
}

export function wouldWait(name: string): IsothermError {
  return new IsothermError(
    'SEQUENCE_WOULD_WAIT',
    `The sequence ${JSON.stringify(name)} has to be read in a transaction of its own, which would wait for the current transaction.`,
    {
      fix: 'Call it before the transaction begins, or use inTransaction.',
      retryable: true,
    },
  )
}

export function takenAround(name: string): IsothermError {
  return new IsothermError(
    'SEQUENCE_WOULD_WAIT',
    `The sequence ${JSON.stringify(name)} is locked by the outer transaction, which waits for this inner one.`,
    {
      fix: 'Take all numbers in the outer transaction, or start the inner one after the outer one has ended.',
    },
  )
}

const OTHERS =
  'Count with asynchronous, whose numbers are in order, with a gap for each unused number; or with batch or asynchronousBatch.'

export function withoutTransactions(name: string, engine: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_FEATURE',
    `The sequence ${JSON.stringify(name)} is counted in the transactions that use it, and ${engine} has no transactions over rows.`,
    { fix: OTHERS },
  )
}

export function withoutSequences(name: string, engine: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_FEATURE',
    `The sequence ${name} is one of the database's own, and ${engine} does not support sequences.`,
    { fix: OTHERS },
  )
}
