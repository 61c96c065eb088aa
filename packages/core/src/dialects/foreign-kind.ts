import { IsothermError } from '../errors.js'
import { describeType, type ColumnType } from '../model/column-type.js'

/** Of a type that came as far as the values of a dialect that does not have it. */
export function foreignKind(type: ColumnType): IsothermError {
  return new IsothermError('UNSUPPORTED', `Spanner has no type for ${describeType(type)}.`, {
    fix: 'Use one that it has, or a driver of Cassandra.',
  })
}
