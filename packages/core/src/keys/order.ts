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
    const last = prefix.codePointAt(start) ?? 0
    if (last < 0x10ffff) {
      // U+D800…U+DFFF are not characters: the one after U+D7FF is U+E000.
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
  if (left.negative !== right.negative) return left.negative ? -1 : 1
  const difference =
    Math.sign(left.whole.length - right.whole.length) ||
    comparePlain(left.whole, right.whole) ||
    comparePlain(left.fraction, right.fraction)
  return left.negative ? 0 - difference : difference
}

/** Without zeros that say nothing, so that digits compare as text does. */
interface Decimal {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

function splitDecimal(text: string): Decimal {
  const isSigned = text.startsWith('-') || text.startsWith('+')
  const point = text.indexOf('.')
  const whole = text.slice(isSigned ? 1 : 0, point < 0 ? undefined : point).replace(/^0+/, '')
  const fraction = point < 0 ? '' : text.slice(point + 1).replace(/0+$/, '')
  return { negative: text.startsWith('-') && whole + fraction !== '', whole, fraction }
}

function comparePlain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
