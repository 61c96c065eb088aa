// FarmHash's 64-bit fingerprint, written after its published description. Each operation on a BigInt allocates
// another one, so a word is two 32-bit halves here, and the words of a computation are reused by the next one.
//
// Source: https://github.com/google/farmhash (farmhashna::Hash64)

/** An unsigned 64-bit integer that operations change. Halves are kept as signed 32-bit integers. */
class Word {
  constructor(
    public high = 0,
    public low = 0,
  ) {}

  set({ high, low }: Word): this {
    this.high = high
    this.low = low
    return this
  }

  setHalves(high: number, low: number): this {
    this.high = high
    this.low = low | 0
    return this
  }

  /** The eight bytes at an offset, little-endian. */
  load(bytes: Uint8Array, at: number): this {
    this.low = load32(bytes, at)
    this.high = load32(bytes, at + 4)
    return this
  }

  add({ high, low }: Word): this {
    const sum = (this.low + low) | 0
    // The sum of the lower halves has a carry where it is less than one of them.
    this.high = (this.high + high + (sum >>> 0 < low >>> 0 ? 1 : 0)) | 0
    this.low = sum
    return this
  }

  /** @param small at most 31 bits */
  addSmall(small: number): this {
    return this.add(operand.setHalves(0, small))
  }

  addLoaded(bytes: Uint8Array, at: number): this {
    return this.add(operand.load(bytes, at))
  }

  xor({ high, low }: Word): this {
    this.high ^= high
    this.low ^= low
    return this
  }

  multiply({ high, low }: Word): this {
    const a0 = this.low & 0xffff
    const a1 = this.low >>> 16
    const b0 = low & 0xffff
    const b1 = low >>> 16
    // No product and no sum exceeds 32 bits, so the sign does not matter.
    const first = Math.imul(a0, b0)
    const second = (Math.imul(a1, b0) + (first >>> 16)) | 0
    const third = (Math.imul(a0, b1) + (second & 0xffff)) | 0
    const carried = (Math.imul(a1, b1) + (second >>> 16) + (third >>> 16)) | 0
    this.high = (carried + Math.imul(this.low, high) + Math.imul(this.high, low)) | 0
    this.low = (third << 16) | (first & 0xffff)
    return this
  }

  /** To the right. @param bits from 1 to 63, without 32 */
  rotate(bits: number): this {
    const isFar = bits > 32
    const high = isFar ? this.low : this.high
    const low = isFar ? this.high : this.low
    const by = bits & 31
    this.high = (high >>> by) | (low << (32 - by))
    this.low = (low >>> by) | (high << (32 - by))
    return this
  }

  /** Mixes the upper 17 bits into the lower ones. */
  shiftMix(): this {
    this.low ^= this.high >>> 15
    return this
  }
}

