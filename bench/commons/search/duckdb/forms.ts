import { writeFile } from 'node:fs/promises'
import type { DuckDBDataChunk } from '@duckdb/node-api'
import { type Answer, bodyOf, plainRecord } from '../answers.ts'
import { type Form, NOWHERE, type Reply } from '../form.ts'
import { ALIQUOT_FIELDS, FILE_GROUPS, MANIFEST_HEADER, tableColumns } from '../layout.ts'
import {
  EXPORT_FIELDS,
  type Export,
  type ExportFormat,
  type Kind,
  type Of,
  PAGE_SIZE,
  type Question,
} from '../questions.ts'
import { quoted, whereOf } from '../sql/columns.ts'
import {
  type Dialect,
  facetsFrom,
  passAndGroupingSets,
  passAndGroups,
  scansAndGroups,
} from '../sql/facets.ts'
import { type Row, tableIn, tableOf } from '../tables.ts'
import type { DuckClient } from './client.ts'
import { takenApart } from './load-nested.ts'

type Ask<K extends Kind> = (question: Of<K>, path: string) => Promise<Reply>
type FormsOf = { readonly [K in Kind]: Readonly<Record<string, Ask<K>>> }

const reply = (answer: () => Answer | Promise<Answer>): Reply => ({ answer })
const parsed = (text: unknown) => plainRecord(JSON.parse(String(text)))

/** Takes the groups away from a document: a patch of nulls. */
const OWN_FIELDS = `json_merge_patch(document, ${quoted(
  JSON.stringify(Object.fromEntries(FILE_GROUPS.map((group) => [group, null]))),
)})`

/** The tree down to the aliquots, without anything else that is in it. */
const ALIQUOTS = JSON.stringify([
  {
    samples: [
      {
        portions: [
          {
            analytes: [
              { aliquots: [Object.fromEntries(ALIQUOT_FIELDS.map((name) => [name, 'JSON']))] },
            ],
          },
        ],
      },
    ],
  },
])

/** A body is a file of one column, whose header and whose cells are written as they are. */
const AS_IT_IS = `(FORMAT csv, HEADER true, DELIMITER '\t', QUOTE '', ESCAPE '', NULL '')`
const ONE_COLUMN = `(FORMAT csv, HEADER true, DELIMITER '\x01', QUOTE '', ESCAPE '', NULL '')`

/** Under this name the database with `nested` and `flat` is attached. */
export const EXPORTS = 'exports'

const COPIED_AS: Readonly<Record<Exclude<ExportFormat, 'arrow'>, string>> = {
  tsv: AS_IT_IS,
  ndjson: '(FORMAT json)',
  parquet: '(FORMAT parquet)',
}

const DIALECT: Dialect = {
  files: 'files',
  apart: (column, counts) =>
    `SELECT value, n FROM (${counts}) AS sets JOIN values_of_${column} USING (${column})`,
}

const MAX_CASES = 'SELECT max(len(case_ids))::INTEGER FROM'

