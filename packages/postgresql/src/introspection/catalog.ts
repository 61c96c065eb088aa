import type { WireType } from '@isotherm/core/engine'
import type { CatalogReader } from '@isotherm/core/tools'
import { CHANGES_TABLE } from '../driver/schema-changes.js'

// A database as its catalogue describes it: names and SQL texts, nothing recognised yet. Objects of extensions are left out: their
// extension makes them.
//
// Source: https://www.postgresql.org/docs/current/catalogs.html

interface CellTypes {
  readonly text: string
  readonly maybe: string | null
  readonly flag: boolean
  readonly list: readonly string[]
}

type CellKind = keyof CellTypes

type RowOf<Columns extends Readonly<Record<string, CellKind>>> = {
  readonly [Name in keyof Columns]: CellTypes[Columns[Name]]
}

const TEXT: WireType = { kind: 'string', length: 'max' }
const TYPES: Readonly<Record<CellKind, WireType>> = {
  text: TEXT,
  maybe: TEXT,
  flag: { kind: 'bool' },
  list: { kind: 'array', of: TEXT },
}

/** Rows of a query whose columns come in the order of `columns`. Numbers of objects are read as text. */
async function rowsOf<const Columns extends Readonly<Record<string, CellKind>>>(
  reader: CatalogReader,
  columns: Columns,
  text: string,
): Promise<RowOf<Columns>[]> {
  const names = Object.keys(columns)
  const rows = await reader.query(
    { text, parameters: [] },
    Object.values<CellKind>(columns).map((kind) => TYPES[kind]),
  )
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])) as RowOf<Columns>)
}

/** Schemas that are not PostgreSQL's own, as a condition on `n`, a row of pg_namespace. */
const OWN = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`

function notOfExtension(catalog: string, oid: string): string {
  return (
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend x WHERE x.deptype = 'e' ` +
    `AND x.classid = 'pg_catalog.${catalog}'::regclass AND x.objid = ${oid})`
  )
}

/** A list of numbers in the order of a vector, as the names of a table's columns; `""` for an expression. */
function namesOf(numbers: string, table: string): string {
  return (
    `ARRAY(SELECT coalesce(named.attname::text, '') FROM unnest(${numbers}) WITH ORDINALITY part(number, at) ` +
    `LEFT JOIN pg_catalog.pg_attribute named ON named.attrelid = ${table} AND named.attnum = part.number ` +
    `AND part.number > 0 ORDER BY part.at)`
  )
}

export type CatalogNamespace = Awaited<ReturnType<typeof readNamespaces>>[number]

export async function readNamespaces(reader: CatalogReader) {
  return rowsOf(
    reader,
    { oid: 'text', name: 'text', isCurrent: 'flag', isEmpty: 'flag' },
    `SELECT n.oid::text, n.nspname::text, n.nspname = coalesce(current_schema(), 'public'),
      NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid)
    FROM pg_catalog.pg_namespace n WHERE ${OWN} AND ${notOfExtension('pg_namespace', 'n.oid')} ORDER BY n.nspname COLLATE "C"`,
  )
}

export type CatalogRelation = Awaited<ReturnType<typeof readRelations>>[number]

/** Tables, views, and what is like one. `reads` has the numbers of the relations that a view reads. */
export async function readRelations(reader: CatalogReader) {
  return rowsOf(
    reader,
    {
      oid: 'text',
      schema: 'text',
      name: 'text',
      kind: 'text',
      options: 'list',
      query: 'maybe',
      reads: 'list',
      isPartition: 'flag',
      partitionKey: 'maybe',
      inherits: 'flag',
      isUnlogged: 'flag',
      hasRowSecurity: 'flag',
      forcesRowSecurity: 'flag',
    },
    `SELECT c.oid::text, n.oid::text, c.relname::text, c.relkind::text, coalesce(c.reloptions, '{}'),
      CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END,
      ARRAY(SELECT DISTINCT d.refobjid::text FROM pg_catalog.pg_rewrite r
        JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
          AND d.refclassid = 'pg_catalog.pg_class'::regclass
        WHERE r.ev_class = c.oid AND d.refobjid <> c.oid),
      c.relispartition, CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) END,
      EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid),
      c.relpersistence = 'u', c.relrowsecurity, c.relforcerowsecurity
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND c.relpersistence <> 't' AND c.relname <> '${CHANGES_TABLE}' AND ${OWN}
      AND ${notOfExtension('pg_class', 'c.oid')}
    ORDER BY c.relname COLLATE "C"`,
  )
}

