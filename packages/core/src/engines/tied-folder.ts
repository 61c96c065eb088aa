import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that does not outlive this process. */
export interface TiedFolder {
  readonly path: string
  /** Removes it with all that is in it, and waits until it is gone. */
  remove(): Promise<void>
}

/**
 * Waits for a line, which asks for the removal, or for the end of the pipe, which means that this process is gone
 * however it ended. Then the programs that write to the folder are about to be killed as well: it has to be found gone
 * several times in a row.
 */
const script = `
if read -r _; then
  exec rm -rf "$1"
fi
gone=0
tries=0
while [ $gone -lt 3 ] && [ $tries -lt 100 ]; do
  tries=$((tries + 1))
  if [ -e "$1" ]; then gone=0; rm -rf "$1"; else gone=$((gone + 1)); fi
  sleep 0.1
done
`

/** Makes a folder with a name that nobody else has, which is removed when this process ends, SIGKILL included. */
export async function tiedFolder(prefix: string, parent = tmpdir()): Promise<TiedFolder> {
  const path = await mkdtemp(join(parent, prefix))
  const remover = spawn('/bin/sh', ['-c', script, 'isotherm-folder', path], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = once(remover, 'close').catch(() => {})
  remover.stdin.on('error', () => {})
  remover.unref()
  if (remover.stdin instanceof Socket) remover.stdin.unref()
  return {
    path,
    remove: async () => {
      remover.ref()
      remover.stdin.end('now\n')
      await ended
      // Nothing is left to do here, unless there was no shell.
      await rm(path, { recursive: true, force: true })
    },
  }
}
