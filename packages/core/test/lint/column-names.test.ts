import type { ColumnType } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { fewByName, orderedByName, timeByName, wordsOf } from '../../src/lint/column-names.js'

// Column names built from parts, in every combination and every naming convention.

const int: ColumnType = { kind: 'int64' }
const text: ColumnType = { kind: 'string', length: 40 }
const date: ColumnType = { kind: 'date' }
const timestamp: ColumnType = { kind: 'timestamp' }

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const WRITERS: Readonly<Record<string, (words: readonly string[]) => string>> = {
  snake_case: (words) => words.join('_'),
  SCREAMING: (words) => words.join('_').toUpperCase(),
  camelCase: ([first = '', ...words]) => first + words.map(capital).join(''),
  PascalCase: (words) => words.map(capital).join(''),
  Mixed_Case: (words) => words.map(capital).join('_'),
}

function product(...parts: readonly (readonly string[])[]): string[] {
  return parts.reduce<string[]>(
    (names, words) => names.flatMap((name) => words.map((word) => `${name} ${word}`.trim())),
    [''],
  )
}

const hint = (name: string, type: ColumnType): string | undefined =>
  orderedByName({ name, property: name, type })?.kind

const written = Object.entries(WRITERS)
const events = [
  'created',
  'updated',
  'inserted',
  'modified',
  'received',
  'ingested',
  'occurred',
  'logged',
  'last seen',
]
const subjects = ['', 'event', 'user', 'order', 'row', 'account', 'last', 'first']

describe.each(written)('column names in %s', (_, write) => {
  const kinds = (names: readonly string[], type: ColumnType): Map<string, string | undefined> =>
    new Map(names.map((name) => [name, hint(write(name.split(' ')), type)]))
  const all = (kind: string | undefined) => (found: Map<string, string | undefined>) =>
    [...found].filter(([, each]) => each !== kind).map(([name]) => name)

  it('recognizes names of moments, such as event_created_at, as times in number and text columns', () => {
    const moments = [
      ...product(subjects, events, ['at', 'time', 'date', 'timestamp', 'ts']),
      ...product(
        ['event', 'creation', 'transaction', 'log', 'message'],
        ['time', 'date', 'timestamp', 'datetime'],
      ),
    ]
    expect(all('time')(kinds(moments, int))).toStrictEqual([])
    expect(all('time')(kinds(moments, text))).toStrictEqual([])
    const units = product(
      events,
      ['at', 'time'],
      ['ms', 'millis', 'micros', 'nanos', 'seconds', 'utc', 'unix'],
    )
    expect(
      all('time')(kinds([...units, ...product(['epoch', 'unix'], ['ms', 'micros', 'seconds', 'time'])], int)),
    ).toStrictEqual([])
  })

  it('does not treat names of time formats, durations or planned dates as growing with time', () => {
    const about = [
      ...product(
        [...events, 'timestamp', 'datetime', 'time', 'event time', 'created at'],
        [
          'format',
          'name',
          'type',
          'zone',
          'by',
          'by id',
          'count',
          'flag',
          'source',
          'reason',
          'user',
          'city',
          'ip',
          'label',
        ],
      ),
      ...product(
        [
          'latency',
          'duration',
          'timeout',
          'elapsed',
          'ttlSeconds',
          'response time',
          'max age',
          'wait time',
          'cpu time',
        ],
        ['', 'ms', 'millis', 'micros', 'seconds'],
      ),
      'epoch',
      'seconds',
      'time zone',
      'timezone offset minutes',
      'run time',
      'birth date',
      'date of birth',
      'dob',
      'expires at',
      'valid until',
      'effective date',
      'due date',
    ]
    expect(all(undefined)(kinds(about, int))).toStrictEqual([])
    expect(all(undefined)(kinds(about, text))).toStrictEqual([])
  })

  it('recognizes names of time-ordered ids such as ulid, but not names such as ulid_version or uuid_v4', () => {
    const ids = product(
      ['', 'event', 'order'],
      ['ulid', 'ksuid', 'xid', 'cuid', 'uuid v7', 'uuid v1', 'time uuid'],
      ['', 'key', 'text'],
    )
    expect(all('id')(kinds(ids, text))).toStrictEqual([])
    expect(all('id')(kinds(product(['', 'tweet'], ['snowflake'], ['', 'id']), int))).toStrictEqual([])
    const others = [
      ...product(
        ['ulid', 'snowflake', 'ksuid'],
        ['name', 'account', 'account name', 'enabled', 'version', 'warehouse'],
      ),
      'uuid',
      'uuid v4',
      'guid',
      'object id',
      'cuid2',
      'nano id',
      'order uuid 4',
    ]
    expect(all(undefined)(kinds(others, text))).toStrictEqual([])
  })

  it('recognizes names of counters for numbers, but not for text', () => {
    const counters = [
      ...product(
        ['', 'event', 'row'],
        ['seq', 'sequence', 'sequence number', 'seq no', 'seqnum', 'lsn', 'counter'],
      ),
      'log offset',
      'kafka offset',
      'offset',
      'invoice number',
      'order no',
      'auto increment',
      'auto id',
      'revision',
      'serial',
    ]
    expect(all('count')(kinds(counters, int))).toStrictEqual([])
    expect(all(undefined)(kinds(counters, text))).toStrictEqual([])
    const others = [
      'utc offset',
      'page offset',
      'timezone offset',
      'phone number',
      'house number',
      'port no',
      'retry counter',
      'version',
      'user id',
      'amount',
      'price cents',
      'age',
      'height',
      'sequence length',
      'number',
      'account number',
      'id',
      'quantity',
    ]
    expect(all(undefined)(kinds(others, int))).toStrictEqual([])
  })

  it('assumes few values for names such as order_status, but not for names such as status_id or city', () => {
    const few = product(
      ['', 'order', 'event'],
      ['status', 'state', 'type', 'kind', 'level', 'priority', 'status code', 'type id'],
    )
    const is = (name: string): boolean =>
      fewByName({ name: write(name.split(' ')), type: text }) !== undefined
    expect(few.filter((name) => !is(name))).toStrictEqual([])
    const many = [
      'user',
      'status id',
      'state name',
      'type name',
      'city',
      'country',
      'tenant',
      'email',
      'level name',
    ]
    expect(many.filter(is)).toStrictEqual([])
  })
})

