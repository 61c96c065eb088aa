import type { PGlite, Transaction } from '@electric-sql/pglite'
import {
  type Answer,
  BEGINNING,
  type Caller,
  type Connections,
  type TransactionWork,
  type Values,
  refuseRoundedFloats,
} from './connection.js'
import { OIDS } from './values.js'

const same = <T>(text: T): T => text

/** Values are sent as PostgreSQL's own text, and cells come back as that. */
const AS_TEXT = Object.fromEntries(OIDS.map((type) => [type, same]))
const OPTIONS = { rowMode: 'array', parsers: AS_TEXT, serializers: AS_TEXT } as const

/** The one connection of a PGlite. Its statements and transactions wait for each other. */
export function pgliteConnections(pglite: PGlite): Connections {
  let isChecked = false
  const check = async (on: PGlite | Transaction): Promise<void> => {
    if (!isChecked) await refuseRoundedFloats((text) => ask(on, text, []))
    isChecked = true
  }
  return {
    name: 'PGlite',
    client: pglite,
    concurrency: 1,
    // A transaction in the midst of another one would wait for it.
    hasFree: () => false,
    query: async (text, values) => {
      await check(pglite)
      return ask(pglite, text, values)
    },
    transaction: <T>({ mode, also = '', run, committing }: TransactionWork<T>, caller: Caller) =>
      pglite.transaction(async (transaction) => {
        if (caller.hasLeft) throw new Error('The caller does not wait for this transaction any more.')
        const beginning = await ask(transaction, `SET TRANSACTION ${mode}; ${BEGINNING}${also}`, [])
        await check(transaction)
        const work = run({ query: (text, values) => ask(transaction, text, values) }, beginning)
        // Work that goes on without its caller must not keep the only connection.
        const value = await Promise.race([work, departure(caller)])
        committing?.()
        return value
      }),
  }
}

/** Fails when the caller leaves. */
function departure(caller: Caller): Promise<never> {
  return new Promise((_, reject) => {
    caller.whenLeft(() => reject(new Error('The caller does not wait for this transaction any more.')))
  })
}

async function ask(on: PGlite | Transaction, text: string, values: Values): Promise<Answer> {
  const { rows, fields, rowCount } =
    values.length > 0
      ? await on.query<(string | null)[]>(text, values as (string | null)[], OPTIONS)
      : // A text without parameters may hold several statements.
        ((await on.exec(text, OPTIONS)).at(-1) as Awaited<ReturnType<typeof on.query<(string | null)[]>>>)
  return {
    columns: fields,
    rows,
    rowCount,
  }
}
