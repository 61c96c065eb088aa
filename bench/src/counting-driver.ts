import type { Driver } from '@isotherm/core'

/** Counts what a driver's reads give back, and remembers the largest limit they asked for. */
export class CountingDriver {
  rows = 0
  largestLimit = 0
  readonly driver: Driver

  constructor(driver: Driver) {
    this.driver = {
      ...driver,
      read: this.#counted(driver.read),
      snapshot: async (options) => {
        const snapshot = await driver.snapshot(options)
        return { ...snapshot, read: this.#counted(snapshot.read) }
      },
    }
  }

  #counted(read: Driver['read']): Driver['read'] {
    return async (request, options) => {
      const cells = await read(request, options)
      this.rows += cells.length
      this.largestLimit = Math.max(this.largestLimit, request.limit ?? 0)
      return cells
    }
  }
}
