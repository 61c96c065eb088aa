import type { Column } from '../model/column.js'
import type { ColumnType, TypeKind } from '../model/column-type.js'

// What the name of a column says about its values. A name is not a guarantee: what is found here is a hint, never an error.
// A name is read as English compounds are, from its end: `timestamp_format` is a format, `latency_millis` a latency,
// `created_by` a person. A list of words alone would take all three for times.

/** Which values come in order, as a name has it. */
interface NameHint {
  /** `time`: a point in time. `id`: begins with a clock. `count`: is counted up. */
  readonly kind: 'time' | 'id' | 'count'
  /** The words of the name that indicate it. */
  readonly words: string
}

/** What a time refers to: when its row was written, a plan, a start or an end, some other date, or a birthday. */
type TimeName = 'written' | 'planned' | 'edge' | 'unknown' | 'unrelated'

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Actions on a row, or events, at the time when the row is written: `created_at`, `last_seen`. */
const DONE = listed(
  'created updated modified inserted changed logged occurred recorded received ingested posted published submitted sent ' +
    'seen accessed processed completed finished started ended closed opened registered joined deleted removed archived ' +
    'cancelled canceled approved rejected paid shipped delivered booked captured collected observed measured sampled ' +
    'emitted fired triggered raised reported requested answered replied viewed visited clicked loaded imported exported ' +
    'synced uploaded downloaded stored saved written committed queued enqueued executed invoked issued granted revoked ' +
    'verified confirmed purchased ordered traded charged refunded transferred added edited touched crawled fetched indexed ' +
    'polled generated happened acknowledged read written begun made built sold bought paid won dispatched resolved failed arrived entered appended replicated persisted',
)

/** Words that indicate a time without a word for time. */
const PLAINLY_DONE = listed(
  'created updated modified inserted occurred ingested logged recorded received happened',
)

/** The same as nouns, before a word for time: `event_time`, `creation_date`. */
const HAPPENINGS = listed(
  'event creation create insert insertion update modification modify change log logging occurrence record recording ' +
    'receipt receive ingest ingestion post posting publish publication submission send arrival access login logon visit ' +
    'click view transaction txn tx payment order purchase trade booking invoice entry sync commit write store save upload ' +
    'import capture collection observation measurement sample emit message msg server system audit action activity signup ' +
    'registration enqueue unix epoch utc gmt posix heartbeat block load row insertion deletion delete reading',
)

/** Repeated events, which make `last_access` a time. */
const LATELY = listed('access login logon update activity visit change sync modification heartbeat ping')

const MOMENTS = listed('timestamp ts tstamp datetime unixtime instant')
const TIMES = listed('time date day dt')
const CALENDAR = listed('yyyymmdd yyyymmddhh yyyymm yyyymmddhhmmss datekey daykey')
const OF_CALENDAR = listed('date day hour month time')

/** Units of a time, at the end of a name. */
const UNITS = listed(
  'ms msec msecs milli millis millisecond milliseconds us usec usecs micro micros microsecond microseconds ns nsec nano ' +
    'nanos nanosecond nanoseconds sec secs second seconds',
)
const CLOCKS = listed('unix epoch posix')
const FORMS = listed(
  'utc gmt iso iso8601 rfc3339 str string text int int64 long num bigint desc reversed inverted',
)

/** Types, behind what a number is. */
const KINDS = listed('int int64 long bigint str string text')

/** Lengths of time, and figures about them. */
const LENGTHS = listed(
  'latency duration timeout elapsed delay interval ttl age uptime downtime runtime response processing wait waiting lag ' +
    'period window retention lifetime cpu lead exec execution run rtt total avg average mean median count rate size limit ' +
    'threshold quota budget frequency cost spent remaining max min estimated',
)

/** Words for a time that is in the future when a row is written, or that is given as a term. */
const PLANNED = listed(
  'expires expire expired expiry expiration due deadline effective valid until till starts start ends end scheduled ' +
    'schedule planned plan appointment departure checkin checkout reservation renewal renews renew next eta target expected ' +
    'maturity matures flight travel retire retires validity begin begins visible',
)
/** Of these, what is planned as often as it is written when it happens: `start_time` of an appointment, and of a request. */
const EDGES = listed('start starts end ends begin begins')
/** Of these, what a date has no order in: terms run from days to decades. */
const TERMS = listed(
  'expires expire expiry expiration effective valid until till maturity validity renewal due deadline',
)

