import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Selected } from './pins.ts'
import {
  type Conditions,
  FACETS,
  type Facet,
  type InputName,
  PAGE_SIZE,
  QUESTION_SETS,
  type Question,
  type QuestionSet,
  questionsOf,
} from './questions.ts'

// What the questions select, by reading all documents one after the other, with nothing of the
// engine's and nothing of a database's. This is where the numbers of pins.ts come from:
//   node bench/commons/search/scan.ts DOCUMENTS INPUT     (INPUT: full, quick, test)

interface CaseRecord {
  readonly case_id: string
  readonly primary_site?: string | null
  readonly project: { readonly project_id: string }
}

interface FileRecord {
  readonly [field: string]: unknown
  readonly file_id: string
  readonly file_size: number
  readonly analysis?: { readonly workflow_type?: string | null }
  readonly cases: readonly {
    readonly case_id: string
    readonly samples?: readonly {
      readonly sample_type?: string | null
      readonly tissue_type?: string | null
    }[]
  }[]
}

async function* recordsOf<T>(documents: string, name: string): AsyncGenerator<T> {
  const input = createReadStream(join(documents, `${name}.ndjson`))
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    yield JSON.parse(line) as T
  }
}

/** Fields that are compared as they are written; all others in lower case (data-commons.md 1.4). */
const EXACT: ReadonlySet<string> = new Set([
  'data_type',
  'experimental_strategy',
  'analysis.workflow_type',
  'cases.project.project_id',
])
const folded = (field: string, value: string) => (EXACT.has(field) ? value : value.toLowerCase())

/** Values of a facet, one for each element that could have it; null where one has not. */
function valuesOf(file: FileRecord, cases: ReadonlyMap<string, CaseRecord>, facet: Facet) {
  const own = file.cases.map(({ case_id }) => cases.get(case_id))
  switch (facet) {
    case 'analysis.workflow_type':
      return [file.analysis?.workflow_type ?? null]
    case 'cases.project.project_id':
      return own.map((one) => one?.project.project_id ?? null)
    case 'cases.primary_site':
      return own.map((one) => one?.primary_site ?? null)
    case 'cases.samples.sample_type':
      return file.cases.flatMap(({ samples = [] }) =>
        samples.map(({ sample_type }) => sample_type ?? null),
      )
    default:
      return [(file[facet] ?? null) as string | null]
  }
}

type Facets = Readonly<Record<Facet, ReadonlySet<string | null>>>

function facetsOf(file: FileRecord, cases: ReadonlyMap<string, CaseRecord>): Facets {
  const entries = FACETS.map((facet) => {
    const values = valuesOf(file, cases, facet)
    return [facet, new Set(values.map((value) => (value === null ? null : folded(facet, value))))]
  })
  return Object.fromEntries(entries)
}

/** Whether the file meets all conditions, those on one facet left out. */
function meets(file: FileRecord, facets: Facets, { among, sizeAtLeast }: Conditions, but?: Facet) {
  if (sizeAtLeast !== undefined && !(file.file_size >= sizeAtLeast)) return false
  return Object.entries(among).every(([name, values]) => {
    if (name === but) return true
    return values.some((value) => facets[name as Facet].has(folded(name, value)))
  })
}

/** Something that looks at one file after the other and tells at the end what was selected. */
interface Counter {
  look(file: FileRecord, facets: Facets): void
  selected(): Selected
}

