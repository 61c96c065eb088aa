import { randomBytes, randomUUID } from 'node:crypto'

// A UUID of version 1: the time in steps of 100 ns since the Gregorian calendar, then a number against clocks that are set
// back, then who made it. Source: https://www.rfc-editor.org/rfc/rfc9562#section-5.1

/** From 1582-10-15 to 1970-01-01, in steps. */
const EPOCH = 122_192_928_000_000_000n
const STEPS_PER_MILLISECOND = 10_000

/** This process, as if it were a network card: a random number that says so in its lowest bit of the first byte. */
const node = randomBytes(6)
node.writeUInt8(node.readUInt8() | 1)
const madeBy = node.toString('hex')

let sequence = randomBytes(2).readUInt16BE() & 0x3fff
let lastMilliseconds = 0
let step = 0

/**
 * A new UUID from the clock, in lower case. The UUIDs of one process are in the order in which they were made, as long as
 * its clock is not set back; even then, none is made twice.
 */
export function timeUuid(): string {
  const now = Date.now()
  if (now > lastMilliseconds) {
    step = 0
  } else if (now === lastMilliseconds && step < STEPS_PER_MILLISECOND - 1) {
    step++
  } else {
    // Set back, or more in a millisecond than it has steps: the same times again, under another number.
    step = 0
    sequence = (sequence + 1) & 0x3fff
  }
  lastMilliseconds = now
  const time = (EPOCH + BigInt(now) * BigInt(STEPS_PER_MILLISECOND) + BigInt(step))
    .toString(16)
    .padStart(15, '0')
  const clock = (sequence | 0x8000).toString(16)
  return `${time.slice(7)}-${time.slice(3, 7)}-1${time.slice(0, 3)}-${clock}-${madeBy}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A new random UUID, in lower case. */
export function uuidV4(): string {
  return randomUUID()
}

export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text)
}

/**
 * Whether a UUID's high bits are a clock (versions 1, 6 and 7): as a first key part such values are written side by side.
 */
export function isTimeOrderedUuid(uuid: string): boolean {
  const version = uuid[14]
  return version === '1' || version === '6' || version === '7'
}
