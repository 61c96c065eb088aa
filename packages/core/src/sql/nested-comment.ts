import type { Pattern } from './lexicon.js'

const EDGE = /\/\*|\*\//g

/** A comment that holds comments, which no regular expression can count. One that nothing closes is none. */
export function nestedComment(): Pattern {
  /** Of the text that was read last, so that many comments which nothing closes are looked through once. */
  let text = ''
  let ends = new Map<number, number | undefined>()
  return {
    lastIndex: 0,
    exec(sql) {
      const start = this.lastIndex
      if (!sql.startsWith('/*', start)) return null
      if (sql !== text) [text, ends] = [sql, new Map()]
      if (!ends.has(start)) addEnds(sql, start, ends)
      const end = ends.get(start)
      return end === undefined ? null : ([sql.slice(start, end)] as unknown as RegExpExecArray)
    },
  }
}

/** Where the comment ends that begins at `start`, and those inside it; undefined for what nothing closes. */
function addEnds(sql: string, start: number, ends: Map<number, number | undefined>): void {
  const open: number[] = []
  EDGE.lastIndex = start
  for (let edge = EDGE.exec(sql); edge; edge = EDGE.exec(sql)) {
    if (edge[0] === '/*') open.push(edge.index)
    else ends.set(open.pop()!, EDGE.lastIndex)
    if (open.length === 0) return
  }
  for (const at of open) ends.set(at, undefined)
}
