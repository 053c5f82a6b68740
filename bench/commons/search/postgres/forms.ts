import { type Answer, bodyOf, plainRecord } from '../answers.ts'
import type { Form, Reply } from '../form.ts'
import {
  ALIQUOT_FIELDS,
  FILE_FIELDS,
  FILE_GROUPS,
  MANIFEST_HEADER,
  placesOf,
  SAMPLE_FIELDS,
  tableColumns,
} from '../layout.ts'
import {
  type Conditions,
  EXPORT_FIELDS,
  type Export,
  type Kind,
  type Of,
  PAGE_SIZE,
  type Question,
} from '../questions.ts'
import { isAmong, PLACES, quoted, type Test, whereOf } from '../sql/columns.ts'
import {
  type Dialect,
  facetsFrom,
  passAndGroupingSets,
  passAndGroups,
  scansAndGroups,
} from '../sql/facets.ts'
import { tableIn } from '../tables.ts'
import type { PostgresClient } from './client.ts'

type Ask<K extends Kind> = (question: Of<K>, path: string) => Promise<Reply>
type FormsOf = { readonly [K in Kind]: Readonly<Record<string, Ask<K>>> }

const reply = (answer: () => Answer | Promise<Answer>): Reply => ({ answer })
const parsed = (text: unknown) => plainRecord(JSON.parse(String(text)))

/** Name in the search document by the column of the view. */
const memberOf = (column: string) => column.replace(/_folded$/, '')

/** By the GIN index: the document contains one of the values. */
const contains: Test = (column, values) => {
  const parts = values.map(
    (value) => `search @> ${quoted(JSON.stringify({ [memberOf(column)]: value }))}`,
  )
  return parts.length === 1 ? parts.join() : `(${parts.join(' OR ')})`
}

const DIALECT: Dialect = {
  files: 'facts',
  apart: (column, counts) =>
    `SELECT value, n FROM (${counts}) AS sets, jsonb_array_elements_text(${column}::jsonb) AS value`,
}
const BY_GIN: Dialect = { ...DIALECT, test: contains }

const TEXT = `(FORMAT text, HEADER true, NULL '')`
/** A body is a file of one column, whose header and whose cells are written as they are. */
const ONE_COLUMN = `(FORMAT csv, HEADER true, DELIMITER E'\\x01', QUOTE E'\\x02', NULL '')`

/** Lines as they are, without a header. */
const LINES = `(FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')`

const OWN_FIELDS = `(document - ARRAY[${FILE_GROUPS.map(quoted)}])`

/** The tree down to the last level with its fields, without anything else that is in it. */
function treeOf(levels: readonly string[], fields: readonly string[]): string {
  return levels.reduceRight((inner, level, depth) => {
    const parent = depth === 0 ? 'document' : levels[depth - 1]
    const each =
      depth === levels.length - 1
        ? `jsonb_build_object(${fields.map((name) => `${quoted(name)}, ${level}->${quoted(name)}`)})`
        : `jsonb_build_object(${quoted(levels[depth + 1]!)}, ${inner})`
    return `(SELECT jsonb_agg(${each}) FROM jsonb_array_elements(${parent}->${quoted(level)}) AS ${level})`
  }, '')
}

const ALIQUOTS = treeOf(['cases', 'samples', 'portions', 'analytes', 'aliquots'], ALIQUOT_FIELDS)
const SAMPLES = treeOf(['cases', 'samples'], SAMPLE_FIELDS)

