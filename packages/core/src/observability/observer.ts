import { EventEmitter } from 'node:events'
import type { TableLayout } from '../dialects/layout.js'
import type { DatabaseEvents, FanOutReport } from './events.js'
import { recordFanOut, recordSkew } from './metrics.js'
import { TableSkew } from './skew.js'

/** What a database sees of its own work, for whoever listens. */
export class Observer {
  readonly events = new EventEmitter<DatabaseEvents>()
  readonly #system: string
  readonly #skew = new Map<TableLayout, TableSkew>()

  /** @param system the database as OpenTelemetry names it */
  constructor(system: string) {
    this.#system = system
  }

  skewOf(layout: TableLayout): TableSkew {
    let skew = this.#skew.get(layout)
    if (!skew) {
      skew = new TableSkew(layout, (event) => {
        recordSkew(this.#system, event)
        this.#tell('skew', event)
      })
      this.#skew.set(layout, skew)
    }
    return skew
  }

  fanOut(report: FanOutReport): void {
    recordFanOut(this.#system, report)
    this.#tell('fanOut', report)
  }

  #tell<Name extends keyof DatabaseEvents>(name: Name, ...told: DatabaseEvents[Name]): void {
    const listeners = (this.events as EventEmitter).listeners(name) as Listener[]
    for (const listener of listeners) void hear(listener, told)
  }
}

type Listener = (...told: readonly unknown[]) => unknown

/** Later, and each by itself: a listener that throws ends neither the query nor the process, nor keeps it from the others. */
async function hear(listener: Listener, told: readonly unknown[]): Promise<void> {
  try {
    await Promise.resolve()
    await listener(...told)
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error), {
      type: 'IsothermListenerWarning',
      detail: 'A listener of a Database failed.',
    })
  }
}