function counterOf(question: Question): Counter {
  let found = 0
  const told = (selected: () => Selected, look: Counter['look']) => ({ look, selected })
  switch (question.kind) {
    case 'count':
      return told(
        () => found,
        (file, facets) => {
          if (meets(file, facets, question.conditions)) found++
        },
      )
    case 'cases-by-file': {
      const cases = new Set<string>()
      return told(
        () => cases.size,
        (file) => {
          if (file.data_type !== question.dataType) return
          if (file.experimental_strategy !== question.strategy) return
          for (const { case_id } of file.cases) cases.add(case_id)
        },
      )
    }
    case 'files-by-sample': {
      const types = question.sampleTypes.map((type) => type.toLowerCase())
      return told(
        () => found,
        ({ cases }) => {
          const samples = cases.flatMap(({ samples = [] }) => samples)
          const isIt = samples.some(
            ({ sample_type, tissue_type }) =>
              types.includes(sample_type?.toLowerCase() ?? '') &&
              tissue_type?.toLowerCase() === question.tissueType.toLowerCase(),
          )
          if (isIt) found++
        },
      )
    }
    case 'facets': {
      let inBuckets = 0
      return told(
        () => [found, inBuckets],
        (file, facets) => {
          if (meets(file, facets, question.conditions)) found++
          for (const facet of FACETS) {
            if (meets(file, facets, question.conditions, facet)) inBuckets += facets[facet].size
          }
        },
      )
    }
    case 'page': {
      const sizes: number[] = []
      return told(
        () => {
          const page = sizes.sort((a, b) => b - a).slice(question.from, question.from + PAGE_SIZE)
          return [sizes.length, page.reduce((sum, size) => sum + size, 0)]
        },
        (file, facets) => {
          if (meets(file, facets, question.conditions)) sizes.push(file.file_size)
        },
      )
    }
    case 'aliquots': {
      let records = 0
      return told(
        () => [found, records],
        (file, facets) => {
          if (meets(file, facets, question.conditions) && ++found <= question.size) records++
        },
      )
    }
    case 'table':
      return told(
        () => Math.min(found, question.size) + 1,
        (file, facets) => {
          if (meets(file, facets, question.conditions)) found++
        },
      )
    case 'manifest':
      return told(
        () => found + 1,
        (file, facets) => {
          if (meets(file, facets, question.conditions)) found++
        },
      )
    case 'export-tsv':
    case 'export-ndjson':
    case 'export-arrow':
    case 'export-parquet': {
      const { conditions, content } = question
      let samples = 0
      let megabytes = 0
      return told(
        () => [found, content === 'samples' ? samples : 0, content === 'ids' ? 0 : megabytes],
        (file, facets) => {
          if (!meets(file, facets, conditions)) return
          found++
          for (const one of file.cases) samples += one.samples?.length ?? 0
          megabytes += Math.floor(file.file_size / 1e6)
        },
      )
    }
    case 'record':
    case 'records': {
      const ids = new Set(question.kind === 'record' ? [question.id] : question.ids)
      return told(
        () => found,
        ({ file_id }) => {
          if (ids.has(file_id)) found++
        },
      )
    }
  }
}

/** Ids of all files, ascending. */
export async function idsOf(documents: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { file_id } of recordsOf<FileRecord>(documents, 'files')) ids.push(file_id)
  return ids
}

/** What every question of an input selects. */
export async function scanDocuments(
  documents: string,
  input: InputName,
): Promise<Readonly<Record<QuestionSet, readonly Selected[]>>> {
  const ids = await idsOf(documents)
  const questions = questionsOf(input, ids.length, (row) => ids[row]!)
  // Single records are counted nowhere else; the many of them would be looked for in every file.
  const counters = QUESTION_SETS.map((workload) => {
    const asked = workload === 'record' ? questions[workload].slice(0, 1) : questions[workload]
    return [workload, asked.map(counterOf)] as const
  })
  const cases = new Map<string, CaseRecord>()
  for await (const { case_id, primary_site, project } of recordsOf<CaseRecord>(
    documents,
    'cases',
  )) {
    cases.set(case_id, { case_id, primary_site: primary_site ?? null, project })
  }
  const all = counters.flatMap(([, each]) => each)
  for await (const file of recordsOf<FileRecord>(documents, 'files')) {
    const facets = facetsOf(file, cases)
    for (const counter of all) counter.look(file, facets)
  }
  const selected = counters.map(([workload, each]) => {
    return [workload, each.map((counter) => counter.selected())]
  })
  return Object.fromEntries(selected)
}

if (import.meta.main) {
  const [documents = '', input = ''] = process.argv.slice(2)
  for (const [workload, selected] of Object.entries(
    await scanDocuments(documents, input as InputName),
  )) {
    console.log(`'${workload}': ${JSON.stringify(selected)},`)
  }
}