/** Words that make a plan of an action: `expected_completed_at`. */
const INTENDED = listed('scheduled planned expected target next')

/** Dates of a life, or of history. */
const UNRELATED = listed(
  'birth birthday birthdate dob born death died deceased anniversary founded founding wedding graduation ' +
    'graduated hire hired vintage',
)

/** Ids that begin with a clock. Of cuid, the second version does not. */
const IDS = listed('ulid ksuid tsid cuid snowflake sonyflake flakeid xid typeid pushid')
const NUMBER_IDS = listed('tsid snowflake sonyflake flakeid xid')
/** Words at the end of an id's name that do not change what it refers to. */
const TAILS = listed(
  'id ids key uuid guid str string text bytes bin binary hex base32 base58 base62 pk value',
)
/** UUIDs that begin with a clock. `1` and `6` alone may just number a column. */
const UUID = /(?:^|_)(?:uuid_?(?:[a-z]+_)?v_?[167]|uuid_?7|v[167]_?uuid|time_?uuid)$/

/** An ObjectId in bytes, and in hexadecimal. Many a column that holds something else is called `objectId`. */
const OBJECT_ID_LENGTHS = { bytes: 12, string: 24 }

/** Counted by themselves: `event_seq`, `log_offset`. */
const COUNTERS = listed('seq sequence seqno seqnum lsn scn autoincrement rownum txid')
/** Things that are numbered: `invoice_number`. Numbers of phones and houses are not counted up. */
const NUMBERED = listed(
  'sequence seq invoice order ticket row serial transaction txn receipt record event log batch block journal entry message ' +
    'revision audit case',
)
const NUMBERS = listed('number no num nr nbr')
/** Things whose offset, counter or revision grows for the whole table. */
const WHOLE = listed(
  'log stream kafka commit queue topic partition journal wal binlog message event consumer producer row record global ' +
    'write insert entry sequence store mod create id auto change sync db',
)
const IN_WHOLE = listed('offset counter revision rev height')

/** Names of columns with few values, at the end: `order_status`, `log_level`. */
const FEW = listed(
  'status state kind type level severity priority phase stage mode tier gender sex flag environment env visibility ' +
    'direction outcome result verdict weekday quarter',
)
const FEW_BEFORE_AN_ID = listed('type kind level priority severity')
const QUESTIONS = listed('is has was can should')

/** Names of columns that spread rows: `shard_id`. */
const SPREADING = listed('shard shards bucket partition salt slot lane hash prefix')

const OTHERS = listed(
  'at on by of id key is has last first name type format zone user uuid increment object version v1 v6 v7 offset',
)
const TIME_WORDS = [
  DONE,
  HAPPENINGS,
  LATELY,
  MOMENTS,
  TIMES,
  CALENDAR,
  UNITS,
  CLOCKS,
  LENGTHS,
  PLANNED,
  UNRELATED,
]
const OTHER_WORDS = [IDS, COUNTERS, NUMBERED, NUMBERS, WHOLE, IN_WHOLE, FEW, SPREADING, OTHERS]

const WORDS: ReadonlySet<string> = new Set([...TIME_WORDS, ...OTHER_WORDS].flatMap((words) => [...words]))

const COUNTING: ReadonlySet<TypeKind> = new Set(['int64', 'int32', 'varint', 'numeric', 'decimal', 'float64'])

/**
 * The words of a column's name that say that its values come in order: times stored as numbers or texts, ids that begin
 * with a clock, and counters.
 *
 * Source: https://www.rfc-editor.org/rfc/rfc9562, which has the UUID versions whose first bits are the time.
 */
export function orderedByName({
  name,
  property,
  type,
}: Pick<Column, 'name' | 'property' | 'type'>): NameHint | undefined {
  for (const words of [wordsOf(name), wordsOf(property)]) {
    const hint = orderedByWords(words, type)
    if (hint) return hint
  }
  return undefined
}

