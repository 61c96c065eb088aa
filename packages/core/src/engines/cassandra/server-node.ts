import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IsothermError } from '../../errors.js'
import { quoted } from '../process-tail.js'
import { spawnTied } from '../tied-process.js'
import type { TiedProcess } from '../tied-process.js'
import { cassandraYaml, javaArguments, logback } from './server-files.js'
import type { NodePlace } from './server-files.js'

/** One Cassandra on this machine, which can be killed and started again on what it has stored. */
export class ServerNode {
  readonly host: string
  readonly #place: NodePlace
  readonly #java: string
  readonly #jars: string
  #child: TiedProcess | undefined
  #killed = false
  #death: string | undefined

  constructor(place: NodePlace, java: string, jars: string) {
    this.host = `${place.address}:${place.nativePort}`
    this.#place = place
    this.#java = java
    this.#jars = jars
  }

  get pid(): number | undefined {
    return this.running ? this.#child?.pid : undefined
  }

  get running(): boolean {
    return this.#child !== undefined && !this.#killed && this.#death === undefined
  }

  /** How it ended, with what it said, if nobody killed it. */
  get death(): string | undefined {
    return this.#death
  }

  /** Writes what the server reads when it starts. */
  async prepare(): Promise<void> {
    const { folder } = this.#place
    await mkdir(join(folder, 'tmp'), { recursive: true })
    await writeFile(join(folder, 'cassandra.yaml'), cassandraYaml(this.#place))
    await writeFile(join(folder, 'logback.xml'), logback)
  }

  /** Starts the process; the promise only ever rejects, when it ends by itself. */
  spawn(): Promise<never> {
    const child = spawnTied(this.#java, javaArguments(this.#place, this.#jars))
    this.#child = child
    this.#killed = false
    this.#death = undefined
    const failed = child.ended.then((end) => {
      const what = `${this.host}: ${end}${quoted(child.tail())}`
      if (this.#child === child && !this.#killed) this.#death = what
      throw new Error(what)
    })
    failed.catch(() => {})
    return failed
  }

  /** The last lines that it printed, to follow a sentence. */
  get tail(): string {
    return quoted(this.#child?.tail() ?? '')
  }

  /** From now on it does not keep this process from ending. */
  unref(): void {
    this.#child?.unref()
  }

  /** Ends it as if its machine had lost power, except that what the kernel was given is not lost. */
  async kill(): Promise<void> {
    this.#killed = true
    await this.#child?.kill()
  }

  /** @throws IsothermError `INVALID_VALUE` if it runs. */
  refuseIfRunning(): void {
    if (!this.running) return
    throw new IsothermError('INVALID_VALUE', `The node ${this.host} is running.`, { fix: 'Kill it first.' })
  }
}
