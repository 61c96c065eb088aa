import { blog } from '../src/blog.js'
import type { BlogEngine } from '../src/engine.js'
import { Report } from '../src/report.js'

/**
 * Runs the blog, which checks its results itself: the caller checks what it prints.
 *
 * @returns the parts that it prints, in the order in which they come first
 */
export async function printedParts(engine: BlogEngine, parts: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  await blog(engine, new Report((line) => lines.push(line)))
  const text = lines.join('\n')
  return parts.filter((part) => text.includes(part)).toSorted((a, b) => text.indexOf(a) - text.indexOf(b))
}
