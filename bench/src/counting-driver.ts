import type { Driver } from '@isotherm/core'

/** Counts a driver's reads, and what they give back. */
export class CountingDriver {
  reads = 0
  rows = 0
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
      this.reads++
      this.rows += cells.length
      return cells
    }
  }
}
