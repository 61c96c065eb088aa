import { times, type Report } from './report.js'
import type { Comparison, Measure } from './harness.js'

/** A report as a page of the documentation. */
export function pageOf({ date, node, cpu, cpus, benchmarks }: Report): string {
  const lines = [
    '# Benchmarks',
    '',
    "Written by `pnpm bench`, which measures Isotherm (`ours`) against the vendor's client (`raw`) in the same run, in",
    'turns. Times are medians over the rounds; a ratio is ours divided by raw in the same round, median over the rounds,',
    "with its median absolute deviation. CPU is that of the client's process: the engine's is not in it.",
    '',
    `${date.slice(0, 10)}, Node ${node.slice(1)}, ${cpus} × ${cpu}, the emulator of Cloud Spanner, Cassandra and PostgreSQL on the same machine.`,
  ]
  for (const { name, title, comparisons } of benchmarks) {
    lines.push('', `## ${name}`, '', `${title[0]!.toUpperCase()}${title.slice(1)}.`, '')
    lines.push(
      '| | | raw | ours | ratio | ± | target | |',
      '| --- | --- | --: | --: | --: | --: | --: | --- |',
    )
    for (const comparison of comparisons) {
      lines.push(row(comparison, 'CPU', comparison.cpu), row(comparison, 'wall', comparison.wall))
    }
    const notes = comparisons.flatMap((comparison) =>
      (comparison.notes ?? []).map((note) => `- ${comparison.name}: ${note}`),
    )
    if (notes.length > 0) lines.push('', ...notes)
  }
  return `${lines.join('\n')}\n`
}

/** A page with a section, of two hashes, in place of the one of that name, or after all others. */
export function withSection(page: string, name: string, section: string): string {
  const parts = page.split(/^(?=## )/m)
  const at = parts.findIndex((part) => isNamed(part, name))
  const others = parts.filter((part) => !isNamed(part, name)).map((part) => part.trimEnd())
  others.splice(at === -1 ? others.length : at, 0, section.trimEnd())
  return `${others.join('\n\n')}\n`
}

export function sectionNamed(page: string, name: string): string | undefined {
  return page.split(/^(?=## )/m).find((part) => isNamed(part, name))
}

function isNamed(part: string, name: string): boolean {
  return part.startsWith(`## ${name}\n`)
}

function row({ name, per }: Comparison, what: string, { raw, ours, ratio, target, met }: Measure): string {
  const inMilliseconds = raw.median >= 10_000
  const time = (median: number): string => {
    const shown = inMilliseconds ? median / 1_000 : median
    return `${shown.toFixed(shown < 100 ? 1 : 0)} ${inMilliseconds ? 'ms' : 'µs'}`
  }
  const cells = [
    what === 'CPU' ? name : '',
    `${what} per ${per}`,
    time(raw.median),
    time(ours.median),
    times(ratio.median),
    ratio.mad.toFixed(2),
    target === undefined ? '' : `≤ ${times(target)}`,
    met === undefined ? '' : met ? 'met' : '**missed**',
  ]
  return `| ${cells.join(' | ')} |`
}
