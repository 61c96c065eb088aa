import type { excerpt, MigrateEvent, StatementPlace } from '@isotherm/core/migrations'
import { durationText } from '../duration.js'
import { counted } from './findings.js'
import type { Output } from './output.js'

/** A line for a statement that takes longer, wherever no bar can move. */
const STEP_PERCENT = 25

/** How much of a statement is shown, in characters. */
export const EXCERPT = 72

interface Bar {
  start(total: number, value: number, payload: object): void
  update(value: number, payload: object): void
  stop(): void
}

/**
 * Shows how a run of migrations goes on: a line for each statement that is complete, and a bar for the one that takes its time,
 * or lines where there is no terminal.
 */
export class MigrateProgress {
  readonly #output: Output
  readonly #newBar: (() => Bar) | undefined
  readonly #excerpt: typeof excerpt
  /** In the order of their beginning, with how far they are. */
  readonly #underway = new Map<string, { readonly place: StatementPlace; percent: number }>()
  #bar: Bar | undefined
  #isWaiting = false

  /** Loads what it needs: what draws bars, if they are seen. */
  static async on(output: Output): Promise<MigrateProgress> {
    const { excerpt } = await import('@isotherm/core/migrations')
    if (!output.interactive) return new MigrateProgress(output, excerpt, undefined)
    const { default: progress } = await import('cli-progress')
    const format = `  {bar} {percentage}% {statement} {duration_formatted}`
    // Ctrl+C is heeded by the migration; the cursor stays, for nobody could bring it back after a second one.
    const options = { format, clearOnComplete: true, hideCursor: false, gracefulExit: false, linewrap: false }
    const newBar = (): Bar => new progress.SingleBar(options, progress.Presets.shades_classic)
    return new MigrateProgress(output, excerpt, newBar)
  }

  private constructor(output: Output, shorten: typeof excerpt, newBar: (() => Bar) | undefined) {
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
        const before = done === 0 ? '' : `, ${done} of them have run before`
        this.#line(
          `${bold(migration)} ${dim(`(${number} of ${of}; ${counted(statements, 'statement')}${before})`)}`,
        )
        break
      }
      case 'statement-started':
        this.#underway.set(keyOf(event), { place: event, percent: 0 })
        if (event.resumed) {
          const now = event.kind === 'ddl' ? 'waiting for its end' : 'going on with it'
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

  #progressed({ percent, ...place }: StatementPlace & { readonly percent: number }): void {
    const known = this.#underway.get(keyOf(place)) ?? { place, percent: 0 }
    const before = known.percent
    known.percent = percent
    this.#underway.set(keyOf(place), known)
    if (this.#newBar) this.#draw(this.#newBar)
    else if (Math.floor(percent / STEP_PERCENT) > Math.floor(before / STEP_PERCENT) && percent < 100)
      this.#output.line(`  ${percent}% ${this.#text(place)}`)
  }

  /** Of those that are under way together, the database works through the first. */
  #draw(newBar: () => Bar): void {
    const current = [...this.#underway.values()].find(({ percent }) => percent < 100)
    if (!current) return
    const payload = { statement: this.#text(current.place) }
    if (!this.#bar) {
      this.#bar = newBar()
      this.#bar.start(100, current.percent, payload)
    }
    this.#bar.update(current.percent, payload)
  }

  #text({ statement, of, sql }: StatementPlace): string {
    return `${statement}/${of} ${this.#excerpt(sql, EXCERPT)}`
  }

  #line(text: string): void {
    this.end()
    this.#output.line(text)
  }
}

function keyOf({ migration, statement }: StatementPlace): string {
  return `${migration}/${statement}`
}
