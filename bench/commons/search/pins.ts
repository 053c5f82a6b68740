import type { Answer } from './answers.ts'
import type { InputName, Question, QuestionSet } from './questions.ts'

/**
 * What a question selects: records that match; for facets also the sum of all buckets' counts, for
 * a page also the sum of its files' bytes, for aliquots also the records of the page; for a body
 * its lines, the header among them; for an export records, samples, and the sum of the files' whole megabytes.
 */
export type Selected = number | readonly number[]

type Pins = Readonly<Record<QuestionSet, readonly Selected[]>>

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

/** The same of an answer. */
export function selectedBy({ kind }: Question, answer: Answer): Selected {
  const { total = 0, facets = {}, records = [], body, table } = answer
  switch (kind) {
    case 'facets':
      return [
        total,
        sum(Object.values(facets).flatMap((buckets) => buckets.map(([, count]) => count))),
      ]
    case 'page':
      return [total, sum(records.map((record) => (record as { file_size: number }).file_size))]
    case 'aliquots':
      return [total, records.length]
    case 'record':
    case 'records':
      return records.length
    case 'table':
    case 'manifest':
      return body?.lines ?? 0
    case 'export-tsv':
    case 'export-ndjson':
    case 'export-arrow':
    case 'export-parquet':
      return table ? [table.records, table.samples, table.megabytes] : 0
    default:
      return total
  }
}

const RECORDS = { record: [1], 'records-100': Array.from({ length: 20 }, () => 100) } as const

/** All formats and ways hold the same. */
const tables = (nested: readonly number[], plain: readonly number[]) => ({
  'tables-nested-tsv': [nested],
  'tables-nested-ndjson': [nested],
  'tables-nested-arrow': [nested],
  'tables-nested-parquet': [nested],
  'tables-http-tsv': [plain],
  'tables-http-ndjson': [[plain[0] ?? 0, 0, 0]],
  'tables-http-parquet': [plain],
})

// From a plain reading of the documents, with nothing of the engine's and nothing of a database's:
//   node bench/commons/search/scan.ts DOCUMENTS full      (DOCUMENTS: bench/data/search-full/documents-…)
//   node bench/commons/search/scan.ts DOCUMENTS quick
//   node bench/commons/search/scan.ts DOCUMENTS test
export const PINS: Readonly<Record<InputName, Pins>> = {
  full: {
    ...RECORDS,
    'count-selective': [245, 329, 213, 2739, 146],
    'count-broad': [562441, 331197, 241394, 425500],
    'count-range': [2034, 331, 178],
    'nested-files': [37804, 35923, 33584, 37105],
    'nested-samples': [38652, 113428, 850311],
    facets: [[1000000, 10002635]],
    'facets-selective': [
      [245, 46097],
      [1511, 212719],
      [1349, 221622],
    ],
    'facets-broad': [
      [562441, 5989557],
      [331197, 4022300],
      [304969, 3427746],
    ],
    'deep-page': [[1000000, 36827789]],
    'deep-page-filtered': [[562441, 7072357]],
    aliquots: [[21727, 10000]],
    tsv: [100001],
    manifest: [549600],
    ...tables([21727, 22638, 204024645], [1000000, 0, 9454877113]),
  },
  quick: {
    ...RECORDS,
    'count-selective': [12, 10, 4, 150, 5],
    'count-broad': [4747, 4504, 3131, 4005],
    'count-range': [96, 6, 10],
    'nested-files': [641, 405, 342, 542],
    'nested-samples': [455, 1401, 8419],
    facets: [[10000, 100281]],
    'facets-selective': [
      [12, 767],
      [40, 2411],
      [84, 3901],
    ],
    'facets-broad': [
      [4747, 52142],
      [4504, 51166],
      [2529, 28985],
    ],
    'deep-page': [[10000, 45718142]],
    'deep-page-filtered': [[4747, 2098077]],
    aliquots: [[903, 500]],
    tsv: [1001],
    manifest: [6247],
    ...tables([903, 977, 9594166], [10000, 0, 95330701]),
  },
  test: {
    ...RECORDS,
    'count-selective': [4, 4, 1, 7, 2],
    'count-broad': [198, 183, 110, 179],
    'count-range': [26, 2, 0],
    'nested-files': [30, 17, 10, 30],
    'nested-samples': [14, 46, 349],
    facets: [[400, 4013]],
    'facets-selective': [
      [4, 125],
      [13, 257],
      [20, 360],
    ],
    'facets-broad': [
      [198, 2166],
      [183, 2068],
      [116, 1305],
    ],
    'deep-page': [[400, 40899357]],
    'deep-page-filtered': [[198, 3907002]],
    aliquots: [[137, 40]],
    tsv: [41],
    manifest: [245],
    ...tables([137, 137, 1050788], [400, 0, 3304426]),
  },
}
