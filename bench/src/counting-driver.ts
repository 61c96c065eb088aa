import type { Driver } from '@isotherm/core'

/** Counts a driver's reads, and what they give back. */
export class CountingDriver<Wrapped extends Driver> {
  reads = 0
  rows = 0
  readonly driver: Wrapped

  constructor(driver: Wrapped) {
    const { snapshot } = driver
    this.driver = {
      ...driver,
      read: this.#counted(driver.read),
      ...(snapshot && {
        snapshot: async (options: Parameters<typeof snapshot>[0]) => {
          const taken = await snapshot(options)
          return { ...taken, read: this.#counted(taken.read) }
        },
      }),
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
