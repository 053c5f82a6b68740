import { isDeepStrictEqual } from 'node:util'
import type { SearchGraphAnswer } from '../../engine/commons/index.ts'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contender, Contest } from '../bench.ts'
import { holdContest } from '../rounds.ts'
import { type Answer, differenceOf } from './search/answers.ts'
import { withDuck } from './search/duckdb/peer.ts'
import { type Form, NOWHERE } from './search/form.ts'
import { HttpConnection } from './search/http-connection.ts'
import { type Input, prepareInput } from './search/input.ts'
import { openOurs } from './search/ours.ts'
import { type Conditions, FACETS, type Question } from './search/questions.ts'
import { requestOf } from './search/request.ts'
import { processorTime, startService } from './search/service.ts'
import type { Peer } from './search/stage.ts'
import { THREADS } from './search/threads.ts'

/** The search by GraphQL, beside the same questions by REST, and beside DuckDB. */
export const graphql: Bench = { workloads: ['start', 'facets'], run: runGraphql }

async function runGraphql(options: BenchOptions): Promise<BenchOutcome> {
  const { quick, chosen, note } = options
  const rounds = (usual: number) => options.rounds ?? (quick ? Math.ceil(usual / 4) : usual)
  const pool = new ThreadPool({ threads: THREADS })
  try {
    const input = await prepareInput(quick ? 'quick' : 'full', pool, note)
    const contests = []
    if (chosen('start')) contests.push(await holdStart(input, rounds(9), note))
    if (chosen('facets')) {
      contests.push(await withDuck(input, (duck) => holdFacets(input, duck, pool, rounds(9), note)))
    }
    return {
      input: { release: input.name, threads: THREADS, documents: START.length },
      contests,
      findings: [],
    }
  } finally {
    await pool.close()
  }
}

/** What a document asks of the records of one place: how many, and counts of fields, under the cohort. */
interface Ask {
  readonly place: string
  /** `buckets`, or `stats` of numbers. */
  readonly parts: 'buckets' | 'stats'
  readonly fields: readonly string[]
}

const ask = (place: string, fields = '', parts: Ask['parts'] = 'buckets'): Ask => ({
  place,
  parts,
  fields: fields === '' ? [] : fields.split(' '),
})
const cases = (fields: string, parts?: Ask['parts']) => [ask('explore.cases', fields, parts)]

/** The documents of the portal's first page: counts, tabs of facets, and a document for each range (portal.md 5). */
const START: readonly (readonly Ask[])[] = [
  ['repository.files', 'explore.cases', 'explore.genes', 'explore.ssms'].map((place) => ask(place)),
  [ask('projects', 'primary_site'), ask('annotations')],
  ...['repository.cases', 'explore.cases', 'repository.files', 'explore.genes', 'explore.ssms'].map(
    (place) => [ask(place)],
  ),
  cases('primary_site disease_type project.project_id project.program.name'),
  cases('demographic.gender demographic.race demographic.ethnicity demographic.vital_status'),
  cases(
    'diagnoses.primary_diagnosis diagnoses.morphology diagnoses.tissue_or_organ_of_origin diagnoses.site_of_resection_or_biopsy diagnoses.tumor_grade',
  ),
  cases(
    'diagnoses.ajcc_pathologic_stage diagnoses.ajcc_pathologic_t diagnoses.ajcc_pathologic_n diagnoses.ajcc_pathologic_m diagnoses.ajcc_clinical_stage',
  ),
  cases(
    'diagnoses.treatments.treatment_type diagnoses.treatments.therapeutic_agents diagnoses.treatments.treatment_or_therapy',
  ),
  cases('exposures.alcohol_history exposures.tobacco_smoking_status'),
  cases('samples.sample_type samples.tissue_type samples.composition samples.preservation_method'),
  cases(
    'files.data_category files.data_type files.data_format files.experimental_strategy files.access',
  ),
  cases('available_variation_data'),
  ...[
    'diagnoses.age_at_diagnosis diagnoses.days_to_last_follow_up diagnoses.year_of_diagnosis',
    'demographic.days_to_birth demographic.days_to_death demographic.year_of_birth demographic.year_of_death',
    'exposures.cigarettes_per_day exposures.pack_years_smoked exposures.years_smoked exposures.bmi',
  ].flatMap((fields) => fields.split(' ').map((field) => cases(field, 'stats'))),
  [
    ask(
      'repository.files',
      'data_type data_category data_format experimental_strategy access platform analysis.workflow_type',
    ),
  ],
  [
    ask(
      'repository.files',
      'cases.primary_site cases.project.project_id cases.samples.sample_type',
    ),
  ],
  [ask('repository.files', 'file_size', 'stats')],
  [ask('repository.cases', 'primary_site diagnoses.tissue_or_organ_of_origin')],
  [ask('explore.genes', 'biotype')],
  [ask('explore.genes', 'gene_chromosome')],
  [ask('explore.ssms', 'mutation_subtype')],
  [ask('explore.ssms', 'consequence.transcript.consequence_type')],
  [ask('explore.ssms', 'occurrence.case.project.project_id')],
  [ask('projects', 'project_id program.name disease_type')],
]

