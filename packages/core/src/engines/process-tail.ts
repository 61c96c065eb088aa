import { IsothermError } from '../errors.js'
import { messageOf } from './resolve.js'
import type { TiedProcess } from './tied-process.js'

/** What `work` gives; if it fails, the error also tells what the process printed last. */
export async function withTail<Value>(child: TiedProcess, work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    const tail = quoted(child.tail())
    if (error instanceof IsothermError || tail === '' || messageOf(error).endsWith(tail)) throw error
    throw new Error(`${messageOf(error)}${tail}`, { cause: error })
  }
}

/** The last lines of a process, to follow a sentence; nothing if it was silent. */
export function quoted(tail: string): string {
  return tail === '' ? '' : ` Its output ends:\n      ${tail.split('\n').join('\n      ')}`
}
