import { inspect } from 'node:util'
import { shared } from '../copies.js'

/** The class of {@link jsonNull}, which is its only instance. */
export class JsonNull {
  /** Within a document it is a `null` like any other. */
  toJSON(): null {
    return null
  }

  [inspect.custom](): string {
    return 'jsonNull'
  }
}

/**
 * The JSON document `null`, which is a value: a column that holds it is not NULL. Rows show it, and take it, in place of a
 * document; a `null` there is SQL's NULL, and within a document it is JSON's.
 *
 * @example
 * await db.update(User, { id, settings: jsonNull }) // JSON 'null'
 * await db.update(User, { id, settings: null }) // NULL
 * await db.fanOut(User).where({ settings: null }).all() // those of the second kind
 */
export const jsonNull: JsonNull = shared('jsonNull.1', () => Object.freeze(new JsonNull()))