export type CatalogColumn = Awaited<ReturnType<typeof readColumns>>[number]

/**
 * Columns, in the order of their tables. `sequences` has the numbers of the sequences that a default takes its values from; a
 * collation is empty where values are compared as bytes.
 */
export async function readColumns(reader: CatalogReader) {
  return rowsOf(
    reader,
    {
      table: 'text',
      name: 'text',
      type: 'text',
      collation: 'maybe',
      ownCollation: 'maybe',
      isNotNull: 'flag',
      expression: 'maybe',
      generated: 'text',
      identity: 'text',
      sequences: 'list',
    },
    `SELECT a.attrelid::text, a.attname::text, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attcollation = 0 OR o.collname IN ('C', 'POSIX', 'ucs_basic', 'pg_c_utf8') OR (o.collname = 'default'
        AND (SELECT b.datcollate IN ('C', 'POSIX') AND b.datlocprovider = 'c' FROM pg_catalog.pg_database b
          WHERE b.datname = current_database())) THEN NULL ELSE o.collname::text END,
      CASE WHEN a.attcollation <> t.typcollation THEN
        coalesce((SELECT quote_ident(s.nspname) || '.' FROM pg_catalog.pg_namespace s WHERE s.oid = o.collnamespace
          AND s.nspname <> 'pg_catalog'), '') || quote_ident(o.collname) END,
      a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated::text, a.attidentity::text,
      ARRAY(SELECT p.refobjid::text FROM pg_catalog.pg_depend p WHERE p.classid = 'pg_catalog.pg_attrdef'::regclass
        AND p.objid = d.oid AND p.refclassid = 'pg_catalog.pg_class'::regclass AND p.refobjid <> a.attrelid)
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
    WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND ${OWN} ORDER BY a.attrelid, a.attnum`,
  )
}

export type CatalogConstraint = Awaited<ReturnType<typeof readConstraints>>[number]

/** `definition` is what follows the name; `clause` is the condition of a check. */
export async function readConstraints(reader: CatalogReader) {
  return rowsOf(
    reader,
    {
      table: 'text',
      name: 'text',
      kind: 'text',
      columns: 'list',
      index: 'text',
      other: 'text',
      references: 'list',
      onDelete: 'text',
      isPlain: 'flag',
      clause: 'maybe',
      definition: 'text',
    },
    `SELECT k.conrelid::text, k.conname::text, k.contype::text, ${namesOf('k.conkey', 'k.conrelid')},
      k.conindid::text, k.confrelid::text, ${namesOf('k.confkey', 'k.confrelid')}, k.confdeltype::text,
      NOT k.condeferrable AND k.convalidated AND (k.contype <> 'f' OR (k.confupdtype = 'a' AND k.confmatchtype = 's'))
        AND NOT (k.contype = 'c' AND k.connoinherit)
        AND pg_get_constraintdef(k.oid) !~ '( NOT ENFORCED| WITHOUT OVERLAPS\\)|[(,] ?PERIOD .*)$',
      pg_get_expr(k.conbin, k.conrelid), pg_get_constraintdef(k.oid)
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('p', 'u', 'c', 'f', 'x') AND k.conparentid = 0 AND ${OWN} ORDER BY k.conname COLLATE "C"`,
  )
}

export type CatalogIndex = Awaited<ReturnType<typeof readIndexes>>[number]

/**
 * Indexes other than those of constraints of their own kind. `options` has the order of each key column in bits, as pg_index has it;
 * `isPlain` is false for what no schema has.
 */
