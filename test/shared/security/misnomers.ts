import type { Operation } from './operations.js'

// Every parameter of the API that takes a name or a word.

export const misnomersInTransactions: Record<string, Operation> = {
  'a property in a transaction': (db, text) =>
    db.transaction((tx) => tx.update('Item', own(text, 'x', { name: '', n: 1n, note: 'x' }))),
}

const row = { name: '', n: 1n }

/** Options of an engine without transactions. */
export const misnomersOfOptions: Record<string, Operation> = {
  'ttlSeconds of an insert': (db, text) => db.insert('Item', [row], { ttlSeconds: text as never }),
  'ttlSeconds of an upsert': (db, text) => db.upsert('Item', [row], { ttlSeconds: text as never }),
  'writeTime of an update': (db, text) =>
    db.update('Item', { ...row, note: 'x' }, { conditional: false, writeTime: text as never }),
  'writeTime of a delete': (db, text) => db.delete('Item', row, { writeTime: text as never }),
  'the consistency of an insert': (db, text) => db.insert('Item', [row], { consistency: text as never }),
  'the consistency of a read': (db, text) => db.get('Item', row, { consistency: text as never }),
  'the consistency of a fan-out': (db, text) =>
    db
      .fanOut('Item')
      .options({ consistency: text as never })
      .all(),
  'an option of a write': (db, text) => db.insert('Item', [row], own(text, 1)),
  'a property to increment': (db, text) => db.increment('Item', own(text, 1n, row) as never),
}

/** Calls with a name or a word: each call is invalid unless the text is valid by chance. */
export const misnomers: Record<string, Operation> = {
  'a table': async (db, text) => db.fanOut(text),
  'a table to insert into': (db, text) => db.insert(text, [{ n: 1n }]),
  'a table to get from': (db, text) => db.get(text, { n: 1n }),
  'a property to insert': (db, text) => db.insert('Item', [own(text, 'x', { name: '', n: 1n })]),
  'a property to upsert': (db, text) => db.upsert('Item', [own(text, 'x', { name: '', n: 1n })]),
  'a property to update': (db, text) => db.update('Item', own(text, 'x', { name: '', n: 1n, note: 'x' })),
  'a property of a key': (db, text) => db.get('Item', own(text, 'x', { name: '', n: 1n })),
  'a property of a key to delete': (db, text) => db.delete('Item', own(text, 'x', { name: '', n: 1n })),
  'a property to filter by': async (db, text) => db.fanOut('Item').where(own(text, 'x')),
  'an operator': async (db, text) => db.fanOut('Item').where({ note: own(text, 'x') }),
  'a filter': async (db, text) => db.fanOut('Item').where(text as never),
  'the conditions of AND': async (db, text) => db.fanOut('Item').where({ AND: text as never }),
  'the condition of NOT': async (db, text) => db.fanOut('Item').where({ NOT: text as never }),
  'the list of in': async (db, text) => db.fanOut('Item').where({ note: { in: text as never } }),
  'a prefix of an integer property': async (db, text) =>
    db.fanOut('Item').where({ n: { startsWith: text } as never }),
  'a value of an integer property': async (db, text) => db.fanOut('Item').where({ n: text as never }),
  'a property to order by': async (db, text) => db.fanOut('Item').orderBy(text),
  'a direction': async (db, text) => db.fanOut('Item').orderBy('note', text as never),
  'a property to group by': async (db, text) => db.fanOut('Item').groupBy(text),
  'an index': async (db, text) => db.fanOut('Item').useIndex(text),
  'a strategy': async (db, text) => db.fanOut('Item').strategy(text as never),
  'a limit': async (db, text) => db.fanOut('Item').limit(text as never),
  'a cursor': (db, text) => db.fanOut('Item').after(text).page(),
  'a forged cursor': (db, text) =>
    db
      .fanOut('Item')
      .after(Buffer.from(JSON.stringify([1, text, [[text]]])).toString('base64url'))
      .page(),
  'an integer in a key': (db, text) => db.get('Item', { name: '', n: text }),
  rows: (db, text) => db.insert('Item', text as never),
  'a row': (db, text) => db.insert('Item', [text] as never),
  'a key': (db, text) => db.get('Item', text as never),
}

/** An object with this own property, also if the name has a special meaning in JavaScript. */
function own(name: string, value: unknown, others: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.defineProperty({ ...others }, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
