import { wiresOf } from '../../database/codec.js'
import type { Field } from '../../dialects/layout.js'
import type { Computation } from './measure.js'
import { DECIMALS, WHOLE_NUMBERS } from './result-field.js'

/** What is known so far of one measure of one group. */
export interface Accumulator {
  /** A value that is not NULL. */
  add(value: unknown): void
  /** As a row of the result shows it. */
  result(): unknown
}

/**
 * Makes the accumulators of a measure, one for each group.
 *
 * @param source what is computed of; undefined where rows are counted
 * @param keep is told of each value that has to be kept
 */
export function accumulators(
  compute: Computation,
  source: Field | undefined,
  keep: () => void,
): () => Accumulator {
  switch (compute) {
    case 'count':
      return counter
    case 'countDistinct':
      return () => distinct(source!, keep)
    case 'min':
      return () => extreme(source!, 1)
    case 'max':
      return () => extreme(source!, -1)
    case 'sum':
    case 'avg': {
      const { kind } = source!.column.type
      if (WHOLE_NUMBERS.includes(kind)) return () => wholeNumbers(compute)
      return DECIMALS.includes(kind) ? () => decimals(compute) : () => floats(compute)
    }
  }
}

function counter(): Accumulator {
  let count = 0
  return {
    add: () => void count++,
    result: () => count,
  }
}

function distinct(source: Field, keep: () => void): Accumulator {
  const seen = new Set<string>()
  return {
    add(value) {
      const text = JSON.stringify(wiresOf(source, value))
      if (seen.has(text)) return
      seen.add(text)
      keep()
    },
    result: () => seen.size,
  }
}

function extreme(source: Field, sign: 1 | -1): Accumulator {
  let found: unknown = null
  return {
    add(value) {
      if (found === null || sign * source.compare(value, found) < 0) found = value
    },
    result: () => found,
  }
}

function wholeNumbers(compute: 'sum' | 'avg'): Accumulator {
  let sum = 0n
  let count = 0
  return {
    add(value) {
      sum += BigInt(value as bigint | number)
      count++
    },
    result() {
      if (count === 0) return null
      if (compute === 'sum') return sum
      // By itself the sum may have more digits than a number keeps.
      const of = BigInt(count)
      return Number(sum / of) + Number(sum % of) / count
    },
  }
}

/** In the order in which the rows come, as engines do: what is lost to rounding is not the same each time. */
function floats(compute: 'sum' | 'avg'): Accumulator {
  let sum = 0
  let count = 0
  return {
    add(value) {
      sum += value as number
      count++
    },
    result() {
      if (count === 0) return null
      return compute === 'sum' ? sum : sum / count
    },
  }
}

/** How many digits after the point an average of decimals has at least. */
const AVERAGE_DIGITS = 9

function decimals(compute: 'sum' | 'avg'): Accumulator {
  let units = 0n
  let digits = 0
  let count = 0
  return {
    add(value) {
      const [whole = '', fraction = ''] = (value as string).split('.')
      const more = fraction.length - digits
      if (more > 0) {
        units *= 10n ** BigInt(more)
        digits += more
      }
      units += BigInt(whole + fraction.padEnd(digits, '0'))
      count++
    },
    result() {
      if (count === 0) return null
      if (compute === 'sum') return decimalText(units, digits)
      const shown = Math.max(digits, AVERAGE_DIGITS)
      return decimalText(rounded(units * 10n ** BigInt(shown - digits), BigInt(count)), shown)
    },
  }
}

/** A quotient, its half rounded away from zero. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor
  return (2n * dividend + half) / (2n * divisor)
}

/** Without zeros that say nothing. */
function decimalText(units: bigint, digits: number): string {
  const all = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  const point = all.length - digits
  const fraction = all.slice(point).replace(/0+$/, '')
  const text = fraction === '' ? all.slice(0, point) : `${all.slice(0, point)}.${fraction}`
  return units < 0n ? `-${text}` : text
}
