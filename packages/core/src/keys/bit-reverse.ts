import { IsothermError, shown } from '../errors.js'

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n

const REVERSED_BYTE = /* @__PURE__ */ new DataView(
  Uint8Array.from({ length: 256 }, (_, byte) => {
    let reversed = 0
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) reversed |= 0x80 >> bit
    return reversed
  }).buffer,
)

const scratch = new DataView(new ArrayBuffer(8))

export interface BitReverseOptions {
  /**
   * Keep the sign bit where it is and reverse the other 63, as the database's sequences do: a positive number stays
   * positive. Default: true.
   */
  readonly preserveSign?: boolean
}

/** The public `bitReverse` of `keys/index.ts`, without its check of the options. */
export function bitReverse(value: bigint, options: BitReverseOptions = {}): bigint {
  if (typeof value !== 'bigint' || value < MIN_INT64 || value > MAX_INT64) {
    throw new IsothermError(
      'INVALID_VALUE',
      `${typeof value === 'bigint' ? value : shown(value)} is not a 64-bit integer.`,
      {
        fix: 'Pass a bigint from -2^63 to 2^63 - 1.',
      },
    )
  }
  scratch.setBigInt64(0, value)
  for (let low = 0; low < 4; low++) {
    const first = REVERSED_BYTE.getUint8(scratch.getUint8(low))
    scratch.setUint8(low, REVERSED_BYTE.getUint8(scratch.getUint8(7 - low)))
    scratch.setUint8(7 - low, first)
  }
  if (options.preserveSign === false) return scratch.getBigInt64(0)
  // All 64 bits were reversed, so the sign bit is now the lowest: shift it out and put it back on top.
  const magnitude = scratch.getBigUint64(0) >> 1n
  return value < 0n ? magnitude + MIN_INT64 : magnitude
}