/** All ways in which PostgreSQL is asked, over one connection. */
export function postgresForms(client: PostgresClient): Readonly<Record<Kind, readonly Form[]>> {
  const total = async (sql: string) => {
    const rows = await client.rows(sql)
    return reply(() => ({ total: Number(rows[0]?.[0]) }))
  }
  const facets = async (sql: string) => {
    const rows = await client.rows(sql)
    return reply(() => facetsFrom(rows))
  }
  const copy = async (select: string, path: string, form: string) => {
    await client.run(`COPY (${select}) TO ${quoted(path)} ${form}`)
    return reply(async () => ({ body: await bodyOf(path) }))
  }
  const page = async ({ conditions, from }: Of<'page'>, test: Test) => {
    const where = whereOf(conditions, test)
    const rows = await client.rows(
      `SELECT file_id, file_name, file_size::float8, (SELECT count(*)::int4 FROM facts WHERE ${where})
       FROM facts WHERE ${where} ORDER BY file_size DESC, file_row LIMIT ${PAGE_SIZE} OFFSET ${from}`,
    )
    return reply(() => ({
      total: Number(rows[0]?.[3]),
      records: rows.map(([file_id, file_name, file_size]) =>
        plainRecord({
          file_id: String(file_id),
          file_name: String(file_name),
          file_size: Number(file_size),
        }),
      ),
    }))
  }
  const count = ({ conditions }: { readonly conditions: Conditions }, test: Test) =>
    total(`SELECT count(*)::int4 FROM facts WHERE ${whereOf(conditions, test)}`)
  const manifest = (select: string, { conditions }: Of<'manifest'>) =>
    `SELECT ${select} FROM facts WHERE ${whereOf(conditions)} ORDER BY file_row`
  const widths = new Map<Of<'table'>, number>()
  const exported = async (format: 'tsv' | 'ndjson', select: string, path: string) => {
    await client.run(`COPY (${select}) TO ${quoted(path)} ${format === 'tsv' ? TEXT : LINES}`)
    return reply(async () => ({ table: await tableIn(format, path) }))
  }
  const places = new Map<Export, string[]>()
  const placesIn = async (question: Export) => {
    let names = places.get(question)
    if (!names) {
      const [most = []] = await client.rows(
        `SELECT max(jsonb_array_length(document->'acl')), max(jsonb_array_length(document->'cases')),
           max((SELECT max(jsonb_array_length(one->'samples'))
                FROM jsonb_array_elements(document->'cases') AS one))
         FROM ${documentsOf(question)}`,
      )
      const [acl = 0, cases = 0, samples = 0] = most.map(Number)
      const all = placesOf({ acl, cases, samples })
      const [counts] = await client.rows(
        `SELECT ${all.map((name) => `count(${memberAt(name)})`)} FROM ${documentsOf(question)}`,
      )
      names = all.filter((_, i) => Number(counts?.[i]) > 0)
      places.set(question, names)
    }
    return names
  }

  const forms: FormsOf = {
    count: {
      'expression indexes': (question) => count(question, isAmong),
      GIN: (question) => count(question, contains),
    },
    'cases-by-file': {
      'GIN of cases': ({ dataType, strategy }) =>
        total(
          `SELECT count(*)::int4 FROM cases WHERE search @> ${quoted(
            JSON.stringify({ files: [{ data_type: dataType, experimental_strategy: strategy }] }),
          )}`,
        ),
      'edges joined with files': ({ dataType, strategy }) =>
        total(`SELECT count(DISTINCT case_row)::int4 FROM file_case WHERE file_row IN (
                 SELECT file_row FROM facts WHERE data_type = ${quoted(dataType)}
                 AND experimental_strategy = ${quoted(strategy)})`),
    },
    'files-by-sample': {
      GIN: ({ sampleTypes, tissueType }) =>
        total(
          `SELECT count(*)::int4 FROM files WHERE ${sampleTypes
            .map((type) => {
              const sample = {
                sample_type: type.toLowerCase(),
                tissue_type: tissueType.toLowerCase(),
              }
              return `search @> ${quoted(JSON.stringify({ samples: [sample] }))}`
            })
            .join(' OR ')}`,
        ),
    },
    facets: {
      'one pass, grouping sets': ({ conditions }) =>
        facets(passAndGroupingSets(DIALECT, conditions)),
      'one pass, ten groupings': ({ conditions }) => facets(passAndGroups(DIALECT, conditions)),
      'ten scans': ({ conditions }) => facets(scansAndGroups(DIALECT, conditions)),
      'one pass by GIN, ten groupings': ({ conditions }) =>
        facets(passAndGroups(BY_GIN, conditions)),
    },
    page: {
      'index in order': (question) => page(question, isAmong),
      'index in order, GIN': (question) => page(question, contains),
    },
    record: {
      'primary key': async ({ id }) => {
        const rows = await client.rows(
          `SELECT ${OWN_FIELDS}::text FROM documents WHERE file_id = $1`,
          [id],
        )
        return reply(() => ({ records: [parsed(rows[0]?.[0])] }))
      },
    },
    records: {
      'primary key': async ({ ids }) => {
        const rows = await client.rows(
          `SELECT ${OWN_FIELDS}::text FROM documents WHERE file_id = ANY($1) ORDER BY file_id`,
          [ids],
        )
        return reply(() => ({ records: rows.map(([text]) => parsed(text)) }))
      },
    },
    aliquots: {
      documents: async ({ conditions, size }) => {
        const where = whereOf(conditions)
        const rows = await client.rows(
          `SELECT (${OWN_FIELDS} || jsonb_build_object('cases', ${ALIQUOTS}))::text
           FROM (SELECT file_row FROM facts WHERE ${where} ORDER BY file_row LIMIT ${size}) AS found
           JOIN documents USING (file_row) ORDER BY file_row`,
        )
        const matching = await client.rows(`SELECT count(*)::int4 FROM facts WHERE ${where}`)
        return reply(() => ({
          total: Number(matching[0]?.[0]),
          records: rows.map(([text]) => parsed(text)),
        }))
      },
    },
    table: {
      documents: async (question, path) => {
        const { conditions, size } = question
        const found = `SELECT * FROM facts WHERE ${whereOf(conditions)}
          ORDER BY file_row LIMIT ${size}`
        let width = widths.get(question)
        if (width === undefined) {
          const [most] = await client.rows(
            `SELECT max(jsonb_array_length(search->'case_ids')) FROM (${found}) AS found`,
          )
          width = Number(most?.[0])
          widths.set(question, width)
        }
        const select = `SELECT ${tableSelection(width)} FROM (${found}) AS found
          JOIN documents USING (file_row) ORDER BY file_row`
        return copy(select, path, TEXT)
      },
    },
    manifest: {
      'lines copied': (question, path) =>
        copy(manifest(`line AS "${MANIFEST_HEADER}"`, question), path, ONE_COLUMN),
    },
    'export-tsv': {
      documents: async (question, path) => {
        if (question.content !== 'samples') return exported('tsv', plainExport(question), path)
        const columns = (await placesIn(question)).map((name) => `${memberAt(name)} AS "${name}"`)
        const select = `SELECT file_id AS id, ${columns} FROM ${documentsOf(question)}`
        return exported('tsv', `${select} ORDER BY file_row`, path)
      },
      'documents as records': async (question, path) => {
        if (question.content !== 'samples') return exported('tsv', plainExport(question), path)
        const columns = (await placesIn(question)).map((name) => `${partAt(name)} AS "${name}"`)
        const select = `SELECT documents.file_id AS id, ${columns} FROM ${documentsOf(question)},
          jsonb_to_record(document) AS record(${RECORD_FIELDS})`
        return exported('tsv', `${select} ORDER BY file_row`, path)
      },
    },
    'export-ndjson': {
      documents: (question, path) => {
        const select =
          question.content === 'samples'
            ? `SELECT jsonb_build_object('id', file_id) || ${OWN_FIELDS} ||
                 jsonb_build_object('cases', ${SAMPLES})
               FROM ${documentsOf(question)} ORDER BY file_row`
            : `SELECT row_to_json(found) FROM (${plainExport(question)}) AS found`
        return exported('ndjson', select, path)
      },
    },
    // It writes neither Arrow nor Parquet.
    'export-arrow': {},
    'export-parquet': {},
  }
  return named(forms)
}

