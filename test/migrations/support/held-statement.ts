/** A statement that waits until it is let go. */
export function heldStatement() {
  let letGo = (): void => {}
  const released = new Promise<void>((resolve) => (letGo = resolve))
  let reach = (): void => {}
  const reached = new Promise<void>((resolve) => (reach = resolve))
  let lose = (): void => {}
  const lost = new Promise<void>((resolve) => (lose = resolve))
  return {
    /** When it is asked for. */
    reached,
    /** When its migrator knows that the lease is lost. */
    lost,
    letGo,
    async wait(signal: AbortSignal | undefined): Promise<void> {
      signal?.addEventListener('abort', lose)
      reach()
      await released
    },
  }
}
