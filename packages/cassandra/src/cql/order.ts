import { isIPv4 } from 'node:net'

// The orders in which Cassandra keeps the rows of a partition, where they are not those of the text or the number. Tried on
// a node, type by type: a merge that orders rows in another way than they come in would lose some.
//
// Source: https://github.com/apache/cassandra/tree/cassandra-5.0/src/java/org/apache/cassandra/db/marshal

type Compare<T> = (a: T, b: T) => number

/** Two texts of ASCII characters alone, by their bytes. */
export function comparePlain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** UUIDs in lower case: by version, those of version 1 by their time, and then by their bytes. */
export function compareUuid(a: string, b: string): number {
  const version = comparePlain(a.charAt(14), b.charAt(14))
  if (version !== 0) return version
  return (a[14] === '1' && compareTime(a, b)) || comparePlain(a, b)
}

/** UUIDs of version 1, in lower case: by their time, and then by their bytes, which Cassandra compares as signed. */
export function compareTimeUuid(a: string, b: string): number {
  return compareTime(a, b) || compareSigned(a, b)
}

/** The time is stored in a UUID with its highest digits last. */
function compareTime(a: string, b: string): number {
  return (
    comparePlain(a.slice(14, 18), b.slice(14, 18)) ||
    comparePlain(a.slice(9, 13), b.slice(9, 13)) ||
    comparePlain(a.slice(0, 8), b.slice(0, 8))
  )
}

const CLOCK_AND_NODE = [19, 21, 24, 26, 28, 30, 32, 34] as const

function compareSigned(a: string, b: string): number {
  for (const at of CLOCK_AND_NODE) {
    const order = comparePlain(a.slice(at, at + 2), b.slice(at, at + 2))
    if (order === 0) continue
    const turned = a.charAt(at) >= '8' !== b.charAt(at) >= '8'
    return turned ? -order : order
  }
  return 0
}

/** Addresses by their bytes: an IPv4 address has 4 of them, an IPv6 address 16. */
export function compareInet(a: string, b: string): number {
  return Buffer.compare(inetBytes(a), inetBytes(b))
}

/** The bytes of an address as `inetText` prints it. */
export function inetBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  const [left = '', right = ''] = address.split('::')
  const before = words(left)
  const after = words(right)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]))
}

function words(text: string): number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
}

/** The address of 4 or 16 bytes, in one form: lower case, the longest run of zeros left out. */
export function inetText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const all = Array.from({ length: 8 }, (_, at) => view.getUint16(2 * at).toString(16))
  return canonicalInet(all.join(':'))
}

/** An address as `inetText` writes it. */
export function canonicalInet(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** Lists, and sets in the order of their items: item by item, a beginning before what goes on. */
export function compareItems<T>(compare: Compare<T>): Compare<Iterable<T>> {
  return (a, b) => {
    const others = b[Symbol.iterator]()
    for (const item of a) {
      const other = others.next()
      if (other.done) return 1
      const order = compare(item, other.value)
      if (order !== 0) return order
    }
    return others.next().done ? 0 : -1
  }
}

/** Tuples and user types: value by value, NULL before all others. */
export function compareParts<T>(compares: readonly Compare<T>[]): Compare<readonly (T | null)[]> {
  return (a, b) => {
    for (const [at, compare] of compares.entries()) {
      const [left, right] = [a[at] ?? null, b[at] ?? null]
      if (left === null || right === null) {
        if (left === right) continue
        return left === null ? -1 : 1
      }
      const order = compare(left, right)
      if (order !== 0) return order
    }
    return 0
  }
}