const memberOf = (field: string) => field.replaceAll('.', '__')
const CONTENT = { buckets: 'buckets { doc_count key }', stats: 'stats { count min max avg sum }' }

function documentOf(asks: readonly Ask[]): string {
  const lists = asks.map(({ place, parts, fields }) => {
    const members = fields.map((field) => `${memberOf(field)} { ${CONTENT[parts]} }`)
    const counts =
      members.length > 0
        ? `aggregations(case_filters: $c, aggregations_filter_themselves: false) { ${members.join(' ')} }`
        : ''
    const list = `{ hits(case_filters: $c, first: 0) { total } ${counts} }`
    const names = place.split('.')
    return `${aliasOf(place)}: ${names.join(' { ')} ${list} ${' }'.repeat(names.length - 1)}`
  })
  return `query ($c: FiltersArgument) { ${lists.join(' ')} }`
}

const aliasOf = (place: string) => place.replaceAll('.', '_')

/** Another cohort each time, of nearly all cases: nobody has its answers ready. */
const cohortOf = (number: number) => ({
  op: '>=',
  content: { field: 'cases.diagnoses.age_at_diagnosis', value: 1000 + number },
})

interface Post {
  readonly path: string
  readonly body: unknown
}

const byGraph = (asks: readonly Ask[], number: number): readonly Post[] => [
  { path: '/graphql', body: { query: documentOf(asks), variables: { c: cohortOf(number) } } },
]
const byRest = (asks: readonly Ask[], number: number): readonly Post[] =>
  asks.map(({ place, fields }) => ({
    path: `/${place.replace(/^.*\./, '')}`,
    body: { case_filters: cohortOf(number), size: 0, facets: fields.join() },
  }))

/** Processor time of the service for all documents, and for the requests of REST that ask the same. */
async function holdStart(input: Input, rounds: number, note: (text: string) => void) {
  const service = await startService(input.home)
  const connection = await HttpConnection.open(service.address)
  try {
    await compareStart(service.address)
    const { host } = new URL(service.address)
    let number = 1
    const turn = (name: string, posts: typeof byGraph): Contender => ({
      turn: async () => {
        const before = processorTime(service.pid)
        for (let again = 0; again < AGAIN; again++) {
          number++
          for (const post of START.flatMap((asks) => posts(asks, number))) {
            await connection.ask(bytesOf(post, host))
          }
        }
        return { [name]: (processorTime(service.pid) - before) / 1000 / AGAIN }
      },
    })
    // What is compiled and loaded by the first questions is none of theirs.
    for (const posts of [byGraph, byRest]) await turn('', posts).turn()
    return await holdContest(
      {
        workload: 'start',
        unit: 'ms',
        rounds,
        contenders: [turn('GraphQL', byGraph), turn('REST', byRest)],
        comparisons: [
          { ours: 'GraphQL', peer: 'REST', as: 'times as long', target: { atMost: 1.5 } },
        ],
      },
      note,
    )
  } finally {
    connection.close()
    await service.stop()
  }
}

/** Processor time is told in steps of 10 ms. */
const AGAIN = 5

