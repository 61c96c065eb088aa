import { IsothermError } from '../errors.js'
import type { Schema } from '../model/schema.js'
import type { Driver } from './driver.js'

/**
 * A schema may use what its dialect has and this engine does not.
 *
 * @throws {IsothermError} `UNSUPPORTED` naming the table and the column.
 */
export function refuseLacking(schema: Schema, { name, lacks }: Driver): void {
  if (!lacks.includes('uuid-type')) return
  for (const table of schema.tables) {
    const column = table.columns.find(({ type }) => {
      const scalar = type.kind === 'array' ? type.of : type
      return scalar.kind === 'uuid' && scalar.storage === 'native'
    })
    if (!column) continue
    throw new IsothermError(
      'UNSUPPORTED',
      `${table.name}.${column.property} is stored as the type UUID, which this ${name} does not have.`,
      {
        fix: "Use storage 'text', 'int64-pair' or 'bytes', or an engine that has the type: the emulator has not.",
        table: table.name,
        column: column.property,
      },
    )
  }
}
