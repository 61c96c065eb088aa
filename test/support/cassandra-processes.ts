import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** True for a running process; false for a zombie process. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/** The folder of the cluster that this node belongs to. */
export function folderOf(pid: number): string {
  return folderIn(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
}

/** The folder of a cluster, by the command line of one of its nodes. */
export function folderIn(command: string): string {
  const [, config] = /-Dcassandra\.config=([^\0]+)/.exec(command) ?? []
  if (config === undefined) throw new Error(`This starts no Cassandra: ${command}`)
  return dirname(dirname(fileURLToPath(config)))
}

/** True if something accepts connections at this host and port. */
export function isOpen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const [address, port] = host.split(':')
    const socket = connect(Number(port), address)
    const answer = (open: boolean): void => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}
