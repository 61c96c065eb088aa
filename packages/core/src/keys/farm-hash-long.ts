// The 64-bit FarmHash fingerprint of more than 64 bytes, written after its published description. The package that is
// used otherwise is wrong for whole blocks: 128 bytes, 192 and so on.
//
// Source: https://github.com/google/farmhash (farmhashna::Hash64)

const K0 = 0xc3a5_c85c_97cb_3127n
const K1 = 0xb492_b66f_be98_f273n
const K2 = 0x9ae1_6a3b_2f90_404fn
const SEED = 81n
const BLOCK = 64

type Pair = readonly [bigint, bigint]

function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value)
}

function rotate(value: bigint, by: bigint): bigint {
  return u64((value >> by) | (value << (64n - by)))
}

function shiftMix(value: bigint): bigint {
  return value ^ (value >> 47n)
}

function mix(u: bigint, v: bigint, multiplier: bigint): bigint {
  const a = shiftMix(u64((u ^ v) * multiplier))
  return u64(shiftMix(u64((v ^ a) * multiplier)) * multiplier)
}

class State {
  readonly #view: DataView
  x: bigint
  y = u64(SEED * K1 + 113n)
  z: bigint
  v: Pair = [0n, 0n]
  w: Pair = [0n, 0n]

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.x = u64(SEED * K2 + this.#at(0))
    this.z = u64(shiftMix(u64(this.y * K2 + 113n)) * K2)
  }

  #at(place: number): bigint {
    return this.#view.getBigUint64(place, true)
  }

  #weak(place: number, a: bigint, b: bigint): Pair {
    const first = u64(a + this.#at(place))
    const sum = u64(first + this.#at(place + 8) + this.#at(place + 16))
    const turned = u64(rotate(u64(b + first + this.#at(place + 24)), 21n) + rotate(sum, 44n))
    return [u64(sum + this.#at(place + 24)), u64(turned + first)]
  }

  block(place: number, multiplier: bigint, weight: bigint): void {
    const { v, w } = this
    const x =
      u64(rotate(u64(this.x + this.y + v[0] + this.#at(place + 8)), 37n) * multiplier) ^ u64(w[1] * weight)
    this.y = u64(
      rotate(u64(this.y + v[1] + this.#at(place + 48)), 42n) * multiplier +
        v[0] * weight +
        this.#at(place + 40),
    )
    const z = u64(rotate(u64(this.z + w[0]), 33n) * multiplier)
    this.v = this.#weak(place, u64(v[1] * multiplier), u64(x + w[0]))
    this.w = this.#weak(place + 32, u64(z + w[1]), u64(this.y + this.#at(place + 16)))
    this.x = z
    this.z = x
  }
}

/** @param bytes more than 64 */
export function farmHashOfLong(bytes: Uint8Array): bigint {
  const state = new State(bytes)
  const beyond = (bytes.length - 1) % BLOCK
  const end = bytes.length - 1 - beyond
  for (let place = 0; place < end; place += BLOCK) state.block(place, K1, 1n)
  const multiplier = u64(K1 + ((state.z & 0xffn) << 1n))
  const w = u64(state.w[0] + BigInt(beyond))
  const v = u64(state.v[0] + w)
  state.v = [v, state.v[1]]
  state.w = [u64(w + v), state.w[1]]
  // The last 64 bytes, which overlap with the block before them.
  state.block(end + beyond - 63, multiplier, 9n)
  const high = u64(mix(state.v[0], state.w[0], multiplier) + shiftMix(state.y) * K0 + state.z)
  const low = u64(mix(state.v[1], state.w[1], multiplier) + state.x)
  return BigInt.asIntN(64, mix(high, low, multiplier))
}