export async function readIndexes(reader: CatalogReader) {
  return rowsOf(
    reader,
    {
      oid: 'text',
      table: 'text',
      schema: 'text',
      name: 'text',
      isUnique: 'flag',
      keys: 'list',
      storing: 'list',
      options: 'list',
      filter: 'maybe',
      isPlain: 'flag',
      definition: 'text',
    },
    `SELECT i.indexrelid::text, i.indrelid::text, n.oid::text, c.relname::text, i.indisunique,
      ${namesOf('(i.indkey::int2[])[0:i.indnkeyatts - 1]', 'i.indrelid')},
      ${namesOf('(i.indkey::int2[])[i.indnkeyatts:i.indnatts - 1]', 'i.indrelid')},
      ARRAY(SELECT o::text FROM unnest(i.indoption::int2[]) WITH ORDINALITY k(o, at) ORDER BY at),
      pg_get_expr(i.indpred, i.indrelid),
      m.amname = 'btree' AND i.indexprs IS NULL AND i.indisvalid AND c.reloptions IS NULL AND c.reltablespace = 0
        AND pg_get_indexdef(i.indexrelid) !~ ' NULLS NOT DISTINCT'
        AND NOT EXISTS (SELECT FROM unnest(i.indclass::oid[]) o JOIN pg_catalog.pg_opclass p ON p.oid = o WHERE NOT p.opcdefault)
        AND NOT EXISTS (SELECT FROM unnest(i.indkey::int2[], i.indcollation::oid[]) AS part(number, sorted)
          JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = part.number
          WHERE part.sorted <> a.attcollation AND part.sorted <> 0),
      pg_get_indexdef(i.indexrelid, 0, true)
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_am m ON m.oid = c.relam
    WHERE NOT i.indisprimary AND NOT i.indisexclusion AND ${OWN}
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhrelid = i.indexrelid)
    ORDER BY c.relname COLLATE "C"`,
  )
}

export type CatalogSequence = Awaited<ReturnType<typeof readSequences>>[number]

/** `owner` is the number of the table whose column a sequence is dropped with; `isIdentity` where it is the column's own. */
export async function readSequences(reader: CatalogReader) {
  return rowsOf(
    reader,
    {
      oid: 'text',
      schema: 'text',
      name: 'text',
      start: 'text',
      increment: 'text',
      isPlain: 'flag',
      options: 'text',
      owner: 'maybe',
      ownerColumn: 'maybe',
      isIdentity: 'flag',
    },
    `SELECT c.oid::text, n.oid::text, c.relname::text, s.seqstart::text, s.seqincrement::text,
      s.seqtypid = 'bigint'::regtype AND s.seqincrement = 1 AND s.seqmin = 1 AND s.seqmax = 9223372036854775807
        AND s.seqcache = 1 AND NOT s.seqcycle,
      format('AS %s INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s%s', format_type(s.seqtypid, NULL),
        s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache, CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END),
      d.refobjid::text, a.attname::text, coalesce(d.deptype = 'i', false)
    FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid
      AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
    WHERE c.relpersistence <> 't' AND ${OWN} AND ${notOfExtension('pg_class', 'c.oid')} ORDER BY c.relname COLLATE "C"`,
  )
}

export type CatalogOther = Awaited<ReturnType<typeof readOthers>>[number]

/**
 * What a schema does not model, as the statements that make it and that undo it, in the order in which it was made: a type may consist
 * of others. `create` is NULL where PostgreSQL does not tell
 * the statement.
 */
