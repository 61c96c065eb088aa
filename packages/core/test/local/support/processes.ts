import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/** True for a process that exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    // "123 (name) S …": the name may hold anything, parentheses too.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}

export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

export function portOf(host: string): number {
  return Number(host.slice(host.lastIndexOf(':') + 1))
}

/** True if something accepts connections at this host and port. */
export function isOpen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(portOf(host), host.slice(0, host.lastIndexOf(':')))
    const answer = (open: boolean): void => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}
