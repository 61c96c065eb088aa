import Grid from 'cli-table3'
import type { ParsedRequest } from './log/parse-line.js'

export function requestGrid(rows: readonly ParsedRequest[]): string {
  return grid(
    ['time', 'client', 'request', 'status'],
    rows.map(({ time, client, method, path, status }) => [
      time.toISOString().slice(0, 19).replace('T', ' '),
      shown(client, 20),
      shown(`${method ?? ''} ${path}`.trim(), 36),
      status,
    ]),
  )
}

export function grid(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const table = new Grid({ head: [...head], style: { head: [], border: [], compact: true } })
  table.push(...rows.map((row) => row.map(String)))
  return table.toString()
}

/** What a client sent must not move the cursor or colour the terminal of its reader. */
export function shown(text: string, width = 60): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
  return plain.length > width ? `${plain.slice(0, width - 1)}…` : plain
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}

/** A line of 64 small bars, as high as the numbers are large. */
export function bars(values: readonly number[]): string {
  const max = Math.max(1, ...values)
  return values.map((value) => '▁▂▃▄▅▆▇█'[Math.floor((7 * value) / max)]).join('')
}
