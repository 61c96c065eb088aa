import { randomUUID } from 'node:crypto'

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
