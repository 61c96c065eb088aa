import { defineTable } from '@isotherm/core'

const Region = defineTable('Region', (t) => ({
  code: t.string({ length: 2 }).key(),
  city: t.string({ length: 50 }).key(),
}))

const Customer = defineTable(
  'Customer',
  (t) => ({
    id: t.uuidV4(),
    region: t.string({ length: 2, name: 'region_code' }),
    city: t.string({ length: 50 }),
    email: t.string({ length: 100, nullable: true }),
    invitedBy: t.uuid({ nullable: true }),
  }),
  {
    checks: [
      {
        name: 'EmailHasAt',
        expression: {
          googlesql: "STRPOS(`email`, '@') > 1",
          'spanner-postgresql': `strpos("email", '@') > 1`,
        },
      },
      { name: 'CityIsGiven', expression: "city <> ''" },
    ],
    foreignKeys: [
      { columns: ['region', 'city'], references: () => Region },
      // The table refers to itself.
      { columns: ['invitedBy'], references: () => Customer, onDelete: 'cascade' },
    ],
  },
) as object

const Letter = defineTable(
  'Letter',
  (t) => ({
    shardId: t.shardKey({ shards: 4, strategy: 'random' }),
    id: t.uuidV4(),
    to: t.string({ length: 100, nullable: true }),
  }),
  {
    checks: [
      { name: 'ToIsNotMe', expression: { googlesql: "`to` != 'me'", 'spanner-postgresql': `"to" <> 'me'` } },
    ],
    // Refers to a column that is not the key of the other table.
    foreignKeys: [{ name: 'LetterTo', columns: ['to'], references: () => Customer, on: ['email'] }],
  },
)

export const constraintModels = [Region, Customer, Letter]

interface Fields {
  readonly id: string
}

const Egg = defineTable('Egg', (t) => ({ id: t.uuidV4(), laidBy: t.uuid({ nullable: true }) }), {
  foreignKeys: [{ columns: ['laidBy'], references: () => Hen, onDelete: 'cascade' }],
  indexes: [{ on: ['laidBy'] }],
})

const Hen: object & Partial<Fields> = defineTable('Hen', (t) => ({ id: t.uuidV4(), egg: t.uuid() }), {
  foreignKeys: [{ columns: ['egg'], references: () => Egg }],
})

/** The two tables refer to each other: one foreign key has to be added later. */
export const foreignKeyCycle = [Egg, Hen]

export const unenforcedModels = [
  Region,
  defineTable(
    'Shop',
    (t) => ({ id: t.uuidV4(), region: t.string({ length: 2 }), city: t.string({ length: 50 }) }),
    { foreignKeys: [{ columns: ['region', 'city'], references: () => Region, enforced: false }] },
  ),
]
