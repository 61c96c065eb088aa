import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { WayRefused } from '../resolve.js'

/**
 * Below the ports that kernels give to outgoing connections, which could take one between the moment when it is found
 * free and the moment when the server listens.
 */
const lowest = 20_000
const highest = 32_767

const attempts = 200

/** A port that this process has found free once is not given a second time: its server may not listen yet. */
const givenOut = new Set<number>()

/**
 * A port that is free on every one of these addresses.
 *
 * @throws WayRefused where an address is not one of this machine.
 */
export async function freePort(addresses: readonly string[]): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest + 1)
    if (givenOut.has(port)) continue
    givenOut.add(port)
    const free = await Promise.all(addresses.map((address) => isFree(address, port)))
    if (free.every(Boolean)) return port
  }
  throw new WayRefused(`no port from ${lowest} to ${highest} is free on ${addresses.join(', ')}.`)
}

async function isFree(address: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen({ host: address, port, exclusive: true }), 'listening')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') {
      throw new WayRefused(
        `${address} is not an address of this machine (on macOS: sudo ifconfig lo0 alias ${address}).`,
        { cause: error },
      )
    }
    return false
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}
