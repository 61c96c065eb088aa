import type { MigrationState, MigrationStatus } from '@isotherm/core/migrations'
import { durationText } from '../duration.js'
import type { Style } from './output.js'

const WIDTH = 'pending'.length

/** A line for each migration, and below it what is wrong with it. */
export function statusLines(migrations: readonly MigrationStatus[], style: Style): string[] {
  if (migrations.length === 0) return ['There are no migrations. isotherm generate makes one.']
  return migrations.flatMap((migration) => {
    const { name, state, done, statements } = migration
    const paint: Readonly<Record<MigrationState, (text: string) => string>> = {
      applied: style.good,
      pending: style.name,
      empty: style.bad,
      partly: style.warning,
      failed: style.bad,
      changed: style.bad,
      missing: style.bad,
    }
    const trouble = troubleOf(migration)
    return [
      `${paint[state](state.padEnd(WIDTH))} ${name} ${style.dim(`${done}/${statements}${whenText(migration)}`)}`,
      ...(trouble === undefined ? [] : indented(trouble)),
    ]
  })
}

/** What a database says of a statement may have lines of its own. */
function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `${' '.repeat(WIDTH + 1)}${line}`)
}

function whenText({ finished, milliseconds, runner }: MigrationStatus): string {
  if (!finished) return ''
  const took = milliseconds === undefined ? '' : ` in ${durationText(milliseconds)}`
  return `, ${new Date(finished.getTime()).toISOString().slice(0, 19)}Z${took}${runner === undefined ? '' : ` by ${runner}`}`
}

function troubleOf({ state, done, statements, failed, changed }: MigrationStatus): string | undefined {
  if (state === 'empty') return 'Its migration.sql is to be written.'
  if (failed) return `Statement ${failed.statement} failed: ${failed.error}`
  if (state === 'changed') return `Statement ${changed} is not the one that ran.`
  if (state === 'missing')
    return `It has run${done < statements ? ' in part' : ''}, and is not in the folder.`
  if (state === 'partly') return 'It was left midway: isotherm migrate goes on with it.'
  return undefined
}
