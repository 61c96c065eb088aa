import { cpus } from 'node:os'
import type { Comparison, Measure } from './harness.js'
import type { Summary } from './statistics.js'

export interface BenchmarkResult {
  readonly name: string
  readonly title: string
  /** What was started for it, as it describes itself. */
  readonly engines: readonly string[]
  readonly comparisons: readonly Comparison[]
}

/** The figures of a run as data, and what they were measured on. */
export interface Report {
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly cpus: number
  /** Times in microseconds per operation; a ratio is ours divided by raw. */
  readonly benchmarks: readonly BenchmarkResult[]
}

export function reportOf(benchmarks: readonly BenchmarkResult[]): Report {
  const [first] = cpus()
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: first?.model ?? 'unknown',
    cpus: cpus().length,
    benchmarks,
  }
}

export function missed(results: readonly BenchmarkResult[]): string[] {
  return results.flatMap(({ name, comparisons }) =>
    comparisons.flatMap((comparison) =>
      (['cpu', 'wall'] as const)
        .filter((which) => comparison[which].met === false)
        .map((which) => `${name}, ${comparison.name}: ${which} ${times(comparison[which].ratio.median)}`),
    ),
  )
}

const HEAD = ['', 'raw', 'isotherm', 'ratio', 'MAD', 'min–max', 'target', '']

/** A benchmark's result as a table for people. Times are medians over the rounds. */
export function tableOf({ name, title, engines, comparisons }: BenchmarkResult): string {
  const lines = [`${name}: ${title}`, ...engines.map((engine) => `  on ${engine}`)]
  const rows = comparisons.map((comparison) => [
    row('CPU', comparison, comparison.cpu),
    row('wall', comparison, comparison.wall),
  ])
  const all = [HEAD, ...rows.flat()]
  const widths = HEAD.map((_, at) => Math.max(...all.map((cells) => cells[at]!.length)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd()
  comparisons.forEach((comparison, at) => {
    const { per, operations, rounds } = comparison
    const each = operations === 1 ? `1 ${per}` : `${operations.toLocaleString('en')} ${per}s`
    lines.push('', `  ${comparison.name} (${rounds} rounds of ${each})`)
    if (at === 0) lines.push(`    ${line(HEAD)}`)
    for (const cells of rows[at]!) lines.push(`    ${line(cells)}`)
    for (const note of comparison.notes ?? []) lines.push(`    ${note}`)
  })
  return lines.join('\n')
}

function row(what: string, { per }: Comparison, { raw, ours, ratio, target, met }: Measure): string[] {
  const inMilliseconds = raw.median >= 10_000
  const time = ({ median }: Summary): string => {
    const shown = inMilliseconds ? median / 1_000 : median
    return shown.toFixed(shown < 100 ? 1 : 0)
  }
  return [
    `${what}, ${inMilliseconds ? 'ms' : 'µs'}/${per}`,
    time(raw),
    time(ours),
    times(ratio.median),
    ratio.mad.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    target === undefined ? '' : `≤ ${times(target)}`,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ]
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`
}
