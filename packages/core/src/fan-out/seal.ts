import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { IsothermError } from '../errors.js'

// What leaves this process and comes back, as text or as data, is sealed: with a secret, nobody else can make it; without
// one, damage is noticed.

export type Secret = string | Uint8Array

/** In hexadecimal digits. */
export const SEAL_LENGTH = { checksum: 16, signature: 64 } as const

/** @throws {IsothermError} `INVALID_VALUE` for a secret that could be guessed. */
export function secretsOf(given: Secret | readonly Secret[]): readonly Secret[] {
  const secrets = typeof given === 'string' || given instanceof Uint8Array ? [given] : given
  const isShort = (secret: Secret): boolean => Buffer.from(secret).length < 32
  if (secrets.length > 0 && !secrets.some(isShort)) return secrets
  throw new IsothermError('INVALID_VALUE', 'A cursorSecret is too short, or there is none.', {
    fix: 'Use at least 32 bytes, made at random: openssl rand -base64 32.',
  })
}

/** @param secrets the first one signs; without any, a checksum tells damage only */
export function sealOf(payload: string, [secret]: readonly Secret[] = []): string {
  return secret === undefined ? checksum(payload) : signature(payload, secret)
}

/** Takes the same time whether a signature differs early or late. */
export function isSealed(payload: string, given: string, secrets: readonly Secret[] = []): boolean {
  if (secrets.length === 0) return checksum(payload) === given
  const found = Buffer.from(given)
  return secrets.some((secret) => {
    const own = Buffer.from(signature(payload, secret))
    return own.length === found.length && timingSafeEqual(own, found)
  })
}

/** Tells texts apart, and damage from none; whoever likes can make it. */
export function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SEAL_LENGTH.checksum)
}

function signature(payload: string, secret: Secret): string {
  return createHmac('sha256', secret).update(payload).digest('hex')
}
