import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import type { Mutation, Wire } from '@isotherm/core/engine'
import { dialects, testKeyspace } from '../support/keyspace.js'
import { conditionalOf } from '../support/conditional.js'

const schema = defineSchema([
  defineTable('numbers', (t) => ({
    name: t.string().key(),
    next: t.int64(),
    note: t.string({ nullable: true }),
  })),
  defineTable('log', (t) => ({
    scope: t.string().key(),
    entry: t.int64().key(),
    holder: t.string({ nullable: true, static: true }),
    state: t.string({ nullable: true }),
  })),
])

describe.each(dialects)('conditional writes in $name', async (dialect) => {
  const { driver, layout } = await testKeyspace(schema, dialect)
  const [numbers, log] = [layout('numbers'), layout('log')]
  const [, next, note] = numbers.columns
  const { writeIf, read } = conditionalOf(driver)
  const numbersOf = (op: 'insert' | 'update' | 'upsert', row: Readonly<Record<string, Wire>>): Mutation => {
    return { op, table: 'numbers', layout: numbers, columns: Object.keys(row), rows: [Object.values(row)] }
  }
  const logOf = (row: Readonly<Record<string, Wire>>): Mutation => {
    return { op: 'upsert', table: 'log', layout: log, columns: Object.keys(row), rows: [Object.values(row)] }
  }

  it('insert a row only if the row is missing, and otherwise return the stored values', async () => {
    const mutation = numbersOf('insert', { name: 'a', next: '9007199254740993', note: null })
    expect(await writeIf({ mutation, condition: null }, [next!])).toEqual({ applied: true })
    expect(await writeIf({ mutation, condition: null }, [note!, next!])).toEqual({
      applied: false,
      found: [null, 9007199254740993n],
    })
  })

  it('update a row only if a column has the expected value, and otherwise return the stored values', async () => {
    await driver.writes.commit([numbersOf('insert', { name: 'b', next: '1', note: 'n' })])
    const mutation = numbersOf('update', { name: 'b', next: '2' })
    expect(await writeIf({ mutation, condition: { next: '1' } }, [next!])).toEqual({ applied: true })
    expect(await writeIf({ mutation, condition: { next: '1' } }, [next!])).toEqual({
      applied: false,
      found: [2n],
    })
    const both = { mutation, condition: { next: '2', note: null } }
    expect(await writeIf(both, [note!, next!])).toEqual({ applied: false, found: ['n', 2n] })
  })

  it('return stored values of columns that are not in the condition', async () => {
    await driver.writes.commit([numbersOf('insert', { name: 'c', next: '1', note: 'n' })])
    const mutation = numbersOf('update', { name: 'c', next: '2' })
    expect(await writeIf({ mutation, condition: { next: '7' } }, [note!, next!])).toEqual({
      applied: false,
      found: ['n', 1n],
    })
  })

  it('return NULLs for a missing row, and do not create the row', async () => {
    const mutation = numbersOf('update', { name: 'nobody', next: '2' })
    for (const condition of [null, { next: '1' }])
      expect(await writeIf({ mutation, condition }, [note!, next!])).toEqual({
        applied: false,
        found: [null, null],
      })
    expect(await read({ layout: numbers, columns: [next!], keys: [['nobody']] })).toEqual([])
  })

  it('treat a missing row as NULL in a condition', async () => {
    const mutation = numbersOf('upsert', { name: 'd', next: '1' })
    expect(await writeIf({ mutation, condition: { next: null } }, [next!])).toEqual({ applied: true })
    expect(await writeIf({ mutation, condition: { next: null } }, [next!])).toEqual({
      applied: false,
      found: [1n],
    })
    expect(await read({ layout: numbers, columns: [next!], keys: [['d']] })).toEqual([[1n]])
  })

  it('delete a row only if a column has the expected value', async () => {
    await driver.writes.commit([numbersOf('insert', { name: 'e', next: '1' })])
    const mutation: Mutation = { op: 'delete', table: 'numbers', layout: numbers, keys: [['e']] }
    expect(await writeIf({ mutation, condition: { next: '2' } }, [next!])).toEqual({
      applied: false,
      found: [1n],
    })
    expect(await writeIf({ mutation, condition: { next: '1' } }, [next!])).toEqual({ applied: true })
    expect(await read({ layout: numbers, columns: [next!], keys: [['e']] })).toEqual([])
  })

  it('let one of eight concurrent writers succeed for each expected value', async () => {
    await driver.writes.commit([numbersOf('insert', { name: 'f', next: '0' })])
    const taken: bigint[] = []
    const take = async (): Promise<void> => {
      let known = 0n
      for (;;) {
        const mutation = numbersOf('update', { name: 'f', next: String(known + 1n) })
        const { applied, found } = await writeIf({ mutation, condition: { next: String(known) } }, [next!])
        if (applied) {
          taken.push(known)
          return
        }
        known = found![0] as bigint
      }
    }
    await Promise.all(Array.from({ length: 8 }, take))
    expect(taken.toSorted((a, b) => Number(a - b))).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n])
  })

  it('write a row only if a static column of its partition has the expected value', async () => {
    const holder = log.columns.find(({ name }) => name === 'holder')!
    const take = logOf({ scope: 's', holder: 'me' })
    expect(
      await writeIf({ mutation: take, condition: { holder: null } }, [holder], { ttlSeconds: 600 }),
    ).toEqual({
      applied: true,
    })
    const entry = logOf({ scope: 's', entry: '1', state: 'done' })
    expect(await writeIf({ mutation: entry, condition: { holder: 'you' } }, [holder])).toEqual({
      applied: false,
      found: ['me'],
    })
    expect(await writeIf({ mutation: entry, condition: { holder: 'me' } }, [holder])).toEqual({
      applied: true,
    })
    const state = log.columns.find(({ name }) => name === 'state')!
    const other = logOf({ scope: 's', holder: 'you' })
    expect(await writeIf({ mutation: other, condition: { holder: null } }, [holder, state])).toEqual({
      applied: false,
      found: ['me', 'done'],
    })
    expect(await read({ layout: log, columns: [holder, state], keys: [['s', '1']] })).toEqual([
      ['me', 'done'],
    ])
  })
})
