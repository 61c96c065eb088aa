import { SQL, type SQLChunk } from 'drizzle-orm'
import type { Source } from './fields.js'

const NONE: ReadonlyMap<string, string> = new Map()

/** A select, which says what it reads: the renderer tells from it whether a name means what it should. */
export class SelectStatement extends SQL {
  constructor(
    chunks: SQLChunk[],
    readonly sources: readonly Source[],
    /** What some of them are called in the text, by what they are called by whoever wrote it. */
    readonly renamed: ReadonlyMap<string, string> = NONE,
  ) {
    super(chunks)
  }
}
