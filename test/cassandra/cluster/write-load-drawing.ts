import { shareOfBusiest, type WriteLoad } from './write-load.js'

const WIDTH = 760
const LEFT = 24
const CELL = 17
const COLUMNS = 25
const NODES = LEFT + COLUMNS * CELL + 48
const BAR = WIDTH - NODES - 96
const PANEL = 8 * CELL + 52

const STYLE = `
  svg { --page: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --cold: #d0ebff; --warm: #f59f00; --hot: #c92a2a }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --ink: #f0f6fc; --soft: #9198a1; --line: #3d444d; --cold: #16324a; --warm: #d9910a; --hot: #ff6b6b }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--ink) }
  .soft { fill: var(--soft) }
  .page { fill: var(--page) }
  .none { fill: none; stroke: var(--line) }`

/** A cell for each partition, as warm as its share of the writes; beside them a bar for each node. */
export function drawingOf(loads: readonly WriteLoad[]): string {
  const height = 30 + loads.length * PANEL
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">Where ${loads[0]!.rows.toLocaleString('en')} rows of one day are written, on three nodes: without a shard, and in 200 shards</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    text(LEFT, 20, 'partitions, one cell each', 'soft'),
    text(NODES, 20, 'writes that each node took', 'soft'),
    ...loads.flatMap((load, at) => panelOf(load, 30 + at * PANEL)),
  ]
  return `${parts.join('\n')}\n</svg>\n`
}

function panelOf(load: WriteLoad, top: number): string[] {
  const cells = Array.from({ length: 200 }, (_, at) => {
    const [x, y] = [LEFT + (at % COLUMNS) * CELL, top + 28 + Math.floor(at / COLUMNS) * CELL]
    const box = `x="${x}" y="${y}" width="${CELL - 3}" height="${CELL - 3}" rx="2"`
    const rows = load.partitions[at]
    if (rows === undefined) return `<rect class="none" ${box}/>`
    return `<rect ${box} style="fill: ${warmth(rows / load.rows)}"><title>${rows.toLocaleString('en')} rows</title></rect>`
  })
  const writes = load.nodes.reduce((sum, count) => sum + count, 0)
  const bars = load.nodes.flatMap((count, at) => {
    const y = top + 28 + at * 30
    const share = count / writes
    return [
      `<rect class="none" x="${NODES}" y="${y}" width="${BAR}" height="18" rx="2"/>`,
      `<rect x="${NODES}" y="${y}" width="${(share * BAR).toFixed(1)}" height="18" rx="2" style="fill: ${warmth((share - 1 / 3) * 1.5)}"/>`,
      text(NODES + BAR + 8, y + 13, percent(share)),
    ]
  })
  const partitions = load.partitions.length === 1 ? '1 partition' : `${load.partitions.length} partitions`
  const title = `${load.table}: ${partitions}, ${percent(shareOfBusiest(load.partitions))} of the rows in the fullest`
  return [text(LEFT, top + 18, title), ...cells, ...bars]
}

/** From cold, for a share of nothing, over warm to hot, for all. */
function warmth(share: number): string {
  const part = Math.min(Math.max(share, 0), 1)
  const [from, to, within] = part < 0.5 ? ['cold', 'warm', part * 2] : ['warm', 'hot', part * 2 - 1]
  return `color-mix(in oklab, var(--${to}) ${(within * 100).toFixed(0)}%, var(--${from}))`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`
}

function text(x: number, y: number, content: string, kind = ''): string {
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}>${content}</text>`
}
