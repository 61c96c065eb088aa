import { IsothermError, type Schema } from '@isotherm/core'
import { declarationsOf } from '../declaration.js'
import type { DrizzleWords } from './words.js'

/**
 * Refuses what models can say and Drizzle's tables cannot: what is left out would be taken away by the next migration.
 *
 * @throws {IsothermError} `UNSUPPORTED` with everything that is found.
 */
export function refuseUndeclarableInDrizzle(schema: Schema, words: DrizzleWords): void {
  const { tables, sequences } = schema
  const found = [
    ...tables.flatMap((table) => [
      ...declarationsOf(table, { schema, dialect: words.dialect }).flatMap((declaration, at) => {
        const column = table.columns[at]!
        return told(`${table.name}.${column.name}`, words.undeclarable(column, declaration))
      }),
      ...table.foreignKeys.flatMap((key) => told(table.name, words.undeclarableKey(key))),
    ]),
    ...sequences.flatMap((sequence) => told(sequence.name, words.undeclarableSequence(sequence))),
  ]
  if (found.length === 0) return
  throw new IsothermError(
    'UNSUPPORTED',
    `Drizzle's tables cannot declare all of this database: ${found.join('; ')}.`,
    {
      fix: 'Pull it with --style tables or --style decorators: toDrizzle makes Drizzle tables of most such models.',
    },
  )
}

function told(what: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`${what} ${problem}`]
}