function load32(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

/** The operand of an addition, if it is not a word already. */
const operand = /* @__PURE__ */ new Word()

const K0 = /* @__PURE__ */ new Word(0xc3a5_c85c | 0, 0x97cb_3127 | 0)
const K1 = /* @__PURE__ */ new Word(0xb492_b66f | 0, 0xbe98_f273 | 0)
const K2 = /* @__PURE__ */ new Word(0x9ae1_6a3b | 0, 0x2f90_404f | 0)
const ONE = /* @__PURE__ */ new Word(0, 1)
const NINE = /* @__PURE__ */ new Word(0, 9)
const SEED = 81
const BLOCK = 64

// The words of one computation, which never waits: the next one begins after it.
const mul = /* @__PURE__ */ new Word()
const a = /* @__PURE__ */ new Word()
const b = /* @__PURE__ */ new Word()
const c = /* @__PURE__ */ new Word()
const d = /* @__PURE__ */ new Word()
const e = /* @__PURE__ */ new Word()
const f = /* @__PURE__ */ new Word()
const y = /* @__PURE__ */ new Word()
const z = /* @__PURE__ */ new Word()

/** Mixes two words into the first one. */
function mix(into: Word, other: Word): Word {
  into.xor(other).multiply(mul).shiftMix()
  return into.xor(other).multiply(mul).shiftMix().multiply(mul)
}

function hashUpTo16(bytes: Uint8Array): Word {
  const { length } = bytes
  if (length >= 8) {
    mul.set(K2).addSmall(length * 2)
    a.load(bytes, 0).add(K2)
    b.load(bytes, length - 8)
    c.set(b).rotate(37).multiply(mul).add(a)
    d.set(a).rotate(25).add(b).multiply(mul)
    return mix(c, d)
  }
  if (length >= 4) {
    mul.set(K2).addSmall(length * 2)
    const first = load32(bytes, 0)
    a.setHalves(first >>> 29, first << 3).addSmall(length)
    b.setHalves(0, load32(bytes, length - 4))
    return mix(a, b)
  }
  if (length === 0) return K2
  const start = bytes[0]! + (bytes[length >> 1]! << 8)
  const end = length + (bytes[length - 1]! << 2)
  b.setHalves(0, end).multiply(K0)
  return a.setHalves(0, start).multiply(K2).xor(b).shiftMix().multiply(K2)
}

function hashUpTo32(bytes: Uint8Array): Word {
  const { length } = bytes
  mul.set(K2).addSmall(length * 2)
  a.load(bytes, 0).multiply(K1)
  b.load(bytes, 8)
  c.load(bytes, length - 8).multiply(mul)
  d.load(bytes, length - 16).multiply(K2)
  y.set(a).add(b).rotate(43).add(z.set(c).rotate(30)).add(d)
  z.set(b).add(K2).rotate(18).add(a).add(c)
  return mix(y, z)
}

function hashUpTo64(bytes: Uint8Array): Word {
  const { length } = bytes
  mul.set(K2).addSmall(length * 2)
  a.load(bytes, 0).multiply(K2)
  b.load(bytes, 8)
  c.load(bytes, length - 8).multiply(mul)
  d.load(bytes, length - 16).multiply(K2)
  y.set(a).add(b).rotate(43).add(z.set(c).rotate(30)).add(d)
  b.add(K2).rotate(18).add(a).add(c)
  mix(z.set(y), b)
  e.load(bytes, 16).multiply(mul)
  f.load(bytes, 24)
  y.addLoaded(bytes, length - 32).multiply(mul)
  z.addLoaded(bytes, length - 24).multiply(mul)
  c.set(e).add(f).rotate(43).add(d.set(y).rotate(30)).add(z)
  d.set(f).add(a).rotate(18).add(e).add(y)
  return mix(c, d)
}

/** The state of the hash of a long input, block by block. `x` and `z` are swapped with each block. */
let x = /* @__PURE__ */ new Word()
let turned = /* @__PURE__ */ new Word()
const v0 = /* @__PURE__ */ new Word()
const v1 = /* @__PURE__ */ new Word()
const w0 = /* @__PURE__ */ new Word()
const w1 = /* @__PURE__ */ new Word()

/** Hashes 32 bytes and two words to two words. */
function hash32(bytes: Uint8Array, at: number, first: Word, second: Word): void {
  first.addLoaded(bytes, at)
  second
    .add(first)
    .addLoaded(bytes, at + 24)
    .rotate(21)
  a.set(first)
  first.addLoaded(bytes, at + 8).addLoaded(bytes, at + 16)
  second.add(b.set(first).rotate(44)).add(a)
  first.addLoaded(bytes, at + 24)
}

/** @param weight of what earlier blocks have left */
function hashBlock(bytes: Uint8Array, at: number, weight: Word): void {
  x.add(y)
    .add(v0)
    .addLoaded(bytes, at + 8)
    .rotate(37)
    .multiply(mul)
  x.xor(c.set(w1).multiply(weight))
  y.add(v1)
    .addLoaded(bytes, at + 48)
    .rotate(42)
    .multiply(mul)
  y.add(c.set(v0).multiply(weight)).addLoaded(bytes, at + 40)
  turned.add(w0).rotate(33).multiply(mul)
  v0.set(v1).multiply(mul)
  v1.set(x).add(w0)
  hash32(bytes, at, v0, v1)
  w0.set(turned).add(w1)
  w1.set(y).addLoaded(bytes, at + 16)
  hash32(bytes, at + 32, w0, w1)
  ;[x, turned] = [turned, x]
}

function hashLong(bytes: Uint8Array): Word {
  const beyond = (bytes.length - 1) % BLOCK
  const end = bytes.length - 1 - beyond
  x.setHalves(0, SEED).multiply(K2).addLoaded(bytes, 0)
  y.setHalves(0, SEED).multiply(K1).addSmall(113)
  turned.set(y).multiply(K2).addSmall(113).shiftMix().multiply(K2)
  for (const word of [v0, v1, w0, w1]) word.setHalves(0, 0)
  mul.set(K1)
  for (let at = 0; at < end; at += BLOCK) hashBlock(bytes, at, ONE)
  mul.set(K1).addSmall((turned.low & 0xff) << 1)
  w0.addSmall(beyond)
  v0.add(w0)
  w0.add(v0)
  // The last 64 bytes, which overlap with the block before them.
  hashBlock(bytes, end + beyond - 63, NINE)
  mix(v0, w0).add(y.shiftMix().multiply(K0)).add(turned)
  mix(v1, w1).add(x)
  return mix(v0, v1)
}

const result = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(8))

/** The fingerprint of bytes, as a signed integer. */
export function farmHash(bytes: Uint8Array): bigint {
  const { length } = bytes
  const { high, low } =
    length <= 16
      ? hashUpTo16(bytes)
      : length <= 32
        ? hashUpTo32(bytes)
        : length <= 64
          ? hashUpTo64(bytes)
          : hashLong(bytes)
  result.setInt32(0, high)
  result.setInt32(4, low)
  return result.getBigInt64(0)
}
