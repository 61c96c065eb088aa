/** A line that is written over on a terminal; elsewhere only the last one is written. */
export function progress(what: string, done: number, total: number): void {
  const line = `${what}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  if (process.stderr.isTTY) {
    process.stderr.write(done < total ? `\r${line}` : '\r\x1b[K')
    return
  }
  if (done >= total) console.error(line)
}
