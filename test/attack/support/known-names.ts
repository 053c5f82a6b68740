import { DEMO_CELLS, DEMO_FILES } from '../../../fixtures/demo-commons.ts'
import { GENES } from '../../../fixtures/genes.ts'
import { caseOf, type KnownNames } from './costly-inputs.ts'
import type { DescribedOperation } from './described-operations.ts'
import { makeRecords } from './made-records.ts'

const PROJECT = '/submission/DEMO/TRIAL'
const ENTITIES = 2000

interface KnownNamesOptions {
  readonly address: string
  /** Headers of a user who may submit. */
  readonly headers: Readonly<Record<string, string>>
  readonly operations: readonly DescribedOperation[]
  /** The number of file ids to list, and of records per search page. */
  readonly files: number
  readonly size: number
}

/** Collects names that exist in the demo. Submits some cases to its project. */
export async function knownNamesOf(options: KnownNamesOptions): Promise<KnownNames> {
  const { address, headers, operations, size } = options
  const get = async (path: string) => (await fetch(`${address}${path}`, { headers })).json()
  const hitsOf = async (dataset: string, query: string) => {
    const { data } = (await get(`/${dataset}?${query}`)) as {
      data: { hits: Record<string, string>[] }
    }
    return data.hits
  }
  const valuesOf = async (dataset: string, field: string) =>
    (await hitsOf(dataset, `size=10000&fields=${field}`)).map((hit) => hit[field] ?? '')
  const datasets = operations
    .filter(({ path }) => path.endsWith('/_mapping') && path !== '/gql/_mapping')
    .map(({ path }) => path.split('/')[1] ?? '')
  const mappings = await Promise.all(
    datasets.map(async (name) => {
      const mapping = (await get(`/${name}/_mapping`)) as Record<'fields' | 'expand', string[]>
      return [name, mapping] as const
    }),
  )
  const ids = await Promise.all(
    operations.flatMap(({ path }) => {
      const [, name = '', parameter = ''] = /^\/([a-z_]+)\/\{([a-z_]+_id)\}$/.exec(path) ?? []
      if (!datasets.includes(name)) return []
      return hitsOf(name, 'size=1').then(([hit]) => [parameter, hit?.id ?? ''] as const)
    }),
  )
  const files = (await valuesOf('files', 'file_id')).slice(0, options.files)
  const genes = await valuesOf('genes', 'gene_id')
  const cases = await valuesOf('cases', 'case_id')
  const sets = async (type: string, count: number) => {
    const one = () => post(address, '/sets', { type }, {})
    const made = await Promise.all(Array.from({ length: count }, one))
    return made.map(({ body }) => (body as { data: { set_id: string } }).data.set_id)
  }
  const mutationSets = await sets('ssm', 6)
  const { cohort, cookie } = await saveCohorts(address)
  return {
    mutationSets,
    caseSets: await sets('case', 94),
    cookie,
    files,
    genes,
    cases,
    symbols: GENES.map(({ symbol }) => symbol),
    entities: await submitCases(address, headers),
    history: await makeRecords(address, headers),
    reads: DEMO_FILES[0].id,
    cells: DEMO_CELLS.id,
    size,
    fields: new Map(mappings.map(([name, { fields }]) => [name, fields])),
    expandable: new Map(mappings.map(([name, { expand }]) => [name, expand])),
    path: {
      ...Object.fromEntries(ids),
      file_ids: files[0] ?? '',
      object_id: files[0] ?? '',
      access_id: 'https',
      set_id: mutationSets[0] ?? '',
      cohort_id: cohort,
      program: 'DEMO',
      project: 'TRIAL',
      algorithm: 'demo',
      version: 'latest',
      type: 'case',
      entry: '_all',
      code: 'C509',
      checksum: 'a'.repeat(32),
    },
  }
}

/** Saves as many cohorts as a browser may store. */
async function saveCohorts(address: string): Promise<{ cohort: string; cookie: string }> {
  const value = ['x'.repeat(4_180_000)]
  const filters = { op: 'in', content: { field: 'cases.case_id', value } }
  const first = await post(address, '/cohorts', { name: 'first', filters }, {})
  const cookie = first.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const { body } = await post(address, '/cohorts', { name: 'second', filters }, { cookie })
  return { cohort: (body as { id: string }).id, cookie }
}

async function post(
  address: string,
  path: string,
  body: object,
  more: Readonly<Record<string, string>>,
): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const headers = { ...more, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${address}${path}`, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} is not taken: ${text.slice(0, 500)}`)
  return { body: JSON.parse(text), headers: answer.headers }
}

async function submitCases(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const body = JSON.stringify(Array.from({ length: ENTITIES }, (_, i) => caseOf(i)))
  const json = { ...headers, 'content-type': 'application/json' }
  const answer = await fetch(`${address}${PROJECT}`, { method: 'PUT', headers: json, body })
  if (!answer.ok) throw new Error(`cases are not taken: ${(await answer.text()).slice(0, 500)}`)
  const { entities } = (await answer.json()) as { entities: { id: string }[] }
  return entities.map(({ id }) => id)
}
