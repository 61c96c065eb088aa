import { cpus } from 'node:os'
import type { LoadResult } from '@isotherm/cli/bench'
import type { Figures, Row } from './comparison.js'
import { targetsOf } from './targets.js'

export const SECTION = 'sequences'

/** The figures as a section of docs/benchmarks.md. */
export function sectionOf(figures: Figures): string {
  const { date, dialect, rounds, rows } = figures
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`
  return `${[
    `## ${SECTION}`,
    '',
    'Written by `pnpm bench:sequences --all --write`. Callers take numbers, each for an application transaction, simulated by a pause of',
    '10 ms: in `sync` inside of the transaction that takes the number, else after it. Callers are concurrent in one process; the',
    '[published table](https://cloud.google.com/solutions/sequence-generation-in-cloud-spanner) (`published`) had threads.',
    'Milliseconds are from asking for a number to the end of the pause.',
    '',
    `${date.slice(0, 10)}, Node ${process.version.slice(1)}, ${machine}, ${dialect}. **The engine is local**: the Cloud Spanner emulator on the same machine, which`,
    'answers at once, and runs one transaction at a time. The published figures are of the service, over a network: what ours say is how much',
    'of the time the sequence takes away from the transactions that use it, and that it does not collapse where callers are many.',
    '`naive` is what `sync` would be if its callers did not stand in line: all but one are aborted, and begin again.',
    `Medians of ${rounds} rounds; CPU is this process's, per value, the loop's own included.`,
    '',
    '![Values a second, and milliseconds from p50 to p99, for all eight rows: ours and published](sequences.svg)',
    '',
    '| | callers | values/s | p50 | p75 | p90 | p99 | CPU | published values/s | p50 | p90 | p99 |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...rows.map(lineOf),
    ...plainLines(rows),
    '',
    '| | measured | target | |',
    '| --- | --: | --: | --- |',
    ...targetsOf(figures).map(
      ({ what, measured, target, met }) =>
        `| ${what} | ${measured} | ${target} | ${met ? 'met' : '**missed**'} |`,
    ),
  ].join('\n')}\n`
}

function lineOf({ title, callers, ours, published }: Row): string {
  const theirs = published
    ? [String(published.rate), String(published.p50), String(published.p90), String(published.p99)]
    : ['', '', '', '']
  return cellsOf(title, callers, ours, theirs)
}

/** The same loop without a sequence, as it was measured beside the first row that is compared with it. */
function plainLines(rows: readonly Row[]): string[] {
  const compared = rows.filter(({ mode, reference }) => mode === 'async-batch' && reference)
  const [first] = compared
  return compared
    .filter(({ title }) => title === first?.title)
    .map(({ callers, reference }) => cellsOf('a plain counter', callers, reference!, ['', '', '', '']))
}

function cellsOf(title: string, callers: number, result: LoadResult, theirs: readonly string[]): string {
  const cells = [
    title,
    String(callers),
    result.rate.toFixed(result.rate < 100 ? 1 : 0),
    ...[result.p50, result.p75, result.p90, result.p99].map((ms) => ms.toFixed(ms < 100 ? 1 : 0)),
    `${result.cpu.toFixed(0)} µs`,
    ...theirs,
  ]
  return `| ${cells.join(' | ')} |`
}
