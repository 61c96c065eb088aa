import type { Figures, Row } from './comparison.js'
import type { PublishedRow } from './published.js'

// By hand: two logarithmic axes and a few bars. The chart libraries that draw without a browser are tens of megabytes, and none
// leaves the choice between light and dark to the reader.

const WIDTH = 872
const ROW = 38
const TOP = 74
const LABELS = 218
const BAR = 11

/** An axis that is logarithmic from one power of ten to another. */
interface Axis {
  readonly title: string
  readonly from: number
  readonly to: number
  readonly left: number
  readonly width: number
}

const RATE: Axis = {
  title: 'values a second, logarithmic',
  from: 10,
  to: 10_000,
  left: LABELS + 12,
  width: 280,
}
const LATENCY: Axis = {
  title: 'ms from p50 to p99, logarithmic',
  from: 10,
  to: 10_000,
  left: LABELS + 344,
  width: 280,
}

const STYLE = `
  svg { --page: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --ours: #0b7285; --theirs: #b08968 }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --ink: #f0f6fc; --soft: #9198a1; --line: #3d444d; --ours: #3bc9db; --theirs: #c9a27e }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--ink) }
  .soft { fill: var(--soft) }
  .end { text-anchor: end }
  .middle { text-anchor: middle }
  .page { fill: var(--page) }
  .grid { stroke: var(--line) }
  .ours { fill: var(--ours); stroke: var(--ours) }
  .theirs { fill: var(--theirs); stroke: var(--theirs) }
  .span { stroke-width: 2 }`

/** Throughput and tail latency of all rows that were published, ours beside them. The same figures give the same bytes. */
export function plotOf({ rows, date }: Figures): string {
  const shown = rows.flatMap((row) => (row.published ? [{ row, published: row.published }] : []))
  const bottom = TOP + shown.length * ROW
  const height = bottom + 34
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">Sequences: throughput and latency by mode and callers, Isotherm on the emulator and the published figures</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    ...legend(date),
    ...[RATE, LATENCY].flatMap((axis) => gridOf(axis, bottom)),
    ...shown.flatMap(({ row, published }, at) => rowOf(row, published, TOP + at * ROW)),
  ]
  return `${parts.join('\n')}\n</svg>\n`
}

function legend(date: string): string[] {
  return [
    mark('ours', LABELS + 12, 16),
    text(LABELS + 28, 26, `Isotherm, emulator, ${date.slice(0, 10)}`),
    mark('theirs', LABELS + 242, 16),
    text(LABELS + 258, 26, 'published, service'),
  ]
}

function gridOf(axis: Axis, bottom: number): string[] {
  const ticks: number[] = []
  for (let tick = axis.from; tick <= axis.to; tick *= 10) ticks.push(tick)
  return [
    text(axis.left, TOP - 22, axis.title, 'soft'),
    ...ticks.flatMap((tick) => {
      const x = round(at(axis, tick))
      return [
        `<line class="grid" x1="${x}" y1="${TOP - 12}" x2="${x}" y2="${bottom}"/>`,
        text(x, bottom + 18, tick.toLocaleString('en'), 'soft middle'),
      ]
    }),
  ]
}

function rowOf({ title, callers, ours }: Row, published: PublishedRow, top: number): string[] {
  const sides = [
    { side: 'ours', figures: ours, y: top + 4 },
    { side: 'theirs', figures: published, y: top + 4 + BAR + 2 },
  ]
  return [
    text(LABELS, top + 14, title, 'end'),
    text(LABELS, top + 28, `${callers} callers`, 'end soft'),
    ...sides.flatMap(({ side, figures, y }) => [bar(side, figures.rate, y), ...span(side, figures, y)]),
  ]
}

function bar(side: string, rate: number, y: number): string {
  const width = round(at(RATE, rate) - RATE.left)
  return `<rect class="${side}" x="${RATE.left}" y="${y}" width="${width}" height="${BAR}" stroke="none"><title>${shown(rate)}/s</title></rect>`
}

/** From the median, a small dot, to p99, a large one. */
function span(
  side: string,
  { p50, p99 }: { readonly p50: number; readonly p99: number },
  y: number,
): string[] {
  const [from, to] = [round(at(LATENCY, p50)), round(at(LATENCY, p99))]
  const middle = y + BAR / 2
  return [
    `<g class="${side}"><title>p50 ${shown(p50)} ms, p99 ${shown(p99)} ms</title>`,
    `<line class="span" x1="${from}" y1="${middle}" x2="${to}" y2="${middle}"/>`,
    `<circle cx="${from}" cy="${middle}" r="2.5"/><circle cx="${to}" cy="${middle}" r="4.5"/></g>`,
  ]
}

function at({ from, to, left, width }: Axis, value: number): number {
  const within = Math.min(Math.max(value, from), to)
  return left + (Math.log10(within / from) / Math.log10(to / from)) * width
}

function mark(side: string, x: number, y: number): string {
  return `<rect class="${side}" x="${x}" y="${y}" width="10" height="${BAR}" stroke="none"/>`
}

function text(x: number, y: number, content: string, kind = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}>${escaped}</text>`
}

function shown(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
