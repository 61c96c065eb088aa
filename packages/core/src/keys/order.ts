// The engine orders strings by their UTF-8 bytes, which is the order of code points. JavaScript's `<` compares UTF-16
// units, which differs beyond U+FFFF: a surrogate (U+D800…) is less than U+E000…U+FFFF there, but stands for more.

/** Compares two strings as their UTF-8 bytes compare. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === end) return a.length - b.length
  const left = a.charCodeAt(at)
  const right = b.charCodeAt(at)
  const leftSurrogate = left >= 0xd800 && left <= 0xdfff
  const rightSurrogate = right >= 0xd800 && right <= 0xdfff
  if (leftSurrogate !== rightSurrogate) return leftSurrogate ? 1 : -1
  return left - right
}

/** The least string that is greater than every string with this prefix; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  let end = prefix.length
  while (end > 0) {
    const low = prefix.charCodeAt(end - 1)
    const start = low >= 0xdc00 && low <= 0xdfff ? end - 2 : end - 1
    const last = prefix.codePointAt(start)!
    if (last < 0x10ffff) {
      // U+D800…U+DFFF are no characters: the one after U+D7FF is U+E000.
      return prefix.slice(0, start) + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
    }
    end = start
  }
  return undefined
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** Compares two decimal numbers written out in full (`-12.50`), whatever their scale. */
export function compareDecimal(a: string, b: string): number {
  const left = splitDecimal(a)
  const right = splitDecimal(b)
  const scale = Math.max(left.fraction.length, right.fraction.length)
  const unscaled = ({ negative, whole, fraction }: Decimal): bigint => {
    const digits = BigInt(whole + fraction.padEnd(scale, '0'))
    return negative ? -digits : digits
  }
  const difference = unscaled(left) - unscaled(right)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

interface Decimal {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

function splitDecimal(text: string): Decimal {
  const negative = text.startsWith('-')
  const [whole = '0', fraction = ''] = text.slice(negative || text.startsWith('+') ? 1 : 0).split('.')
  return { negative, whole: whole === '' ? '0' : whole, fraction }
}
