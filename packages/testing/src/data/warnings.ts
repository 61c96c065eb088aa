/** The warnings of Node while work runs, such as of too many listeners. */
export async function warningsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  const listen = (warning: Error): unknown => warnings.push(warning.message)
  process.on('warning', listen)
  try {
    await work()
    // Node reports a warning at the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('warning', listen)
  }
  return warnings
}