function orderedByWords(words: readonly string[], type: ColumnType): NameHint | undefined {
  const isNumber = COUNTING.has(type.kind)
  const isText = type.kind === 'string' || type.kind === 'ascii'
  if (isText || type.kind === 'bytes' || type.kind === 'uuid' || isNumber) {
    const id = idIn(words, type)
    if (id !== undefined) return { kind: 'id', words: id }
  }
  if ((isNumber || isText) && isMoment(words, isNumber)) return { kind: 'time', words: words.join(' ') }
  if (isNumber && isCount(words)) return { kind: 'count', words: words.join(' ') }
  return undefined
}

function idIn(words: readonly string[], type: ColumnType): string | undefined {
  const id = timeOrderedId(words.join('_'))
  if (COUNTING.has(type.kind)) return id !== undefined && NUMBER_IDS.has(id) ? id : undefined
  if (id !== undefined) return id
  if (type.kind !== 'string' && type.kind !== 'bytes') return undefined
  const isObjectId = words.at(-1) === 'id' && words.at(-2) === 'object'
  return isObjectId && type.length === OBJECT_ID_LENGTHS[type.kind] ? 'object id' : undefined
}

/** The kind of time-ordered id that a name in small letters is of: a column's, or a function's. */
export function timeOrderedId(name: string): string | undefined {
  const words = name.split('_')
  for (let length = words.length; length > 0; length--) {
    const last = words[length - 1]
    if (last !== undefined && IDS.has(last)) return last
    const uuid = UUID.exec(words.slice(0, length).join('_'))?.[0]
    if (uuid !== undefined) return uuid.replace(/^_/, '')
    if (last === undefined || !TAILS.has(last)) return undefined
  }
  return undefined
}

function isMoment(words: readonly string[], isNumber: boolean): boolean {
  if (words.some((word) => LENGTHS.has(word) || UNRELATED.has(word))) return false
  const ahead = aheadIn(words)
  // A text that is a start or an end may be a time of day.
  if (ahead === 'planned' || (ahead === 'edge' && !isNumber)) return false
  const { named, hasUnit, hasClock } = withoutUnits(words)
  const head = named.at(-1)
  const before = named.slice(0, -1)
  // `epoch` and `seconds` are many things; `epoch_seconds` and `millis` are one.
  if (head === undefined) return hasUnit && (hasClock || /^(?:milli|micro|nano)s/.test(words.join('')))
  if (MOMENTS.has(head) || CALENDAR.has(head)) return true
  const about = before.at(-1)
  if (head === 'at' || head === 'on') {
    return about !== undefined && (DONE.has(about) || (isNumber && (head === 'at' || hasUnit || hasClock)))
  }
  const happens = before.some((word) => DONE.has(word) || HAPPENINGS.has(word) || EDGES.has(word))
  if (TIMES.has(head)) return happens || (before.length === 0 && (head !== 'day' || !isNumber))
  if ((head === 'key' || head === 'id' || head === 'sk') && about !== undefined && OF_CALENDAR.has(about)) {
    return before.length === 1 || happens
  }
  const [first = ''] = named
  const since = before.includes('last') || before.includes('when') || MOMENTS.has(first) || TIMES.has(first)
  if (
    before.length > 0 &&
    since &&
    (DONE.has(head) || LATELY.has(head) || (HAPPENINGS.has(head) && !before.includes('last')))
  ) {
    return true
  }
  if (hasClock && (DONE.has(head) || head === 'event')) return true
  return PLAINLY_DONE.has(head) && (before.length === 0 || hasUnit)
}

function withoutUnits(words: readonly string[]): {
  named: readonly string[]
  hasUnit: boolean
  hasClock: boolean
} {
  let length = words.length
  let hasUnit = false
  let hasClock = false
  for (; length > 0; length--) {
    const word = words[length - 1] ?? ''
    if (UNITS.has(word)) hasUnit = true
    else if (CLOCKS.has(word)) hasClock = true
    else if (!FORMS.has(word)) break
  }
  return { named: words.slice(0, length), hasUnit, hasClock }
}

