import type { DatasetName } from '../../../engine/commons/datasets/define.ts'
import type { SearchRequest } from '../../../engine/commons/search/search.ts'
import {
  type Conditions,
  EXPORT_FIELDS,
  type Export,
  type ExportFormat,
  FACETS,
  PAGE_SIZE,
  type Question,
  TABLE_FIELDS,
} from './questions.ts'

/** A question as the engine takes it. */
interface Asked {
  readonly dataset: DatasetName
  /** For a single record; the request's page means nothing then. */
  readonly id?: string
  readonly request: SearchRequest
}

const PLAIN = { from: 0, size: 0, format: 'json', pretty: false } as const

/** More records than any release here has. */
const ALL_RECORDS = 10_000_000

/**
 * @param before how often it has been asked. Of exports the request is then another one with the same
 *   answer: a Parquet file is kept for some minutes for whoever asks for it again.
 */
export function requestOf(question: Question, before = 0): Asked {
  switch (question.kind) {
    case 'count':
      return files({ filters: filterOf(question.conditions) })
    case 'cases-by-file': {
      const filters = and([
        is('files.data_type', [question.dataType]),
        is('files.experimental_strategy', [question.strategy]),
      ])
      return { dataset: 'cases', request: { ...PLAIN, filters } }
    }
    case 'files-by-sample': {
      const filters = and([
        is('cases.samples.sample_type', question.sampleTypes),
        is('cases.samples.tissue_type', [question.tissueType]),
      ])
      return files({ filters })
    }
    case 'facets':
      return files({ filters: filterOf(question.conditions), facets: FACETS })
    case 'page':
      return files({
        filters: filterOf(question.conditions),
        fields: ['file_id', 'file_name', 'file_size'],
        sort: ['file_size:desc'],
        from: question.from,
        size: PAGE_SIZE,
      })
    case 'record':
      return { dataset: 'files', id: question.id, request: PLAIN }
    case 'records':
      return files({ filters: is('file_id', question.ids), size: question.ids.length })
    case 'aliquots':
      return files({
        filters: filterOf(question.conditions),
        expand: ['cases.samples.portions.analytes.aliquots'],
        size: question.size,
      })
    case 'table':
      return files({
        filters: filterOf(question.conditions),
        fields: TABLE_FIELDS,
        format: 'tsv',
        size: question.size,
      })
    case 'manifest':
      return files({ filters: filterOf(question.conditions), returnType: 'manifest' })
    case 'export-tsv':
      return exported('tsv', question, before)
    case 'export-ndjson':
      return exported('ndjson', question, before)
    case 'export-arrow':
      return exported('arrow', question, before)
    case 'export-parquet':
      return exported('parquet', question, before)
  }
}

function exported(format: ExportFormat, { conditions, content }: Export, before: number): Asked {
  const shown =
    content === 'samples' ? { expand: ['cases.samples'] } : { fields: EXPORT_FIELDS[content] }
  const filters = filterOf(conditions)
  return files({ filters, ...shown, format, size: ALL_RECORDS + before })
}

function files(given: Partial<SearchRequest>): Asked {
  return { dataset: 'files', request: { ...PLAIN, ...given } }
}

const is = (field: string, value: readonly string[]) => ({ op: 'in', content: { field, value } })
const and = (content: readonly unknown[]) => ({ op: 'and', content })

function filterOf({ among, sizeAtLeast }: Conditions): unknown {
  const leaves: unknown[] = Object.entries(among).map(([field, values]) => is(field, values))
  if (sizeAtLeast !== undefined) {
    leaves.push({ op: '>=', content: { field: 'file_size', value: sizeAtLeast } })
  }
  return leaves.length > 0 ? and(leaves) : undefined
}

/** The same as a client of the interface sends it: path and query. */
export function urlOf(question: Question, before = 0): string {
  const { dataset, id, request } = requestOf(question, before)
  if (id !== undefined) return `/${dataset}/${id}`
  const { filters, fields, expand, facets, sort, size, from, format, returnType } = request
  const given = {
    filters: filters && JSON.stringify(filters),
    fields: fields?.join(),
    expand: expand?.join(),
    facets: facets?.join(),
    sort: sort?.join(),
    size: String(size),
    from: from > 0 ? String(from) : undefined,
    format: format === 'json' ? undefined : format,
    return_type: returnType,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string') query.set(name, value)
  }
  return `/${dataset}?${query}`
}