function bytesOf({ path, body }: Post, host: string): Buffer {
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`
  return Buffer.from(head + text)
}

/** @throws Error where the two ways differ */
async function compareStart(address: string): Promise<void> {
  const asked = async ({ path, body }: Post) => {
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(address + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(await response.text())
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }
  for (const asks of START) {
    const [document] = byGraph(asks, 0)
    const data = document && (await asked(document))
    for (const [i, post] of byRest(asks, 0).entries()) {
      const { place, fields } = asks[i]!
      const within = data?.[aliasOf(place)] as Record<string, unknown>
      const [, dataset] = place.split('.')
      const { hits, aggregations = {} } = (dataset ? within[dataset] : within) as {
        hits: { total: number }
        aggregations?: Record<string, unknown>
      }
      const rest = (await asked(post)) as {
        pagination: { total: number }
        aggregations?: Record<string, unknown>
      }
      const ours = [hits.total, ...fields.map((field) => aggregations[memberOf(field)])]
      const theirs = [
        rest.pagination.total,
        ...fields.map((field) => asInGraph(rest.aggregations?.[field])),
      ]
      if (!isDeepStrictEqual(ours, theirs)) {
        throw new Error(`GraphQL and REST differ on ${place} ${fields.join()}`)
      }
    }
  }
}

/** Returns a part of REST's counts as GraphQL has it: there, no values have no sum, in place of a sum of 0. */
function asInGraph(part: unknown): unknown {
  const { stats } = (part ?? {}) as { readonly stats?: { readonly count: number } }
  return stats?.count === 0 ? { stats: { ...stats, sum: null } } : part
}

/** Ten facets under each of two filters, in one document. */
const FILTERS: readonly Conditions[] = [
  { among: { experimental_strategy: ['WXS', 'RNA-Seq'] } },
  { among: { data_format: ['VCF', 'TSV', 'TXT'], access: ['open'] } },
]

async function holdFacets(
  input: Input,
  duck: Peer,
  pool: ThreadPool,
  rounds: number,
  note: (text: string) => void,
) {
  const engine = await openOurs(input.home, pool)
  try {
    const members = FACETS.map((field) => `${memberOf(field)} { buckets { doc_count key } }`).join(
      ' ',
    )
    const lists = FILTERS.map(
      (_, i) =>
        `l${i}: files { hits(filters: $f${i}, first: 0) { total } aggregations(filters: $f${i}, aggregations_filter_themselves: false) { ${members} } }`,
    )
    const query = `query (${FILTERS.map((_, i) => `$f${i}: FiltersArgument`).join(' ')}) { repository { ${lists.join(' ')} } }`
    const questions = FILTERS.map((conditions) => ({ kind: 'facets', conditions }) as const)
    const variables = Object.fromEntries(
      questions.map((question, i) => [`f${i}`, requestOf(question).request.filters]),
    )
    const asked = () => engine.commons.searchGraph.query({ query, variables, client: 'bench' })
    const forms = duck.forms('facets')
    await compareFacets(await asked(), forms, questions)
    const timed = (name: string, work: () => Promise<unknown>): Contender => ({
      turn: async () => {
        const began = performance.now()
        await work()
        return { [name]: performance.now() - began }
      },
    })
    const names = forms.map(({ name }) => `DuckDB, ${name}`)
    const peers = forms.map((form, i) =>
      timed(names[i]!, async () => {
        for (const question of questions) await form.ask(question, NOWHERE)
      }),
    )
    const contest: Contest = {
      workload: 'facets',
      unit: 'ms',
      rounds,
      contenders: [timed('GraphQL', asked), ...peers],
      comparisons: names.map((peer) => ({
        ours: 'GraphQL',
        peer,
        as: 'times as fast' as const,
        target: { atLeast: 10 },
      })),
    }
    return await holdContest(contest, note)
  } finally {
    await engine.close()
  }
}

interface Listed {
  readonly hits: { readonly total: number }
  readonly aggregations: Readonly<
    Record<string, { readonly buckets: readonly { key: string; doc_count: number }[] }>
  >
}

/** @throws Error where a form of the peer answers otherwise */
async function compareFacets(
  { json }: SearchGraphAnswer,
  forms: readonly Form[],
  questions: readonly Question[],
): Promise<void> {
  const { data } = JSON.parse(Buffer.concat(json).toString()) as {
    data: { repository: Readonly<Record<string, Listed>> }
  }
  for (const [i, question] of questions.entries()) {
    const { hits, aggregations } = data.repository[`l${i}`]!
    const facets = FACETS.map((field) => {
      const { buckets } = aggregations[memberOf(field)]!
      return [field, buckets.map(({ key, doc_count: count }) => [key, count] as const)] as const
    })
    const ours: Answer = { total: hits.total, facets: Object.fromEntries(facets) }
    for (const form of forms) {
      const difference = differenceOf(ours, await (await form.ask(question, NOWHERE)).answer())
      if (difference !== undefined) throw new Error(`GraphQL and DuckDB differ: ${difference}`)
    }
  }
}
