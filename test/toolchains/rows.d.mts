export interface ToolchainRow {
  readonly tool: string
  readonly version: string
  readonly mode: 'standard' | 'legacy' | 'no decorators'
  readonly format: 'esm' | 'commonjs'
  /** Folder of `tools/` with the lockfile that installs it. */
  readonly tools: string
  /** Run in order, in the folder of the row; `../node_modules` has the tools, and so has the path of commands. */
  readonly build: readonly string[]
  /** Ends when the rows are inserted. */
  readonly start: string
  /** Further files, and those of the application that this tool wants otherwise: text, or what becomes JSON. */
  readonly files: Readonly<Record<string, string | object>>
  /** How files name each other. Default: with `.js`. */
  readonly imports?: 'extensionless' | '.ts'
  /** `import { Generated }` in place of `import { type Generated }`. */
  readonly importsTypesAsValues?: true
  /** Without it, the rows are inserted. */
  readonly fails?: RegExp
  /** `pnpm test` runs it too, with the tools of this repository. */
  readonly isMain?: boolean
  /** For the documentation: what is needed, in Markdown. */
  readonly needs: string
}

export declare const rows: readonly ToolchainRow[]
export declare function idOf(row: ToolchainRow): string