function isCount(words: readonly string[]): boolean {
  const named = words.filter((word) => !KINDS.has(word))
  const head = named.at(-1)
  const before = named.slice(0, -1)
  const about = before.at(-1)
  if (head === undefined) return false
  if (COUNTERS.has(head)) return true
  if (NUMBERS.has(head)) return about !== undefined && NUMBERED.has(about)
  if (IN_WHOLE.has(head)) {
    if (head === 'height') return about === 'block'
    return before.every((word) => WHOLE.has(word))
  }
  if (head === 'version')
    return about !== undefined && ['row', 'global', 'commit', 'change', 'sync'].includes(about)
  if (head === 'serial') return true
  if (head === 'increment' || head === 'inc') return about === 'auto'
  if (head === 'id') {
    const counted = before.some(
      (word) => word === 'seq' || word === 'sequence' || word === 'serial' || word === 'autoincrement',
    )
    return counted || before.includes('auto')
  }
  return false
}

/** What a time's name refers to. By default, the time at which its row is written. */
export function timeByName({ name, property, type }: Pick<Column, 'name' | 'property' | 'type'>): TimeName {
  const names = [wordsOf(name), wordsOf(property)]
  if (names.flat().some((word) => UNRELATED.has(word))) return 'unrelated'
  const ahead = names.map(aheadIn)
  if (ahead.includes('planned')) {
    const isTerm = type.kind === 'date' && names.flat().some((word) => TERMS.has(word))
    return isTerm ? 'unrelated' : 'planned'
  }
  if (ahead.includes('edge')) return 'edge'
  return type.kind === 'date' && names.some(isSomeDate) ? 'unknown' : 'written'
}

/**
 * Whether a name refers to a future time, or to a start or an end, which may be in the future. An action on a plan is past,
 * and so is the last time of an event: `reservation_created_at`, `last_expired_at`. The end of a paid period is not:
 * `paid_until`.
 */
function aheadIn(words: readonly string[]): 'planned' | 'edge' | undefined {
  const planned = words.filter((word) => PLANNED.has(word))
  const isIntended = words.some((word) => INTENDED.has(word))
  const isDone = words.findLast((word) => DONE.has(word) || PLANNED.has(word)) !== planned.at(-1)
  const isPast = isDone || (words.includes('last') && !words.some((word) => TERMS.has(word)))
  if (planned.length === 0 || (isPast && !isIntended)) return undefined
  return planned.every((word) => EDGES.has(word)) ? 'edge' : 'planned'
}

/** `release_date`: a date of something that need not happen when its row is written. */
function isSomeDate(words: readonly string[]): boolean {
  const head = words.at(-1)
  if (words.length < 2 || head === undefined || !TIMES.has(head)) return false
  return !words.some(
    (word) => DONE.has(word) || HAPPENINGS.has(word) || word === 'last' || word === 'current',
  )
}

/** The words of a column's name that say that it has few values. */
export function fewByName({ name, type }: Pick<Column, 'name' | 'type'>): string | undefined {
  if (!['string', 'ascii', 'int64', 'int32', 'int16', 'int8'].includes(type.kind)) return undefined
  const words = wordsOf(name)
  const last = words.at(-1)
  const about = words.at(-2)
  const [first = '', ...others] = words
  if (others.length > 0 && QUESTIONS.has(first) && !words.includes('id')) return words.join(' ')
  if (last === 'code' && about !== undefined && FEW.has(about)) return about
  if (last === 'id' && about !== undefined && FEW_BEFORE_AN_ID.has(about)) return about
  return last !== undefined && FEW.has(last) ? last : undefined
}

/** Whether a column is called a shard, or the like: its values are there to spread rows. */
export function spreadsByName({ name, property }: Pick<Column, 'name' | 'property'>): boolean {
  return [...wordsOf(name), ...wordsOf(property)].some((word) => SPREADING.has(word))
}

/** `eventULID`, `event_ulid` and `EventUlid` have the words `event` and `ulid`; so has `eventulid`, since both are known. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/uuid/gi, '_uuid_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .flatMap((word) => (WORDS.has(word) ? [word] : (parted(word) ?? [word])))
}

/** A word that is several known ones in a row, as names in small letters are: `createdat`. */
function parted(word: string): string[] | undefined {
  if (word.length > 40) return undefined
  // The fewest words that end at each letter.
  const ends: (string[] | undefined)[] = [[]]
  for (let end = 2; end <= word.length; end++) {
    for (let start = 0; start <= end - 2; start++) {
      const before = ends[start]
      const last = word.slice(start, end)
      if (!before || !WORDS.has(last) || before.length + 1 >= (ends[end]?.length ?? Infinity)) continue
      ends[end] = [...before, last]
    }
  }
  return ends[word.length]
}