describe('timeByName()', () => {
  it.each<[string, ColumnType, string]>([
    ['at', timestamp, 'written'],
    ['k', timestamp, 'written'],
    ['created_at', timestamp, 'written'],
    ['day', date, 'written'],
    ['order_date', date, 'written'],
    ['dateCreated', date, 'written'],
    ['release_date', date, 'unknown'],
    ['expires_at', timestamp, 'planned'],
    ['flight_recorded_at', timestamp, 'written'],
    ['reservationCreatedAt', timestamp, 'written'],
    ['last_expired_at', timestamp, 'written'],
    ['last_start_time', timestamp, 'written'],
    ['expiry_updated_on', date, 'written'],
    ['startTime', timestamp, 'edge'],
    ['session_end', timestamp, 'edge'],
    ['start_date', date, 'edge'],
    ['appointment_start', timestamp, 'planned'],
    ['paid_until', timestamp, 'planned'],
    ['booked_departure_time', timestamp, 'planned'],
    ['expected_completed_at', timestamp, 'planned'],
    ['last_scheduled_at', timestamp, 'planned'],
    ['expiry_date', date, 'unrelated'],
    ['valid_from', date, 'unrelated'],
    ['date_of_birth', date, 'unrelated'],
    ['bornAt', timestamp, 'unrelated'],
  ])('classifies the name %s of a column of type %j as %s', (name, type, about) => {
    expect(timeByName({ name, property: name, type })).toBe(about)
  })
})

describe('wordsOf()', () => {
  it.each<[string, string[]]>([
    ['eventULID', ['event', 'ulid']],
    ['HTTPStatusCode', ['http', 'status', 'code']],
    ['UUIDv7', ['uuid', 'v7']],
    ['createdat', ['created', 'at']],
    ['lastupdatedtime', ['last', 'updated', 'time']],
    ['dateofbirth', ['date', 'of', 'birth']],
    ['_ingested_at_', ['ingested', 'at']],
    ['station', ['station']],
    ['format', ['format']],
    ['', []],
    ['名前', []],
  ])('splits the name %s into the words %j', (name, words) => {
    expect(wordsOf(name)).toStrictEqual(words)
  })

  it('returns a name of 10,000 characters as a single word', () => {
    expect(wordsOf('at'.repeat(5_000))).toHaveLength(1)
  })
})
