import { keyWires } from '@isotherm/core/tools'
import { createHash } from 'node:crypto'
import { defineTable, type HashKeyOptions, type ShardKeyOptions } from '@isotherm/core'
import { fingerprint, shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { completeKey } from '../../src/rows/fill.js'
import { InsertPlan } from '../../src/rows/insert-plan.js'
import { dialects, layoutOf, logLayout } from '../support/layout.js'
import { refusal } from '../support/refusal.js'

// Key values that are computed from other values, for an insert and for a key.

describe.each(dialects)('computed key values in $name', (dialect) => {
  describe.each(['database', 'client'] as const)('hash keys that the %s computes', (computedBy) => {
    const hashed = (options: Omit<HashKeyOptions, 'computedBy'>) =>
      logLayout(dialect, (t) => ({
        hash: t.hashKey({ ...options, computedBy }),
        url: t.string().key(),
        userId: t.int64().key(),
        region: t.string({ nullable: true, immutable: true }),
      }))
    const layout = hashed({ of: ['url', 'userId'] })
    const row = { url: '/docs', userId: 7n, region: null }

    it.each([
      ['farm-fingerprint', fingerprint('/docs|7')],
      ['sha256', createHash('sha256').update('/docs|7').digest()],
      ['sha512', createHash('sha512').update('/docs|7').digest()],
    ] as const)(
      'completeKey() and InsertPlan compute the %s hash of the source columns',
      (algorithm, hash) => {
        const own = hashed({ of: ['url', 'userId'], algorithm })
        expect(completeKey(own, { url: '/docs', userId: 7 })).toStrictEqual({
          hash,
          url: '/docs',
          userId: 7n,
        })
        const { rows, groups } = new InsertPlan(own).prepare([row])
        expect(rows).toStrictEqual([{ hash, ...row }])
        // If the database computes the hash, no write may name the column.
        expect(groups[0]!.columns.some(({ name }) => name === 'hash')).toBe(computedBy === 'client')
        expect(keyWires(own, rows[0]!)[0]).toBe(
          typeof hash === 'bigint' ? String(hash) : hash.toString('base64'),
        )
      },
    )

    it('completeKey() and InsertPlan compute a hash from NULL and from a column outside the key', () => {
      const own = hashed({ of: ['region'] })
      const hash = fingerprint('\\N')
      expect(completeKey(own, { url: '/docs', userId: 7n, region: null })).toMatchObject({ hash })
      expect(new InsertPlan(own).prepare([row]).rows[0]).toMatchObject({ hash })
    })

    it('completeKey() throws INVALID_VALUE if the given hash differs from the hash of the given columns', () => {
      const hash = fingerprint('/docs|7')
      expect(completeKey(layout, { hash, url: '/docs', userId: 7n })).toMatchObject({ hash })
      expect(refusal(() => completeKey(layout, { hash: 5n, url: '/docs', userId: 7n }))).toMatchObject({
        code: 'INVALID_VALUE',
        column: 'hash',
        message: `Log.hash of the key is 5, but such a row can only be in ${hash}. Leave it out.`,
      })
      const own = hashed({ of: ['region'] })
      const key = { hash: 5n, url: '/docs', userId: 7n, region: 'eu' }
      expect(refusal(() => completeKey(own, key)).message).toContain(`can only be in ${fingerprint('eu')}`)
    })

    it('completeKey() accepts a given hash without the hashed column outside the key', () => {
      const own = hashed({ of: ['region'] })
      expect(completeKey(own, { hash: 5, url: '/docs', userId: 7n })).toStrictEqual({
        hash: 5n,
        url: '/docs',
        userId: 7n,
      })
    })

    it('completeKey() throws KEY_INCOMPLETE if a hashed column is missing', () => {
      const lacks = (key: Record<string, unknown>, column: string, own = layout) => {
        const error = refusal(() => completeKey(own, key))
        expect(error).toMatchObject({ code: 'KEY_INCOMPLETE', table: 'Log', column })
        expect(error.message).toBe(
          `The key of Log lacks ${column}. ` +
            'Its key is hash, url, userId; a hash is not needed if the columns that it hashes are given.',
        )
      }
      lacks({ url: '/docs' }, 'userId')
      lacks({ userId: 7n }, 'url')
      lacks({}, 'url')
      lacks({ url: '/docs', userId: 7n }, 'region', hashed({ of: ['region'] }))
      lacks({ hash: null, url: null, userId: 7n }, 'url')
    })

    it('completeKey() throws INVALID_VALUE if a hashed column has the wrong type or a property is unknown', () => {
      expect(
        refusal(() => completeKey(hashed({ of: ['region'] }), { url: 'a', userId: 1, region: 5 })),
      ).toMatchObject({
        code: 'INVALID_VALUE',
        column: 'region',
      })
      expect(refusal(() => completeKey(layout, { url: 'a', userId: 1, colour: 5 }))).toMatchObject({
        code: 'INVALID_VALUE',
        column: 'colour',
      })
    })

    it('InsertPlan throws INVALID_VALUE if the given hash differs from the hash of the row', () => {
      const plan = new InsertPlan(layout)
      const hash = fingerprint('/docs|7')
      expect(plan.prepare([{ ...row, hash }]).rows[0]).toMatchObject({ hash })
      const error = refusal(() => plan.prepare([row, { ...row, hash: hash + 1n }]))
      expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'Log', column: 'hash' })
      expect(error.message).toBe(
        `Log.hash of row 1 is ${hash + 1n}, but reads would look in ${hash}. Leave it out.`,
      )
      const digest = createHash('sha256').update('/docs|7').digest()
      const sha = new InsertPlan(hashed({ of: ['url', 'userId'], algorithm: 'sha256' }))
      expect(sha.prepare([{ ...row, hash: Uint8Array.from(digest) }]).rows[0]).toMatchObject({
        hash: digest,
      })
      expect(refusal(() => sha.prepare([{ ...row, hash: Buffer.alloc(32) }])).message).toBe(
        `Log.hash of row 0 is ${'0'.repeat(64)}, but reads would look in ${digest.toString('hex')}. Leave it out.`,
      )
    })
  })

  describe('shard keys', () => {
    const sharded = (options: Partial<ShardKeyOptions>) =>
      logLayout(dialect, (t) => ({
        shardId: t.shardKey({ shards: 4, of: ['userId'], ...options } as ShardKeyOptions),
        userId: t.int64().key(),
      }))
    const shardIn = (options: Partial<ShardKeyOptions>, userId: bigint) =>
      completeKey(sharded(options), { userId })['shardId']
    const users = Array.from({ length: 50 }, (_, at) => BigInt(at - 25))

    it.each<Partial<ShardKeyOptions>>([{ first: -7 }, { first: 100 }, { signed: true }])(
      'completeKey() and InsertPlan compute shards in the configured range: %j',
      (options) => {
        const { first, signed } = options as { first?: number; signed?: boolean }
        const ofUsers = users.map((user) => shardIn(options, user))
        expect(ofUsers).toStrictEqual(
          users.map((user) =>
            BigInt(shardOf(user, 4, { ...(first !== undefined && { first }), ...(signed && { signed }) })),
          ),
        )
        expect(new Set(ofUsers).size).toBe(signed ? 7 : 4)
        const rows = new InsertPlan(sharded(options)).prepare(users.map((userId) => ({ userId }))).rows
        expect(rows.map(({ shardId }) => shardId)).toStrictEqual(ofUsers)
      },
    )

    it('completeKey() and InsertPlan throw KEY_INCOMPLETE if a schema read from a file lacks the compute function', () => {
      const { table } = sharded({ compute: () => 3 })
      const layout = dialect.layout(JSON.parse(JSON.stringify(table)) as typeof table)
      const lost = {
        code: 'KEY_INCOMPLETE',
        message: expect.stringMatching(/shard of userId is computed by a function .* Use the schema/),
      }
      expect(refusal(() => completeKey(layout, { userId: 7n }))).toMatchObject(lost)
      for (const row of [{ userId: 7n }, { shardId: 3n, userId: 7n }])
        expect(refusal(() => new InsertPlan(layout).prepare([row]))).toMatchObject(lost)
      // A complete key needs no function.
      expect(completeKey(layout, { shardId: 3n, userId: 7n })).toStrictEqual({ shardId: 3n, userId: 7n })
    })

    it('the compute function returns the shard and receives only the hashed columns', () => {
      const seen: unknown[] = []
      const compute = (row: Readonly<Record<string, unknown>>) => {
        seen.push(row)
        return (row['userId'] as bigint) % 4n
      }
      for (const options of [{ compute }, { compute, expression: 'x' }]) {
        expect(shardIn(options, 7n)).toBe(3n)
        expect(new InsertPlan(sharded(options)).prepare([{ userId: 6n }]).rows).toStrictEqual([
          { shardId: 2n, userId: 6n },
        ])
      }
      expect(seen).toStrictEqual([{ userId: 7n }, { userId: 6n }, { userId: 7n }, { userId: 6n }])
    })

    it.each([
      [{}, 4, '0 to 3'],
      [{}, -1n, '0 to 3'],
      [{}, 1.5, '0 to 3'],
      [{}, Number.NaN, '0 to 3'],
      [{ first: 1 }, 0, '1 to 4'],
      [{ first: -2 }, 2n, '-2 to 1'],
    ] as const)(
      'completeKey() rejects a result of the compute function outside the range: %j, %s',
      (range, value, shards) => {
        const error = refusal(() => shardIn({ ...range, compute: () => value }, 7n))
        expect(error).toMatchObject({ code: 'INVALID_VALUE' })
        expect(error.message).toBe(
          `compute returned ${Number(value)}, which is not a shard from ${shards}. ` +
            'Return the same value as the expression, and check the options shards and first.',
        )
      },
    )

    it('a shard from an SQL expression only is required in a key and rejected in an insert', () => {
      const layout = sharded({ expression: 'x' })
      expect(refusal(() => completeKey(layout, { userId: 7n }))).toMatchObject({
        code: 'KEY_INCOMPLETE',
        column: 'shardId',
      })
      expect(completeKey(layout, { shardId: 3n, userId: 7n })).toStrictEqual({ shardId: 3n, userId: 7n })
      const plan = new InsertPlan(layout)
      const { groups } = plan.prepare([{ userId: 7n }])
      expect(groups[0]!.made.map(({ column }) => column.property)).toStrictEqual(['shardId'])
      expect(refusal(() => plan.prepare([{ shardId: 3n, userId: 7n }]))).toMatchObject({
        code: 'INVALID_VALUE',
        column: 'shardId',
        message: 'Log.shardId is generated by the database. Leave it out.',
      })
    })

    const id = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'

    it.each<[ShardKeyOptions, bigint, string]>([
      [{ shards: 4, of: ['id'], first: 1 }, 5n, String(shardOf(id, 4, { first: 1 }))],
      [{ shards: 4, of: ['id'], signed: true }, 4n, String(shardOf(id, 4, { signed: true }))],
      [{ shards: 4, strategy: 'random', first: 2 }, 6n, '2 to 5'],
      [{ shards: 4, strategy: 'round-robin', first: -2 }, -3n, '-2 to 1'],
    ])(
      'InsertPlan rejects a given shard that is not the shard of the row: %j, %d',
      (options, given, expected) => {
        const layout = logLayout(dialect, (t) => ({ shardId: t.shardKey(options), id: t.uuidV4() }))
        expect(refusal(() => new InsertPlan(layout).prepare([{ id, shardId: given }])).message).toBe(
          `Log.shardId of row 0 is ${given}, but reads would look in ${expected}. Leave it out.`,
        )
      },
    )

    it.each(['random', 'round-robin'] as const)(
      'InsertPlan uses all shards of the range with the strategy %s, and accepts a given shard in the range',
      (strategy) => {
        const layout = logLayout(dialect, (t) => ({
          shardId: t.shardKey({ shards: 3, first: -1, strategy }),
          id: t.uuidV4(),
        }))
        const plan = new InsertPlan(layout)
        const { rows } = plan.prepare(Array.from({ length: 200 }, () => ({})))
        const shards = new Set(rows.map(({ shardId }) => shardId))
        expect([...shards].toSorted((a, b) => Number((a as bigint) - (b as bigint)))).toStrictEqual([
          -1n,
          0n,
          1n,
        ])
        expect(plan.prepare([{ shardId: -1n }]).rows[0]).toMatchObject({ shardId: -1n })
      },
    )

    it('completeKey() computes the shard of an int64 column read as a number from the equal bigint', () => {
      const counted = logLayout(dialect, (t) => ({
        shardId: t.shardKey({ shards: 1000, of: ['count'] }),
        count: t.int64({ as: 'number' }).key(),
      }))
      expect(completeKey(counted, { count: 7n })).toStrictEqual({
        shardId: BigInt(shardOf(7n, 1000)),
        count: 7,
      })
    })
  })

  describe('keys of an interleaved child table', () => {
    const Parent = defineTable('Parent', (t) => ({
      hash: t.hashKey({ of: ['url'] }),
      userId: t.int64().key(),
      url: t.string({ immutable: true }),
    }))
    const Child = defineTable(
      'Child',
      (t) => ({ hash: t.parentKey<bigint>(), userId: t.parentKey<bigint>(), line: t.int64().key() }),
      { interleaveIn: () => Parent },
    )
    const layout = layoutOf(dialect, Parent, Child)

    it('completeKey() and InsertPlan require the hash of the parent if the child lacks the hashed column', () => {
      expect(refusal(() => completeKey(layout, { userId: 7n, line: 1n }))).toMatchObject({
        code: 'KEY_INCOMPLETE',
        table: 'Child',
        column: 'hash',
      })
      const given = { hash: 5n, userId: 7n, line: 1n }
      expect(completeKey(layout, given)).toStrictEqual(given)
      expect(new InsertPlan(layout).prepare([given]).rows).toStrictEqual([given])
      expect(refusal(() => new InsertPlan(layout).prepare([{ userId: 7n, line: 1n }])).message).toBe(
        'Child.hash has no value in row 0, and cannot be NULL. Take hash from the row of Parent: it is computed from url there, which Child does not inherit.',
      )
    })
  })
})