/** All ways in which DuckDB is asked. */
export function duckForms(client: DuckClient): Readonly<Record<Kind, readonly Form[]>> {
  const total = async (sql: string) => {
    const rows = await client.rows(sql)
    return reply(() => ({ total: Number(rows[0]?.[0]) }))
  }
  const facets = async (sql: string) => {
    const rows = await client.rows(sql)
    return reply(() => facetsFrom(rows))
  }
  const page = async (sql: string) => {
    const rows = await client.rows(sql)
    return reply(() => ({
      total: Number(rows[0]?.[3]),
      records: rows.map(([file_id, file_name, file_size]) =>
        plainRecord({ file_id: file_id!, file_name: file_name!, file_size: file_size! }),
      ),
    }))
  }
  const copy = async (select: string, path: string, form: string) => {
    await client.run(`COPY (${select}) TO ${quoted(path)} ${form}`)
    return reply(async () => ({ body: await bodyOf(path) }))
  }
  const widths = new Map<Of<'table'>, number>()
  const exported = async (format: keyof typeof COPIED_AS, select: string, path: string) => {
    await client.run(`COPY (${select}) TO ${quoted(path)} ${COPIED_AS[format]}`)
    return reply(async () => ({ table: await tableIn(format, path) }))
  }
  const chunked = async (select: string, path: string) => {
    const kept: DuckDBDataChunk[] = []
    for await (const chunk of client.chunks(select)) if (path !== NOWHERE) kept.push(chunk)
    return reply(async () => {
      const names = await client.rows(`SELECT column_name FROM (DESCRIBE ${select})`)
      return { table: await tableOf(rowsOf(kept, names.map(String))) }
    })
  }
  const occurring = new Map<Export, readonly string[]>()
  // Looked up once and before anything is measured, as is the width of a table.
  const columnsIn = async (question: Export) => {
    const known = occurring.get(question)
    if (known) return known
    const described = await client.rows(`SELECT column_name FROM (DESCRIBE ${EXPORTS}.flat)`)
    const all = described.map(String).filter((name) => name !== 'project')
    const counts = all.map((name) => `count("${name}")::INTEGER`)
    const [found] = await client.rows(
      `SELECT ${counts} FROM ${EXPORTS}.flat WHERE ${whereOf(question.conditions)}`,
    )
    const names = all.filter((_, i) => Number(found?.[i]) > 0)
    occurring.set(question, names)
    return names
  }
  const flat = async (question: Export) => {
    const columns = (await columnsIn(question)).map((name) => `"${name}"`)
    return exportFrom('flat', question, columns)
  }
  const apart = async (question: Export) => {
    const columns = (await columnsIn(question)).map((name) => `${takenApart(name)} AS "${name}"`)
    return exportFrom('nested', question, columns)
  }
  const nested = async (question: Export) => {
    const members = (await columnsIn(question)).map((name) => name.replace(/\..*/, ''))
    return exportFrom('nested', question, [...new Set(members)])
  }

  const forms: FormsOf = {
    count: {
      scan: ({ conditions }) =>
        total(`SELECT count(*)::INTEGER FROM files WHERE ${whereOf(conditions)}`),
    },
    'cases-by-file': {
      'edges joined with files': ({ dataType, strategy }) =>
        total(`SELECT count(DISTINCT case_row)::INTEGER FROM file_case
               WHERE file_row IN (SELECT file_row FROM files WHERE ${byFile(dataType, strategy)})`),
      'edges with the fields': ({ dataType, strategy }) =>
        total(`SELECT count(DISTINCT case_row)::INTEGER FROM file_case
               WHERE ${byFile(dataType, strategy)}`),
      'edges with the fields, by case': ({ dataType, strategy }) =>
        total(`SELECT count(*)::INTEGER FROM (SELECT case_row FROM case_file
               WHERE ${byFile(dataType, strategy)} GROUP BY case_row)`),
      'edges with the fields, bits': ({ dataType, strategy }) =>
        total(`SELECT coalesce(bit_count(bitstring_agg(case_row)), 0)::INTEGER FROM file_case
               WHERE ${byFile(dataType, strategy)}`),
    },
    'files-by-sample': {
      distinct: (question) =>
        total(`SELECT count(DISTINCT file_row)::INTEGER FROM file_sample
               WHERE ${bySample(question)}`),
      bits: (question) =>
        total(`SELECT coalesce(bit_count(bitstring_agg(file_row)), 0)::INTEGER FROM file_sample
               WHERE ${bySample(question)}`),
    },
    facets: {
      'one pass, grouping sets': ({ conditions }) =>
        facets(passAndGroupingSets(DIALECT, conditions)),
      'one pass, ten groupings': ({ conditions }) => facets(passAndGroups(DIALECT, conditions)),
      'ten scans': ({ conditions }) => facets(scansAndGroups(DIALECT, conditions)),
    },
    page: {
      'top n, then the records': ({ conditions, from }) =>
        page(`SELECT file_id, file_name, file_size::DOUBLE, ${totalOf(conditions)} FROM files
              JOIN (SELECT file_row FROM files WHERE ${whereOf(conditions)}
                    ORDER BY file_size DESC, file_row LIMIT ${PAGE_SIZE} OFFSET ${from})
              USING (file_row) ORDER BY file_size DESC, file_row`),
      'copy kept in order': ({ conditions, from }) =>
        page(`SELECT file_id, file_name, file_size::DOUBLE, ${totalOf(conditions)}
              FROM files_by_size WHERE ${whereOf(conditions)} LIMIT ${PAGE_SIZE} OFFSET ${from}`),
      'copy kept in order, then the records': ({ conditions, from }) =>
        page(`SELECT file_id, file_name, file_size::DOUBLE, ${totalOf(conditions)}
              FROM files_by_size WHERE rowid IN (
                SELECT rowid FROM files_by_size WHERE ${whereOf(conditions)}
                LIMIT ${PAGE_SIZE} OFFSET ${from})
              ORDER BY file_size DESC, file_row`),
    },
    record: {
      index: async ({ id }) => {
        const sql = `SELECT ${OWN_FIELDS} FROM documents WHERE file_id = $1::UUID`
        const rows = await client.rows(sql, [id])
        return reply(() => ({ records: [parsed(rows[0]?.[0])] }))
      },
    },
    records: {
      index: async ({ ids }) => {
        const list = ids.map((id) => `${quoted(id)}::UUID`)
        const rows = await client.rows(
          `SELECT ${OWN_FIELDS} FROM documents WHERE file_id IN (${list}) ORDER BY file_id`,
        )
        return reply(() => ({ records: rows.map(([text]) => parsed(text)) }))
      },
    },
    aliquots: {
      documents: async ({ conditions, size }) => {
        const [texts] = await client.columns(
          `SELECT left(${OWN_FIELDS}, -1) || ',"cases":' ||
             to_json(from_json(document::JSON->'$.cases', ${quoted(ALIQUOTS)})) || '}'
           FROM documents WHERE rowid IN (
             SELECT file_row FROM files WHERE ${whereOf(conditions)}
             ORDER BY file_row LIMIT ${size})
           ORDER BY rowid`,
        )
        const matching = await client.rows(`SELECT ${totalOf(conditions)}`)
        return reply(() => ({
          total: Number(matching[0]?.[0]),
          records: (texts ?? []).map(parsed),
        }))
      },
    },
    table: {
      columns: async (question, path) => {
        const { conditions, size } = question
        const rows = `files WHERE ${whereOf(conditions)} LIMIT ${size}`
        let width = widths.get(question)
        if (width === undefined) {
          const [most] = await client.rows(`${MAX_CASES} (SELECT case_ids FROM ${rows})`)
          width = Number(most?.[0])
          widths.set(question, width)
        }
        return copy(`SELECT ${tableSelection(width)} FROM ${rows}`, path, AS_IT_IS)
      },
    },
    manifest: {
      'lines copied': ({ conditions }, path) =>
        copy(
          `SELECT line AS "${MANIFEST_HEADER}" FROM files WHERE ${whereOf(conditions)}`,
          path,
          ONE_COLUMN,
        ),
      'columns copied': ({ conditions }, path) =>
        copy(
          `SELECT file_id AS id, file_name AS filename, md5sum AS md5, file_size AS size, state
           FROM files WHERE ${whereOf(conditions)}`,
          path,
          AS_IT_IS,
        ),
      'one text': async ({ conditions }, path) => {
        const rows = await client.rows(
          `SELECT string_agg(line, chr(10) ORDER BY file_row) FROM files
           WHERE ${whereOf(conditions)}`,
        )
        await writeFile(path, `${MANIFEST_HEADER}\n${rows[0]?.[0]}\n`)
        return reply(async () => ({ body: await bodyOf(path) }))
      },
    },
    'export-tsv': {
      'flat columns': async (question, path) => exported('tsv', await flat(question), path),
      lists: async (question, path) => exported('tsv', await apart(question), path),
    },
    'export-ndjson': {
      lists: async (question, path) => exported('ndjson', await nested(question), path),
    },
    'export-arrow': {
      'flat columns': async (question, path) => chunked(await flat(question), path),
      lists: async (question, path) => chunked(await apart(question), path),
    },
    'export-parquet': {
      'flat columns': async (question, path) => exported('parquet', await flat(question), path),
      lists: async (question, path) => exported('parquet', await apart(question), path),
    },
  }
  return named(forms)
}

