import { createHash } from 'node:crypto'
import { DEMO_EXPRESSION, DEMO_FILES } from '../../fixtures/demo-commons.ts'
import { DEMO_CASE, DEMO_STAGING } from '../../fixtures/staging/algorithm.ts'
import { type Ask, question } from './ask.ts'

/** Questions of one kind about the demo. */
export interface Workload {
  readonly name: 'slices' | 'search' | 'tables' | 'staging'
  /** Questions of one turn. */
  readonly questions: number
  /** Asked in turn. */
  readonly asks: readonly Ask[]
}

const filters = (field: string, value: string) =>
  encodeURIComponent(JSON.stringify({ op: 'in', content: { field, value: [value] } }))

/** Each takes the service milliseconds and whoever asks little. */
const SEARCHES: readonly string[] = [
  '/cases?facets=primary_site,disease_type,demographic.gender,project.project_id&size=10',
  '/files?facets=data_type,data_category,experimental_strategy,access&size=10',
  `/files?filters=${filters('cases.primary_site', 'Brain')}&expand=cases,cases.samples&size=50`,
  `/cases?filters=${filters('files.data_type', 'Aligned Reads')}&expand=diagnoses,samples&size=50`,
  '/ssm_occurrences?facets=case.project.project_id&size=20&expand=ssm',
  '/files?sort=file_size:desc&from=3000&size=100&format=tsv',
]

const JSON_BODY = { 'Content-Type': 'application/json' }

/** A small slice of the demo. */
export function sliceOf(): Ask {
  const [{ id }] = DEMO_FILES
  return question(`/slicing/view/${id}?region=chr17:7661779-7687550`)
}

/**
 * All kinds of questions.
 * @param key of the registry
 */
export function workloadsOf(key: string): readonly Workload[] {
  const { algorithm, version } = DEMO_STAGING
  const { caseIds, geneIds } = DEMO_EXPRESSION
  const staged = {
    method: 'POST',
    headers: { ...JSON_BODY, 'X-SEERAPI-Key': key },
    body: JSON.stringify(DEMO_CASE),
  }
  const values = { case_ids: caseIds, gene_ids: geneIds, tsv_units: 'uqfpkm' }
  const expression = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(values) }
  return [
    { name: 'slices', questions: 1500, asks: [sliceOf()] },
    { name: 'search', questions: 1500, asks: SEARCHES.map((path) => question(path)) },
    {
      name: 'tables',
      questions: 1500,
      asks: [
        question('/gene_expression/values', expression),
        question('/cases?fields=submitter_id,primary_site,demographic.gender&size=500&format=tsv'),
      ],
    },
    {
      name: 'staging',
      questions: 3000,
      asks: [question(`/rest/staging/${algorithm}/${version}/stage`, staged)],
    },
  ]
}

/** Hash of the answers, by which services are compared. */
export async function digestOf({ asks }: Workload, address: string): Promise<string> {
  const hash = createHash('md5')
  for (const ask of asks) await ask(address, (chunk) => hash.update(chunk))
  return hash.digest('hex')
}
