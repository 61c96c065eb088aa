import { IsothermError } from '../errors.js'

export function missing(name: string, table: string): IsothermError {
  return new IsothermError('SEQUENCE_MISSING', `There is no sequence ${JSON.stringify(name)} in ${table}.`, {
    fix: 'Call create() of the generator once, as when the application is installed. It does nothing where the row is there.',
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
    fix: 'Declare it with the others, defineSchema([…, sequenceTable()]), and migrate; or say where it is: { table }.',
    table,
    cause,
  })
}

export function exhausted(name: string, maximum: bigint): IsothermError {
  return new IsothermError(
    'SEQUENCE_EXHAUSTED',
    `The sequence ${JSON.stringify(name)} has no number left: its last is ${maximum}.`,
    { fix: 'Raise its maximum, or begin another sequence.' },
  )
}

export function movedBack(name: string, table: string, found: bigint, seen: bigint): IsothermError {
  return new IsothermError(
    'SEQUENCE_MOVED_BACK',
    `The sequence ${JSON.stringify(name)} stands at ${found}, and nothing below ${seen} may be handed out any more: another client moved it back.`,
    {
      fix: `Set its next_value to ${seen} or more. If numbers are to be handed out again, restart the processes that use it.`,
      table,
    },
  )
}

export function closed(name: string): IsothermError {
  return new IsothermError('SEQUENCE_CLOSED', `The generator of ${JSON.stringify(name)} is closed.`, {
    fix: 'Close it when nothing asks it for numbers any more.',
  })
}

export function wouldWait(name: string): IsothermError {
  return new IsothermError(
    'SEQUENCE_WOULD_WAIT',
    `The sequence ${JSON.stringify(name)} has to be read in a transaction of its own, which would wait for the transaction that asks for it.`,
    {
      fix: 'Call it before the transaction begins, or use inTransaction.',
      retryable: true,
    },
  )
}

export function takenAround(name: string): IsothermError {
  return new IsothermError(
    'SEQUENCE_WOULD_WAIT',
    `The sequence ${JSON.stringify(name)} is taken by a transaction that waits for the one which asks for it now: that one was begun in its work.`,
    { fix: 'Take all numbers in the outer transaction, or begin the inner one when it has ended.' },
  )
}

const OTHERS =
  'Count with asynchronous, whose numbers are in order, with a gap for each that is not used; or with batch or asynchronousBatch.'

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
    `The sequence ${name} is one of the database's own, and ${engine} has none.`,
    { fix: OTHERS },
  )
}
