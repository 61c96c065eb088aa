import type { Column } from '../model/column.js'

/** Ids that begin with a clock, as a name gives them away. `1` and `6` alone may just number a column. */
const UUID = /uuid_?(?:[a-z]+_)?v[167](?!\d)|uuid_?7(?!\d)|time_?uuid/

const IDS = new Set(['ulid', 'ksuid', 'tsid', 'cuid', 'snowflake', 'sonyflake'])
const NUMBERS = new Set([
  'tsid',
  'snowflake',
  'sonyflake',
  'epoch',
  'timestamp',
  'millis',
  'micros',
  'nanos',
  'unixtime',
  'autoincrement',
])
const TIMES = new Set(['timestamp', 'datetime'])

/** An ObjectId in bytes, and in hexadecimal. Many a column that holds something else is called `objectId`. */
const OBJECT_ID_LENGTHS = { bytes: 12, string: 24 }

/**
 * What in a column's name says that its values begin with a clock or are counted up, such as `ulid`. A hint, no more:
 * names promise nothing.
 *
 * Source: https://www.rfc-editor.org/rfc/rfc9562, which has the UUID versions whose first bits are the time.
 */
export function timeOrderedName({ name, property, type }: Column): string | undefined {
  for (const words of [wordsOf(name), wordsOf(property)]) {
    if (type.kind === 'int64') {
      const found = [...words, ...pairsOf(words)].find((word) => NUMBERS.has(word))
      if (found !== undefined) return found
    }
    if (type.kind === 'string' || type.kind === 'bytes' || type.kind === 'uuid') {
      const found = timeOrderedId(`${words.join('_')}_${words.join('')}`)
      if (found !== undefined) return found
      if ((type.kind === 'string' || type.kind === 'bytes') && pairsOf(words).includes('objectid')) {
        if (type.length === OBJECT_ID_LENGTHS[type.kind]) return 'objectid'
      }
    }
    if (type.kind === 'string') {
      const found = words.find((word) => TIMES.has(word))
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** The kind of time-ordered id in a name that is written in small letters: a column's, or a function's. */
export function timeOrderedId(name: string): string | undefined {
  return UUID.exec(name)?.[0] ?? name.split('_').find((word) => IDS.has(word))
}

/** `eventULID`, `event_ulid` and `EventUlid` have the words `event` and `ulid`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]}${word}`)
}
