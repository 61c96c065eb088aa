import type { ColumnType } from '../../model/column-type.js'
import type { ValueSource } from '../../model/key.js'

/** What a default calls, of what Isotherm writes itself: a random UUID or its text, the clock, or a sequence. */
export type DefaultCall = 'uuid' | 'uuid-text' | 'clock' | { readonly sequence: string }

export interface RecognisedDefault {
  readonly source: ValueSource
  /** Where the default tells more of the type than the database does: a UUID that is stored as text. */
  readonly type?: ColumnType
}

const UUID_LENGTH = 36

/** What a default means for a column of this type; undefined where Isotherm gives no such column such a default. */
export function meaningOf(call: DefaultCall, type: ColumnType): RecognisedDefault | undefined {
  if (typeof call === 'object') {
    const { sequence } = call
    return type.kind === 'int64'
      ? { source: { kind: 'bit-reversed', from: 'sequence', sequence } }
      : undefined
  }
  switch (call) {
    case 'uuid':
      return type.kind === 'uuid' ? { source: { kind: 'uuid-v4' } } : undefined
    case 'uuid-text':
      return type.kind === 'string' && type.length === UUID_LENGTH
        ? { source: { kind: 'uuid-v4' }, type: { kind: 'uuid' } }
        : undefined
    case 'clock':
      return type.kind === 'timestamp' ? { source: { kind: 'timestamp', from: 'now' } } : undefined
  }
}
