import type { Driver } from '@isotherm/core'
import type { MigrateEvent, MigrationState, MigrationStatus, StatementPosition } from '@isotherm/migrations'
import { durationText } from '../text.js'
import { type Output, type Style, counted } from './output.js'

/** A line for a statement that takes longer, if a progress bar cannot be shown. */
const STEP_PERCENT = 25

/** How much of a statement is shown, in characters. */
export const EXCERPT = 72

interface Bar {
  start(total: number, value: number, payload: object): void
  update(value: number, payload?: object): void
  stop(): void
}

/**
 * Shows the progress of a run of migrations: a line for each statement that is complete, and a bar for the current one, or
 * lines if there is no terminal.
 */
export class MigrateProgress {
  readonly #output: Output
  readonly #newBar: (() => Bar) | undefined
  readonly #excerpt: (sql: string) => string
  /** In the order of their beginning, with how far they are. */
  readonly #underway = new Map<string, { readonly position: StatementPosition; percent: number }>()
  #bar: Bar | undefined
  #isWaiting = false

  /**
   * Loads the library for progress bars, if they are shown.
   *
   * @param driver its dialect is that of the statements; it is known from the first event on
   */
  static async on(output: Output, driver: Pick<Driver, 'dialect'>): Promise<MigrateProgress> {
    const { excerpt } = await import('@isotherm/migrations')
    const shorten = (sql: string): string => excerpt(sql, driver.dialect, EXCERPT)
    if (!output.interactive) return new MigrateProgress(output, shorten, undefined)
    const { default: progress } = await import('cli-progress')
    const format = `  {bar} {percentage}% {statement} {duration_formatted}`
    // The migration handles Ctrl+C. The cursor stays visible, since nothing could restore it after a second Ctrl+C.
    const options = { format, clearOnComplete: true, hideCursor: false, gracefulExit: false, linewrap: false }
    const newBar = (): Bar => new progress.SingleBar(options, progress.Presets.shades_classic)
    return new MigrateProgress(output, shorten, newBar)
  }

  private constructor(output: Output, shorten: (sql: string) => string, newBar: (() => Bar) | undefined) {
    this.#output = output
    this.#excerpt = shorten
    this.#newBar = newBar
  }

  show(event: MigrateEvent): void {
    const { bold, dim, good, warning } = this.#output.style
    switch (event.type) {
      case 'waiting':
        if (!this.#isWaiting)
          this.#line(warning(`${event.description} is migrating this database: waiting for it.`))
        this.#isWaiting = true
        break
      case 'migration-started': {
        const { migration, statements, done, number, of } = event
        this.#line(
          `${bold(migration)} ${dim(`(${number} of ${of}; ${counted(statements, 'statement')}${beforeText(done, statements)})`)}`,
        )
        break
      }
      case 'statement-started':
        this.#underway.set(keyOf(event), { position: event, percent: 0 })
        if (event.resumed) {
          const now = event.kind === 'ddl' ? 'waiting for its end' : 'continuing it'
          this.#line(dim(`  ${this.#text(event)} was begun before: ${now}`))
        }
        break
      case 'statement-progress':
        this.#progressed(event)
        break
      case 'statement-finished':
        this.#underway.delete(keyOf(event))
        this.#line(
          `  ${good('done')} ${this.#text(event)}${event.rows === undefined ? '' : dim(` ${counted(event.rows, 'row')}`)}`,
        )
        break
      case 'migration-finished':
        this.#line(dim(`  ${durationText(event.milliseconds)}`))
    }
  }

  /** Takes the bar away. */
  end(): void {
    this.#bar?.stop()
    this.#bar = undefined
  }

  #progressed({ percent, ...position }: StatementPosition & { readonly percent: number }): void {
    const known = this.#underway.get(keyOf(position)) ?? { position, percent: 0 }
    const before = known.percent
    known.percent = percent
    this.#underway.set(keyOf(position), known)
    if (this.#newBar) this.#draw(this.#newBar)
    else if (Math.floor(percent / STEP_PERCENT) > Math.floor(before / STEP_PERCENT) && percent < 100)
      this.#output.line(`  ${percent}% ${this.#text(position)}`)
  }

  /** Of statements that run together, the database works on the first. */
  #draw(newBar: () => Bar): void {
    const current = [...this.#underway.values()].find(({ percent }) => percent < 100)
    if (!current) return
    const payload = { statement: this.#text(current.position) }
    if (!this.#bar) {
      this.#bar = newBar()
      this.#bar.start(100, current.percent, payload)
    }
    this.#bar.update(current.percent, payload)
  }

  #text({ statement, of, sql }: StatementPosition): string {
    return `${statement}/${of} ${this.#excerpt(sql)}`
  }

  #line(text: string): void {
    this.end()
    this.#output.line(text)
  }
}

function beforeText(done: number, statements: number): string {
  if (done === 0) return ''
  if (statements === 1) return ', which has run before'
  return `, ${done} of them ${done === 1 ? 'has' : 'have'} run before`
}

function keyOf({ migration, statement }: StatementPosition): string {
  return `${migration}/${statement}`
}

const WIDTH = 'pending'.length

/** A line for each migration, and its error in the next line. */
export function statusLines(migrations: readonly MigrationStatus[], style: Style): string[] {
  if (migrations.length === 0) return ['There are no migrations. isotherm generate writes one.']
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

/** A database's message about a statement may have several lines. */
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

function troubleOf({ state, done, statements, failed, fix, changed }: MigrationStatus): string | undefined {
  if (state === 'empty') return 'Its migration.sql is empty.'
  if (failed) {
    const text = `Statement ${failed.statement} failed: ${failed.error.trimEnd()}`
    return fix === undefined ? text : `${text}\n${fix}`
  }
  if (state === 'changed') return `Statement ${changed} is not the one that ran.`
  if (state === 'missing')
    return `It has run${done < statements ? ' in part' : ''}, but is not in the folder.`
  if (state === 'partly') return 'It was interrupted: isotherm migrate continues it.'
  return undefined
}

const TICK_MS = 200

/** A bar for work that takes a known time; without a terminal, a line at its beginning. */
export class TimeProgress {
  readonly #output: Output
  readonly #newBar: (() => Bar) | undefined
  #bar: Bar | undefined
  #timer: NodeJS.Timeout | undefined

  static async on(output: Output): Promise<TimeProgress> {
    if (!output.interactive) return new TimeProgress(output, undefined)
    const { default: progress } = await import('cli-progress')
    // The command handles Ctrl+C. The cursor stays visible, since nothing could restore it after a second Ctrl+C.
    const options = { clearOnComplete: true, hideCursor: false, gracefulExit: false, linewrap: false }
    const format = '  {bar} {percentage}% {what}'
    return new TimeProgress(
      output,
      () => new progress.SingleBar({ ...options, format }, progress.Presets.shades_classic),
    )
  }

  private constructor(output: Output, newBar: (() => Bar) | undefined) {
    this.#output = output
    this.#newBar = newBar
  }

  begin(what: string, milliseconds: number): void {
    this.end()
    if (!this.#newBar) {
      this.#output.line(`  ${what} …`)
      return
    }
    const begun = performance.now()
    const bar = this.#newBar()
    bar.start(milliseconds, 0, { what })
    this.#bar = bar
    this.#timer = setInterval(() => bar.update(Math.min(milliseconds, performance.now() - begun)), TICK_MS)
  }

  /** Takes the bar away. */
  end(): void {
    clearInterval(this.#timer)
    this.#bar?.stop()
    this.#bar = undefined
  }
}
