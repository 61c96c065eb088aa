// The service says when a transaction that it aborted may be run again; the emulator does not, and the client then rests for
// two seconds, four, eight … There a transaction that its process has left behind is ended only by others that try, each with
// a small chance, so that a rest of that kind would be a minute.

const RETRY_INFO = 'google.rpc.retryinfo-bin'

/** Milliseconds before a transaction runs again the first time; doubled each time, up to the second figure. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 1_000

interface Metadata {
  get(key: string): readonly unknown[]
  set(key: string, value: Buffer): void
}

/**
 * Gives an error of an aborted transaction a time to rest, where the database gave none.
 *
 * @param aborted how often the transaction was aborted before
 */
export function delayAfterAbort(error: unknown, aborted: number): void {
  const { metadata } = error as { readonly metadata?: Metadata }
  if (!metadata || metadata.get(RETRY_INFO).length > 0) return
  metadata.set(RETRY_INFO, retryInfo(abortPause(aborted)))
}

/** Milliseconds to wait before an aborted transaction runs again, where the database does not say how long. */
export function abortPause(aborted: number): number {
  const longest = Math.min(FIRST_PAUSE * 2 ** aborted, LONGEST_PAUSE)
  return longest * (0.5 + Math.random() / 2)
}

/** `google.rpc.RetryInfo` with a delay below or of a second, as it is sent. */
function retryInfo(milliseconds: number): Buffer {
  const nanos = Math.min(Math.round(milliseconds * 1e6), 999_999_999)
  // The delay is field 1, its nanoseconds are field 2 of that.
  const duration = [0x10, ...varint(nanos)]
  return Buffer.from([0x0a, duration.length, ...duration])
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
