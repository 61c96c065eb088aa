import type { Spelling } from '../ddl/clauses.js'
import { literal, quote } from './identifier.js'

export const spelling: Spelling = { dialect: 'spanner-postgresql', options: 'WITH', quote, literal }
