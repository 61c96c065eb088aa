import { defineSchema } from '@isotherm/core'
import { migrate, migrationStatus, type Migration } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import { ddl, emptyDatabase, migrationOf, tableOf } from './support/migrations.js'

describe.each(sampledDialects)('migrations of merged branches in $name', (dialect) => {
  const generated = (n: number, name: string, previous: string | null): Migration => ({
    ...migrationOf(n, name, ddl(tableOf(name, dialect))),
    snapshot: { version: 1, dialect: dialect.name, id: name, previous, schema: defineSchema([]) },
  })
  const base = generated(1, 'base', null)
  const early = generated(2, 'early', 'base')
  const late = generated(3, 'late', 'base')
  const all = [base, early, late]

  it.each([
    ['early', [base, late], early.name, late.name],
    ['late', [base, early], late.name, early.name],
  ])(
    'throw MIGRATION_OUT_OF_ORDER when the %s migration has not run and that of the other branch has',
    async (_, ran, left, other) => {
      const { driver } = await emptyDatabase(dialect)
      await migrate(driver, ran, { dialect })
      const states = Object.fromEntries(
        (await migrationStatus(driver, all)).map(({ name, state }) => [name, state]),
      )
      expect(states).toEqual({ [base.name]: 'applied', [left]: 'pending', [other]: 'applied' })
      await expect(migrate(driver, all, { dialect })).rejects.toMatchObject({
        code: 'MIGRATION_OUT_OF_ORDER',
        message: expect.stringContaining(
          `${left} has not run on this database, and ${other}, of another branch that was merged, has. ` +
            `Delete ${left}, and generate it again.`,
        ),
      })
      expect(await migrate(driver, ran, { dialect })).toMatchObject({ planned: [] })
      expect(await migrate(driver, all, { dialect, allowOutOfOrder: true })).toMatchObject({
        applied: [left],
      })
      expect(await migrate(driver, all, { dialect })).toMatchObject({ planned: [] })
    },
  )

  it('are both named in the error when neither migration has run', async () => {
    const { driver } = await emptyDatabase(dialect)
    await expect(migrate(driver, all, { dialect })).rejects.toThrow(
      `${early.name} and ${late.name} come from branches that were merged, and neither has run on this database.`,
    )
    // A run up to the first of the two migrations is allowed.
    expect(await migrate(driver, all, { dialect, to: early.name })).toMatchObject({
      applied: [base.name, early.name],
    })
  })

  it('run without an error after the migration of one branch was generated again', async () => {
    const { driver } = await emptyDatabase(dialect)
    await migrate(driver, [base, late], { dialect })
    const again = generated(4, 'early', 'late')
    expect(await migrate(driver, [base, late, again], { dialect })).toMatchObject({ applied: [again.name] })
  })

  it('do not allow a migration whose predecessor is missing', async () => {
    const { driver } = await emptyDatabase(dialect)
    const orphan = generated(4, 'orphan', 'gone')
    await migrate(driver, [base], { dialect })
    await expect(migrate(driver, [base, orphan], { dialect, allowOutOfOrder: true })).rejects.toThrow(
      /continues that of a migration that is missing/,
    )
  })
})
