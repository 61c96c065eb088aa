/** The clock of a lease's holder. It is an object so that tests can let time pass at once. */
export const leaseClock = {
  /** In milliseconds. It stands still while the machine sleeps. */
  now: (): number => performance.now(),

  /** In milliseconds since 1970. */
  wall: (): number => Date.now(),

  /** Calls back once. @returns cancels it */
  after(milliseconds: number, call: () => void): () => void {
    const timer = setTimeout(call, milliseconds)
    // A process that has nothing else to do may end: its lease ends by itself.
    timer.unref()
    return () => clearTimeout(timer)
  },
}