const totalOf = (conditions: Of<'page'>['conditions']) =>
  `(SELECT count(*) FROM files WHERE ${whereOf(conditions)})::INTEGER`

/** @param columns what a file with its samples is shown as */
function exportFrom(
  table: 'nested' | 'flat',
  { conditions, content }: Export,
  columns: readonly string[],
): string {
  const where = whereOf(conditions)
  if (content === 'samples') {
    return `SELECT ${columns.join(', ')} FROM ${EXPORTS}.${table} WHERE ${where} ORDER BY id`
  }
  return `SELECT file_id AS id, ${EXPORT_FIELDS[content].join(', ')} FROM files WHERE ${where}`
}

function* rowsOf(chunks: readonly DuckDBDataChunk[], names: readonly string[]): Generator<Row> {
  for (const chunk of chunks) {
    for (const cells of chunk.getRows()) {
      yield Object.fromEntries(names.map((name, i) => [name, cells[i]]))
    }
  }
}

const byFile = (dataType: string, strategy: string) =>
  `data_type = ${quoted(dataType)} AND experimental_strategy = ${quoted(strategy)}`

const bySample = ({ sampleTypes, tissueType }: Of<'files-by-sample'>) =>
  `sample_type IN (${sampleTypes.map((type) => quoted(type.toLowerCase()))})
   AND tissue_type = ${quoted(tissueType.toLowerCase())}`

function tableSelection(cases: number): string {
  const columns: Readonly<Record<string, string>> = {
    id: 'file_id',
    'analysis.workflow_type': 'workflow_type',
    ...Object.fromEntries(
      Array.from({ length: cases }, (_, i) => [
        [`cases.${i}.case_id`, `case_ids[${i + 1}]`],
        [`cases.${i}.project.project_id`, `CASE WHEN len(case_ids) > ${i} THEN project END`],
      ]).flat(),
    ),
  }
  return tableColumns(cases)
    .map((name) => `${columns[name] ?? name} AS "${name}"`)
    .join(', ')
}

function named(forms: FormsOf): Readonly<Record<Kind, readonly Form[]>> {
  const entries = Object.entries(forms).map(([kind, ways]) => {
    const asks = Object.entries(ways) as [string, Ask<Kind>][]
    const ask = (way: Ask<Kind>) => (question: Question, path: string) =>
      way(question as never, path)
    return [kind, asks.map(([name, way]) => ({ name, ask: ask(way) }))]
  })
  return Object.fromEntries(entries)
}
