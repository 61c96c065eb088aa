import { chooseTsconfig } from './tsconfig.js'

// Registered only to tell the thread of the hooks which tsconfig.json was chosen.

export function initialize(path: string): void {
  chooseTsconfig(path)
}
