import type { Pattern } from './lexicon.js'

const EDGE = /\/\*|\*\//g

/** A comment that holds comments, which no regular expression can count. One that nothing closes is none. */
export function nestedComment(): Pattern {
  return {
    lastIndex: 0,
    exec(sql) {
      const start = this.lastIndex
      if (!sql.startsWith('/*', start)) return null
      EDGE.lastIndex = start
      let depth = 0
      for (let edge = EDGE.exec(sql); edge; edge = EDGE.exec(sql)) {
        depth += edge[0] === '/*' ? 1 : -1
        if (depth === 0) return [sql.slice(start, EDGE.lastIndex)] as unknown as RegExpExecArray
      }
      return null
    },
  }
}
