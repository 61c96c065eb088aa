/** A statement that waits until it is released. */
export function heldStatement() {
  let letGo = (): void => {}
  const released = new Promise<void>((resolve) => (letGo = resolve))
  let reach = (): void => {}
  const reached = new Promise<void>((resolve) => (reach = resolve))
  let lose = (): void => {}
  const lost = new Promise<void>((resolve) => (lose = resolve))
  return {
    /** Resolves when the statement is called. */
    reached,
    /** Resolves when the migrator knows that its lease is lost. */
    lost,
    letGo,
    async wait(signal: AbortSignal | undefined): Promise<void> {
      signal?.addEventListener('abort', lose)
      reach()
      await released
    },
  }
}