const documentsOf = ({ conditions }: Export) =>
  `(SELECT file_row FROM facts WHERE ${whereOf(conditions)}) AS found
   JOIN documents USING (file_row)`

/** From what is stored as columns. */
function plainExport({ conditions, content }: Export): string {
  const fields = content === 'samples' ? [] : EXPORT_FIELDS[content]
  const where = whereOf(conditions)
  return `SELECT ${['file_id AS id', ...fields]} FROM facts WHERE ${where} ORDER BY file_row`
}

/** A value in the document, by the name of its place. */
function memberAt(name: string): string {
  const steps = name.split('.').map((step) => (/^\d+$/.test(step) ? step : quoted(step)))
  const last = steps.pop()
  return `document${steps.map((step) => `->${step}`).join('')}->>${last}`
}

/** The same where the members of the document are columns. */
function partAt(name: string): string {
  const [first, ...steps] = name
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? step : quoted(step)))
  const last = steps.pop()
  const column = `record.${first?.slice(1, -1)}`
  return last === undefined
    ? column
    : `${column}${steps.map((step) => `->${step}`).join('')}->>${last}`
}

const RECORD_FIELDS = [
  ...Object.keys(FILE_FIELDS).map((name) => `${name} ${name === 'acl' ? 'jsonb' : 'text'}`),
  'cases jsonb',
]

function tableSelection(cases: number): string {
  const known = Object.values(PLACES).map(({ column }) => column)
  const columns: Readonly<Record<string, string>> = {
    id: 'found.file_id',
    file_id: 'found.file_id',
    file_name: 'file_name',
    file_size: 'file_size',
    'analysis.workflow_type': 'workflow_type',
    ...Object.fromEntries(
      Array.from({ length: cases }, (_, i) => [
        [`cases.${i}.case_id`, `search->'case_ids'->>${i}`],
        [
          `cases.${i}.project.project_id`,
          `CASE WHEN jsonb_array_length(search->'case_ids') > ${i} THEN project END`,
        ],
      ]).flat(),
    ),
  }
  return tableColumns(cases)
    .map((name) => {
      const expression = columns[name] ?? (known.includes(name) ? name : `document->>'${name}'`)
      return `${expression} AS "${name}"`
    })
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