export async function readOthers(reader: CatalogReader) {
  const name = `quote_ident(o.name)`
  // Names in the current schema go without it, here as in tables.
  const inSchema = `CASE WHEN n.nspname = coalesce(current_schema(), 'public') THEN '' ELSE quote_ident(n.nspname) || '.' END`
  const unqualified = (start: string, own: string, definition: string): string =>
    `${start} || ${inSchema} || quote_ident(${own}) || substr(${definition}, ` +
    `length(${start} || quote_ident(n.nspname) || '.' || quote_ident(${own})) + 1)`
  return rowsOf(
    reader,
    { schema: 'maybe', what: 'text', name: 'text', create: 'maybe', drop: 'maybe' },
    `SELECT made.schema, made.what, made.name, made.creates, made.drops FROM (
    SELECT NULL AS schema, 'the extension' AS what, e.extname::text AS name,
        'CREATE EXTENSION IF NOT EXISTS ' || quote_ident(e.extname) AS creates,
        'DROP EXTENSION ' || quote_ident(e.extname) AS drops, 1 AS rank, e.oid
      FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'
    UNION ALL
    SELECT o.schema::text, o.what, o.name, CASE o.kind
        WHEN 'e' THEN 'CREATE TYPE ' || ${inSchema} || ${name} || ' AS ENUM (' || (SELECT string_agg(quote_literal(l.enumlabel),
          ', ' ORDER BY l.enumsortorder) FROM pg_catalog.pg_enum l WHERE l.enumtypid = o.oid) || ')'
        WHEN 'd' THEN 'CREATE DOMAIN ' || ${inSchema} || ${name} || ' AS ' || format_type(o.base, o.modifier) ||
          coalesce(' DEFAULT ' || o.default, '') || CASE WHEN o.required THEN ' NOT NULL' ELSE '' END ||
          coalesce((SELECT string_agg(' CONSTRAINT ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), ''
            ORDER BY k.conname) FROM pg_catalog.pg_constraint k WHERE k.contypid = o.oid AND k.contype = 'c'), '')
        WHEN 'c' THEN 'CREATE TYPE ' || ${inSchema} || ${name} || ' AS (' || coalesce((SELECT string_agg(quote_ident(a.attname) ||
          ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) FROM pg_catalog.pg_attribute a
          WHERE a.attrelid = o.relation AND a.attnum > 0 AND NOT a.attisdropped), '') || ')' END,
      CASE WHEN o.kind = 'd' THEN 'DROP DOMAIN ' ELSE 'DROP TYPE ' END || ${inSchema} || ${name}, 2, o.oid
      FROM (SELECT t.oid, t.typnamespace AS schema, t.typname::text AS name, t.typtype AS kind, t.typbasetype AS base,
          t.typtypmod AS modifier, t.typdefault AS default, t.typnotnull AS required, t.typrelid AS relation,
          CASE WHEN t.typtype = 'd' THEN 'the domain' ELSE 'the type' END AS what
        FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
        WHERE (t.typtype IN ('e', 'd', 'r') OR (t.typtype = 'c' AND c.relkind = 'c')
          OR (t.typtype = 'b' AND NOT EXISTS (SELECT FROM pg_catalog.pg_type i WHERE i.typarray = t.oid)))
          AND ${notOfExtension('pg_type', 't.oid')}) o
      JOIN pg_catalog.pg_namespace n ON n.oid = o.schema WHERE ${OWN}
    UNION ALL
    SELECT n.oid::text, 'the function', p.proname::text,
        CASE WHEN p.prokind IN ('f', 'w') THEN ${unqualified("'CREATE OR REPLACE FUNCTION '", 'p.proname', 'pg_get_functiondef(p.oid)')}
          WHEN p.prokind = 'p' THEN ${unqualified("'CREATE OR REPLACE PROCEDURE '", 'p.proname', 'pg_get_functiondef(p.oid)')} END,
        'DROP ROUTINE ' || ${inSchema} || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')', 3, p.oid
      FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE ${OWN} AND ${notOfExtension('pg_proc', 'p.oid')}
    UNION ALL
    SELECT n.oid::text, 'the trigger', t.tgname::text, pg_get_triggerdef(t.oid, true),
        'DROP TRIGGER ' || quote_ident(t.tgname) || ' ON ' || ${inSchema} || quote_ident(c.relname), 5, t.oid
      FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND ${OWN}
    UNION ALL
    SELECT n.oid::text, 'the rule', r.rulename::text, rtrim(pg_get_ruledef(r.oid, true), ';'),
        'DROP RULE ' || quote_ident(r.rulename) || ' ON ' || ${inSchema} || quote_ident(c.relname), 5, r.oid
      FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE r.rulename <> '_RETURN' AND ${OWN}
    UNION ALL
    SELECT n.oid::text, 'the statistics', s.stxname::text, ${unqualified("'CREATE STATISTICS '", 's.stxname', 'pg_get_statisticsobjdef(s.oid)')},
        'DROP STATISTICS ' || ${inSchema} || quote_ident(s.stxname), 4, s.oid
      FROM pg_catalog.pg_statistic_ext s JOIN pg_catalog.pg_namespace n ON n.oid = s.stxnamespace WHERE ${OWN}
    UNION ALL
    SELECT n.oid::text, 'the policy', p.polname::text, 'CREATE POLICY ' || quote_ident(p.polname) || ' ON ' || ${inSchema} ||
        quote_ident(c.relname) || CASE WHEN p.polpermissive THEN '' ELSE ' AS RESTRICTIVE' END || CASE p.polcmd WHEN 'r' THEN
        ' FOR SELECT' WHEN 'a' THEN ' FOR INSERT' WHEN 'w' THEN ' FOR UPDATE' WHEN 'd' THEN ' FOR DELETE' ELSE '' END || ' TO ' ||
        (SELECT string_agg(CASE WHEN r = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r)) END, ', ')
          FROM unnest(p.polroles) r) || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '') ||
        coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''),
        'DROP POLICY ' || quote_ident(p.polname) || ' ON ' || ${inSchema} || quote_ident(c.relname), 4, p.oid
      FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE ${OWN}
    ) AS made ORDER BY made.rank, made.oid`,
  )
}
