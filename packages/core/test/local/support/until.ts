import { setTimeout as delay } from 'node:timers/promises'

/** Waits until `holds` says true, asking again and again. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const timeoutMs = Date.now() + limitMs
  while (!(await holds())) {
    if (Date.now() > timeoutMs) throw new Error(`Not within ${limitMs} ms: ${what}`)
    await delay(20)
  }
}
