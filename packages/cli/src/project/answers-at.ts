import { connect } from 'node:net'

/** Long enough for a machine that is far away; one that is not there may say nothing at all. */
const PATIENCE_MS = 3_000

/**
 * Whether a port takes connections. The database's client would ask again and again until its deadline, and speak of that.
 *
 * @param address `host:port`; what is written otherwise is left to the client.
 */
export async function answersAt(address: string): Promise<boolean> {
  const [, host, port] = /^\[?([^\]/]+?)\]?:(\d{1,5})$/.exec(address) ?? []
  if (host === undefined || Number(port) > 65_535) return true
  const socket = connect({ host, port: Number(port), timeout: PATIENCE_MS })
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('timeout', () => resolve(false))
      socket.once('error', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}
