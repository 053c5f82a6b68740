import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { DEMO_CONVERSION } from '../../../fixtures/naaccr/items.ts'
import { type MadeHistory, recordsOf } from './costly-records.ts'
import type { DescribedOperation } from './described-operations.ts'

// The most expensive inputs that docs/reference/limits.md permits, by the form of an operation's input. Each is
// just below its limits, so that it is processed and not rejected.

/** A request of the largest permitted size. */
export interface CostlyInput {
  /** The operation and the input, such as `GET /files: most values of a filter`. */
  readonly what: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** Names that exist on the server under test. */
export interface KnownNames {
  readonly files: readonly string[]
  readonly cases: readonly string[]
  readonly genes: readonly string[]
  /** Symbols of genes in the gene model of slices. */
  readonly symbols: readonly string[]
  /** Ids of entities of the project. */
  readonly entities: readonly string[]
  /** History entries of the schema and the table that editors created. */
  readonly history: MadeHistory
  /** Ids of stored sets: one of all mutations, and one of all cases. */
  readonly mutationSets: readonly string[]
  readonly caseSets: readonly string[]
  /** The cookie of a browser whose cohorts use all the bytes permitted; `cohort_id` in `path` is one of them. */
  readonly cookie: string
  /** The id of a stored BAM file; the next one is of single cells. */
  readonly reads: string
  readonly cells: string
  /** Values of the path parameters not listed above; `NAMES` takes precedence. */
  readonly path: Readonly<Record<string, string>>
  /** Names of fields and of expandable groups, by dataset. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly expandable: ReadonlyMap<string, readonly string[]>
  /** The number of records per search page. */
  readonly size: number
}

export type MakeInputs = (
  operation: DescribedOperation,
  known: KnownNames,
) => readonly CostlyInput[]

const MIB = 1 << 20
/** The length of a query, below the 64 KiB that the head of a request may have. */
const QUERY_CHARACTERS = 56 << 10

const several = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const uuid = (i: number) => `${String(i).padStart(8, '0')}-000a-4000-8000-00000000cafe`
/** Lists names that exist, followed by names that do not until `count` is reached. */
const filled = (some: readonly string[], count: number) => several(count, (i) => some[i] ?? uuid(i))
const leaf = (field: string, value: unknown, op = 'in') => ({ op, content: { field, value } })
const nested = (levels: number, open: string, inside: string, close: string) =>
  open.repeat(levels) + inside + close.repeat(levels)

/** Names that differ by path, with their values in the demo. */
const NAMES: readonly (readonly [RegExp, string, string])[] = [
  [/^\/recode\/sitegroup/, 'algorithm', 'seer'],
  [/\/table\/\{id\}/, 'id', 'age'],
  [/^\/staging\/.*\{id\}/, 'id', 'bowel'],
  [/^\/(disease|glossary|rx)\/\{version\}\/(create|update|publish)$/, 'version', 'development'],
  [/^\/staging\//, 'version', '1.0'],
  [/^\/ndc\//, 'code', '9991-0201'],
  [/^\/hcpcs\//, 'code', 'Z0001'],
]

/** @param names take precedence over the known ones */
function targetOf(
  { path }: DescribedOperation,
  known: KnownNames,
  names: Readonly<Record<string, string>> = {},
): string {
  return path.replace(/\{(.+?)\}/g, (_, name: string) => {
    const isOfReads = /^\/(alignments|slicing|reads)\//.test(path)
    const registered = path.replace(/^\/rest/, '')
    const named = NAMES.find(([form, of]) => of === name && form.test(registered))?.[2]
    return encodeURIComponent(
      names[name] ?? named ?? (isOfReads ? known.reads : known.path[name]) ?? 'made',
    )
  })
}

/** @param bodies keyed by a description; each is sent as JSON unless it is a string or bytes */
function posted(
  operation: DescribedOperation,
  known: KnownNames,
  bodies: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): readonly CostlyInput[] {
  const { method, path, bodyTypes } = operation
  const type = bodyTypes[0] ?? 'application/json'
  return Object.entries(bodies).map(([what, body]) => ({
    what: `${method} ${path}: ${what}`,
    method,
    target: targetOf(operation, known),
    headers: { 'content-type': type, ...headers },
    body: Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  }))
}

function asked(
  operation: DescribedOperation,
  known: KnownNames,
  queries: Readonly<Record<string, Readonly<Record<string, string>>>>,
): readonly CostlyInput[] {
  const { method, path } = operation
  return Object.entries(queries).map(([what, query]) => {
    const text = new URLSearchParams(query).toString()
    const target = `${targetOf(operation, known)}${text === '' ? '' : `?${text}`}`
    return { what: `${method} ${path}: ${what}`, method, target, headers: {} }
  })
}

/** Returns the most expensive value of a parameter by its name; undefined means a long string. */
function mostOf(name: string, known: KnownNames): string | undefined {
  const { size, genes, cases } = known
  if (/^(size|count|per_page)$/.test(name)) return String(size)
  if (/^(q|query)$/.test(name)) return 'a'
  return {
    from: '0',
    output_type: 'FULL',
    pretty: 'true',
    glossary: 'true',
    region: 'chr1:1-1000000',
    bins: '1000',
    gene_size: '200',
    case_size: '2000',
    gene_id: genes[0],
    gene_ids: genes.slice(0, 200).join(),
    case_id: cases[0],
  }[name]
}

/** Inputs of operations with path and query parameters only: every parameter, as long as permitted. */
export const plainInputs: MakeInputs = (operation, known) => {
  const names = operation.parameters.filter((one) => one.in === 'query').map((one) => one.name)
  const most = names.flatMap((name) => {
    const value = mostOf(name, known)
    return value === undefined ? [] : [[name, value] as const]
  })
  const all = Object.fromEntries(most)
  const long = ['q', 'query', 'filters'].find((name) => names.includes(name))
  const words = 'a*b '.repeat(250)
  const text =
    long === 'filters' ? JSON.stringify(leaf('cases.case_id', several(1000, uuid))) : words
  return asked(operation, known, {
    'as it is': {},
    ...(most.length > 0 && { 'the most that it gives': all }),
    ...(long !== undefined && { 'the longest text': { ...all, [long]: text } }),
  })
}

const datasetOf = (path: string) => path.split('/')[1] ?? ''

/** Filters as deep, wide and long as permitted. */
function costlyFilters(field: string): Readonly<Record<string, unknown>> {
  let deep: unknown = leaf(field, several(100, uuid))
  for (let i = 0; i < 30; i++)
    deep = { op: i % 2 ? 'and' : 'or', content: [deep, leaf(field, 'x')] }
  return {
    'most values of a filter': leaf(field, several(65_536, uuid)),
    'deepest filter': deep,
    'most conditions': {
      op: 'and',
      content: several(9000, (i) => leaf(field, `x${i}`, 'exclude')),
    },
    'longest patterns': leaf(
      field,
      several(5, (i) => `${i}${'*a'.repeat(490)}`),
    ),
  }
}

/** Joins names until the list has its full length. */
function upTo(characters: number, names: readonly string[]): string {
  const taken: string[] = []
  let length = 0
  for (const name of names) {
    length += name.length + 1
    if (length > characters || taken.length === 10_000) break
    taken.push(name)
  }
  return taken.join()
}

export const searchInputs: MakeInputs = (operation, known) => {
  const dataset = datasetOf(operation.path)
  const fields = known.fields.get(dataset) ?? []
  const field = fields.find((name) => /^[a-z_]+_id$/.test(name)) ?? 'case_id'
  const { size } = known
  const all = upTo(250_000, fields)
  const expand = upTo(250_000, known.expandable.get(dataset) ?? [])
  const filters = Object.entries(costlyFilters(field)).map(([what, filter]) => [
    what,
    { filters: filter, fields: field, size: 10 },
  ])
  const bodies = {
    ...Object.fromEntries(filters),
    'all fields of many': { fields: all, size },
    'all that is joined, indented': { expand, size: Math.ceil(size / 4), pretty: true },
    'all fields as a table': { fields: all, size, format: 'tsv' },
    'all facets': { facets: upTo(250_000, fields.slice(0, 300)), size: 0 },
    'all fields as Parquet': {
      fields: upTo(50_000, fields.slice(0, 20)),
      size,
      format: 'parquet',
    },
    'sorted by all': { sort: upTo(250_000, fields), size: 10 },
  }
  if (operation.method !== 'GET') {
    const values = { x: several(99_990, (i) => i) }
    return posted(operation, known, { ...bodies, 'most values of a body': values })
  }
  return asked(operation, known, {
    'all fields of many': { fields: upTo(QUERY_CHARACTERS, fields), size: String(size) },
    'most values of a filter': {
      filters: JSON.stringify(leaf(field, several(1000, uuid))),
      size: '10',
    },
  })
}

export const setInputs: MakeInputs = (operation, known) => {
  const { method, path } = operation
  const { mutationSets, caseSets, cookie } = known
  if (method === 'GET') {
    return plainInputs(operation, known).map((one) => ({ ...one, headers: { cookie } }))
  }
  if (path === '/sets/combine') {
    const sets = mutationSets.slice(0, 6)
    return posted(operation, known, {
      'most sets together': { sets, operation: 'union' },
      'most sets that are not there': { sets: several(6, (i) => `${i}`.padStart(32, '0')) },
    })
  }
  if (path === '/tar_sets') {
    const sets = [...mutationSets, ...caseSets].map((id) => ({ id, filename: 'x'.repeat(900) }))
    return posted(operation, known, { 'most sets of an archive': { sets } })
  }
  if (path.startsWith('/cohorts')) {
    const bodies = {
      ...costlyFilters('case_id'),
      'most sets': leaf('cases.case_id', namesOfSets(caseSets)),
      'most characters': leaf('cases.case_id', ['x'.repeat(4_190_000)]),
    }
    const cohorts = Object.entries(bodies).map(([what, filters]) => [
      what,
      { name: 'made', filters },
    ])
    // A new cohort would replace the active one, so it is created in another browser.
    const made = posted(operation, known, Object.fromEntries(cohorts), {
      cookie: method === 'POST' ? `gdc_context_id=${'0'.repeat(32)}` : cookie,
    })
    const query = method === 'POST' ? '?delete_existing=true' : ''
    return made.map((one) => ({ ...one, target: `${one.target}${query}` }))
  }
  // The sets in a path are sets of mutations.
  const ofPath = path.includes('{')
  const set_type = ofPath ? undefined : 'instant'
  const filters = Object.entries(costlyFilters(ofPath ? 'ssm_id' : 'case_id')).map(
    ([what, filter]) => [what, { type: 'case', set_type, filters: filter }],
  )
  return posted(operation, known, {
    ...Object.fromEntries(filters),
    'all mutations': { type: 'ssm', set_type, filters: {} },
    'most sets': {
      type: 'ssm',
      set_type,
      case_filters: leaf('cases.case_id', namesOfSets(caseSets)),
    },
  })
}

const namesOfSets = (ids: readonly string[]) => ids.map((id) => `set_id:${id}`)

export const recordInputs: MakeInputs = (operation, known) => {
  const { method, path } = operation
  const dataset = datasetOf(path)
  const fields = upTo(250_000, known.fields.get(dataset) ?? [])
  const expand = upTo(250_000, known.expandable.get(dataset) ?? [])
  if (method === 'GET') {
    return asked(operation, known, { 'all that is joined': { expand: expand.slice(0, 50_000) } })
  }
  return posted(operation, known, { 'all fields': { fields }, 'all that is joined': { expand } })
}

export const analysisInputs: MakeInputs = (operation, known) => {
  if (operation.method === 'GET') return plainInputs(operation, known)
  const { path } = operation
  const { genes, cases, size } = known
  const needed = {
    ...(path.endsWith('gene_changes') && { gene_id: genes[0] }),
    ...(path.endsWith('counts_by_genes') && { gene_ids: genes.slice(0, 1000) }),
    ...(path.endsWith('gene_associations') && { gene_ids: genes.slice(0, 50), change: 'any' }),
    ...(path.endsWith('enrichment') && {
      filters: [{}, leaf('cases.case_id', cases)],
      size: 10_000,
    }),
    ...(path.endsWith('gene_copy_numbers') && { gene_id: genes[0] }),
    ...(path.endsWith('variables') && { x: 'diagnoses.age_at_diagnosis', y: 'burden' }),
    ...(path.endsWith('oncogrid') && { gene_ids: genes.slice(0, 200), gene_size: 200 }),
    ...(path.endsWith('ssms_by_gene') && { gene_id: genes[0] }),
    ...(path.endsWith('ssms_by_case') && { case_id: cases[0] }),
  }
  const within = Object.entries(costlyFilters('case_id')).map(([what, filter]) => [
    what,
    { ...needed, case_filters: filter, size },
  ])
  const curves = several(250, (i) =>
    i % 2 ? {} : leaf('cases.case_id', known.cases.slice(i, i + 40)),
  )
  return posted(operation, known, {
    ...Object.fromEntries(within),
    ...(path.endsWith('variables') && {
      'most genes': { x: `expression:${genes.slice(0, 500).join()}`, y: 'burden' },
    }),
    'the most that it gives': { ...needed, case_size: 2000, size },
    ...(path.endsWith('compare_fields') && { 'most groups': { filters: curves.slice(0, 12) } }),
    ...(path.endsWith('survival') && {
      'most curves': { filters: curves },
      'most compared curves': { filters: curves.slice(0, 24), comparison: true },
    }),
  })
}

export const archiveInputs: MakeInputs = (operation, known) =>
  operation.method === 'GET'
    ? asked(operation, known, { 'all cases': { size: String(known.size) } })
    : posted(operation, known, {
        'all cases': { size: known.size },
        'most values of a filter': { filters: leaf('case_id', several(65_536, uuid)) },
      })

export const idInputs: MakeInputs = (operation, known) => {
  const { method, path } = operation
  const most = path.startsWith('/files/versions') ? 5000 : 10_000
  const ids = known.files.slice(0, most)
  const inPath = path.startsWith('/files/versions') ? 1500 : 100
  const pathOf = (some: readonly string[]) => path.replace(/\{.+?\}/, some.slice(0, inPath).join())
  if (method === 'GET' && path.includes('{')) {
    return [{ what: `${method} ${path}: most ids`, method, target: pathOf(ids), headers: {} }]
  }
  if (method === 'GET')
    return asked(operation, known, { 'most ids': { ids: ids.slice(0, 100).join() } })
  if (path.endsWith('/manifest') && path !== '/manifest') {
    const long = several(9990, () => 'x'.repeat(400)).join('\n')
    return posted(operation, known, {
      'most lines': `id\n${ids.join('\n')}`,
      'a quote that nothing closes': `id\n"${long}`,
      'quotes that lines close and open again': `id\n"${long.replaceAll('\n', '"\t"\n"')}"`,
    })
  }
  const inputs = posted(operation, known, {
    'most ids': { ids },
    'most ids that are not there': { ids: several(most, uuid) },
    'one id as often as it may be': { ids: several(most, () => known.files[0]) },
    'longest ids': { ids: several(2, (i) => `${i}${'x'.repeat(2 * MIB)}`) },
  })
  return path.includes('{') ? inputs.map((one) => ({ ...one, target: pathOf(ids) })) : inputs
}

export const drsInputs: MakeInputs = (operation, known) => {
  const { method, path } = operation
  if (path.includes('{')) {
    if (method !== 'POST') return plainInputs(operation, known)
    const passports = several(90_000, (i) => `p${i}`)
    return posted(operation, known, { 'most passports': { passports, expand: true } })
  }
  // Only a few ids are unknown, because each of them may be a bundle.
  const ids = [...known.files.slice(0, 9900), ...several(99, uuid)]
  const asAccess = (id: string) => ({ bulk_object_id: id, bulk_access_ids: ['https'] })
  const long = several(2, (i) => `${i}${'x'.repeat(2 * MIB)}`)
  const asking = (some: readonly string[]) =>
    path.endsWith('/access')
      ? { bulk_object_access_ids: some.map(asAccess) }
      : { bulk_object_ids: some }
  return posted(operation, known, {
    'most ids': asking(ids),
    'longest ids': asking(long),
  })
}

export const expressionInputs: MakeInputs = (operation, known) => {
  const { cases, genes } = known
  const half = Math.floor(cases.length / 2)
  const most = (some: readonly string[]) => filled(some, 49_000)
  const gene_id = genes[0]
  const form = { tsv_units: 'uqfpkm', format: 'tsv' }
  const others = { other_case_ids: cases.slice(half) }
  if (operation.path.endsWith('gene_selection')) {
    const asks = { selection_size: 1000, min_median_log2_uqfpkm: 0 }
    return posted(operation, known, {
      'genes of a type': { case_ids: cases, gene_type: 'protein_coding', ...asks },
      'most cases and genes': { case_ids: most(cases), gene_ids: most(genes), ...asks },
    })
  }
  return posted(operation, known, {
    'most cases and genes': { case_ids: most(cases), gene_ids: most(genes), gene_id },
    'cases and genes that exist': { case_ids: cases, gene_ids: genes, gene_id },
    'two sets of cases': { case_ids: cases.slice(0, half), ...others, gene_id },
    'a few genes of all cases': { case_ids: cases, gene_ids: genes.slice(0, 59), gene_id, ...form },
  })
}

export const regionInputs: MakeInputs = (operation, known) => {
  if (operation.method === 'GET') return plainInputs(operation, known)
  if (operation.path.startsWith('/alignments')) {
    return posted(operation, known, {
      'most positions': { region: 'chr17:7000001-8000000' },
      'the widest region': { region: 'chr1', bins: 1000, size: 10_000 },
    })
  }
  const small = several(99_900, (i) => `chr1:${i * 50 + 1}-${i * 50 + 20}`)
  const { symbols } = known
  return posted(operation, known, {
    'most regions': { regions: small },
    'most genes': { gencode: several(90_000, (i) => symbols[i % symbols.length]) },
    'the widest region': { regions: ['chr1'] },
  })
}

export const ticketInputs: MakeInputs = (operation, known) => {
  if (operation.method === 'GET') return plainInputs(operation, known)
  const regions = several(33_000, (i) => ({
    referenceName: 'chr1',
    start: i * 1000,
    end: i * 1000 + 20,
  }))
  return posted(operation, known, {
    'most regions': { regions },
    'most tags': { tags: several(90_000, (i) => `T${i}`) },
  })
}

export const cellInputs: MakeInputs = (operation, known) =>
  posted(operation, known, {
    'all cells of ten genes': {
      file_id: known.cells,
      gene_ids: known.genes.slice(0, 10),
      format: 'tsv',
    },
    'all cells': { file_id: known.cells, gene_ids: known.genes.slice(0, 1) },
  })

/** JSON without a schema, as large as any body may be. */
const anyJson = (): Readonly<Record<string, unknown>> => ({
  'most values': several(99_900, (i) => i),
  'most names': Object.fromEntries(several(9990, (i) => [`name${i}`, { a: i }])),
  'deepest lists': nested(126, '[', '1', ']'),
  'deepest objects': nested(126, '{"a":', '1', '}'),
  'longest text': { a: 'x'.repeat(4 * MIB) },
  'text of escapes': `{"a":"${'\\u0041'.repeat(MIB / 2)}"}`,
})

export const jsonInputs: MakeInputs = (operation, known) => {
  const rows = several(20_000, (i) => [String(i), 'a', 'VALUE:b'])
  const column = (name: string) => ({ key: name, name, type: 'INPUT' })
  const tumour = {
    primary_site: 'C504',
    histology_icd_o3: '8500',
    behavior_icd_o3: '3',
    laterality: '1',
    date_of_diagnosis_year: '2020',
  }
  const inputs = Object.fromEntries(several(9900, (i) => [`input${i}`, 'C509']))
  const text = 'breast cancer of the '.repeat(10_000)
  const records = recordsOf(operation, known.history).flatMap(({ what, names, body }) =>
    posted(operation, known, { [what]: body }).map((one) => ({
      ...one,
      target: targetOf(operation, known, names),
    })),
  )
  const others = posted(operation, known, {
    ...anyJson(),
    'widest table': {
      id: 'made',
      algorithm: 'demo',
      version: '1.0',
      name: 'made',
      title: 'made',
      rows,
      definition: [column('a'), column('b'), { key: 'c', name: 'c', type: 'ENDPOINT' }],
    },
    'most tumours': several(100, () => tumour).reduce<{ tumours: object[]; tumors: object[] }>(
      ({ tumours, tumors }, one) => ({ tumours: [...tumours, one], tumors: [...tumors, one] }),
      { tumours: [], tumors: [] },
    ),
    'two tumours': { input1: tumour, input2: tumour },
    'most inputs': inputs,
    'a long record': { name: 'made', type: 'SOLID_TUMOR', definition: text, description: text },
  })
  // The accepted records come first, because a usual run sends only a few.
  return [...records, ...others]
}

export const lineInputs: MakeInputs = (operation, known) => {
  const line = { site: 'C509', hist: '8500', behavior: '3', year: '2019', year_dx: '2023' }
  const small = `${JSON.stringify(line)}\n`
  return posted(operation, known, {
    'most lines': small.repeat(Math.floor((2 * MIB) / small.length)),
    'empty lines': '\n'.repeat(2 * MIB),
    'lines of many names': `{${several(9000, (i) => `"k${i}":1`)}}\n`.repeat(10),
    'longest line': `{"site":"${'x'.repeat(MIB - 100)}"}\n`.repeat(4),
  })
}

export const textInputs: MakeInputs = (operation, known) =>
  posted(operation, known, {
    'longest text': 'breast cancer of the lung '.repeat(38_000),
    'one long word': 'a'.repeat(999_000),
    'most words': 'a b c '.repeat(166_000),
  })

const NAACCR_ROOT =
  '<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-210.xml" recordType="I" specificationVersion="1.7" xmlns="http://naaccr.org/naaccrxml" xmlns:o="http://other">'
const patients = (inside: string, times: number) =>
  `${NAACCR_ROOT}${`<Patient>${inside}</Patient>`.repeat(times)}</NaaccrData>`

/** Compresses a text. Gzip input may inflate to 200 times its size, so a comment that hardly shrinks comes first. */
function packedOf(text: string): Buffer {
  const outputLength = Math.ceil(text.length / 200)
  const noise = createHash('shake256', { outputLength }).update(text).digest('base64')
  return gzipSync(`<!--${noise}-->${text}`)
}

export const naaccrInputs: MakeInputs = (operation, known) => {
  const attributes = several(70, (i) => ` o:a${i}="${'x'.repeat(600)}"`).join('')
  const item = (i: number) => `<Item naaccrId="x${i}">1</Item>`
  const texts: Readonly<Record<string, string>> = {
    'widest tags': patients(`<Tumor><o:x${attributes}/></Tumor>`, 60),
    'most tumours': patients('<Tumor/>'.repeat(990), 100),
    'most foreign elements': patients(`<Tumor>${'<o:x/>'.repeat(9900)}</Tumor>`, 20),
    'deepest foreign elements': patients(nested(30, '<o:x>', '', '</o:x>').repeat(300), 20),
    'most items': patients(`<Tumor>${several(9900, item).join('')}</Tumor>`, 10),
    'longest text': patients(
      `<Tumor><Item naaccrId="textRemarks">${'x'.repeat(MIB - 100)}</Item></Tumor>`,
      4,
    ),
    'longest comments': patients(`<!--${'-x'.repeat(MIB / 2 - 20_000)}-->`, 4),
    'blanks between elements': patients(' \n'.repeat(MIB / 2 - 20_000), 4),
  }
  const packed = Object.entries(texts).map(([what, text]) => [what, packedOf(text)])
  const inputs = posted(operation, known, Object.fromEntries(packed), {
    'content-encoding': 'gzip',
  })
  const query = operation.path.endsWith('/convert')
    ? `rules=${DEMO_CONVERSION}`
    : 'algorithm=demo&version=1.0'
  return inputs.map((one) => ({ ...one, target: `${one.target}?${query}` }))
}

/** The number of a case that no other input creates. */
const NEW_CASE = 900_000

/** A case that the demo's project accepts. */
export const caseOf = (i: number) => ({
  type: 'case',
  submitter_id: `costly-${i}`,
  projects: { code: 'TRIAL' },
  disease_type: 'Gliomas',
  primary_site: 'Brain',
})

export const entityInputs: MakeInputs = (operation, known) => {
  const table = { 'content-type': 'text/tsv' }
  const isValidatedOnly = operation.path.endsWith('_dry_run')
  const rows = several(50_000, (i) => `case\tx${i}`).join('\n')
  const columns = several(1990, (i) => `c${i}`).join('\t')
  return [
    ...posted(operation, known, {
      'most names': Object.fromEntries(several(1990, (i) => [`name${i}`, { a: i }])),
      'deepest lists': nested(15, '[', '1', ']'),
      'longest text': { type: 'case', submitter_id: 'x'.repeat(4 * MIB) },
      'text of escapes': `{"type":"${'\\u0041'.repeat(MIB / 2)}"}`,
      // No project has this code, so all documents are validated and none is stored.
      'most documents': several(20_000, (i) => ({ ...caseOf(i), projects: { code: 'NONE' } })),
      ...(isValidatedOnly && { 'most good documents': several(20_000, caseOf) }),
      // A POST creates its own case, and other methods change an existing one.
      'a good document': caseOf(operation.method === 'POST' ? NEW_CASE : 0),
      'most links of one': { ...caseOf(1), projects: several(30_000, () => ({ code: 'NONE' })) },
    }),
    ...posted(
      operation,
      known,
      {
        'most rows': `type\tsubmitter_id\n${rows}\n`,
        'most columns': `type\t${columns}\n${`case${'\t1'.repeat(1990)}\n`.repeat(250)}`,
      },
      table,
    ),
  ]
}

export const yamlInputs: MakeInputs = (operation, known) =>
  posted(operation, known, {
    'most keys': several(49_000, (i) => `k${i}: 1`).join('\n'),
    'deepest lists': nested(31, '[', '1', ']'),
    'longest text': `a: ${'x'.repeat(MIB - 100)}`,
    'most aliases': `a: &a [1]\nb: [${several(99, () => '*a').join()}]`,
  })

/**
 * Texts that the library parses most slowly for their length, and texts that would be slower if they were not
 * rejected.
 */
const longTexts = (inside: (text: string) => string) => ({
  'longest block': { query: inside(`(a: """${`${'x'.repeat(24)}\n`.repeat(19_900)}""")`) },
  'most comments': { query: inside(`${'#x\n'.repeat(19_900)}`) },
  'most escapes': { query: inside(`(a: "${'\\u0041'.repeat(19_900)}")`) },
  'too many lines': { query: inside(`(a: """${'\n'.repeat(500 << 10)}""")`) },
})

export const graphInputs: MakeInputs = (operation, known) => {
  const query = (text: string, all?: unknown) => ({ query: text, variables: { all } })
  const lists = several(120, (i) => `a${i}: case { id samples { submitter_id } }`).join(' ')
  const deep = nested(6, ' samples { cases {', ' id ', '} }')
  const properties = ['id', 'submitter_id', 'created_datetime', 'updated_datetime', 'state']
  return posted(operation, known, {
    'most lists': query(`{ ${lists} }`),
    'most fields': query(
      `{ case { ${several(1900, (i) => `f${i}: ${properties[i % 5]}`).join(' ')} } }`,
    ),
    'deepest selection': query(`{ case {${deep} } }`),
    'most fragments': query(
      `{ ...f0 } ${several(120, (i) => `fragment f${i} on Root { _case_count a${i}: case { id } ${i < 119 ? `...f${i + 1}` : ''} }`).join(' ')}`,
    ),
    'most values': query(
      'query ($all: [String]) { case(ids: $all) { id } }',
      several(49_000, uuid),
    ),
    'most conditions': query(
      'query ($all: [String]) { case(with_links: $all) { id } }',
      several(250, () => 'samples'),
    ),
    'longest text': { query: `{ _case_count } ${'#'.repeat(500 << 10)}` },
    ...longTexts((text) => `{ _case_count${text} }`),
    'most errors': query(`{ ${several(6000, (i) => `x${i}`).join(' ')} }`),
    'overlapping fields': query(`{ ${'case { id } '.repeat(240)} }`),
  })
}

export const searchGraphInputs: MakeInputs = (operation, known) => {
  const ofCases = (text: string) => `{ explore { cases { ${text} } } }`
  const counts = (of: string) => `aggregations { ${of} { buckets { key doc_count } } }`
  const filtered = `query ($all: FiltersArgument) ${ofCases('hits(filters: $all, first: 0) { total }')}`
  const ids = { op: 'in', content: { field: 'cases.case_id', value: several(49_000, uuid) } }
  const long = (i: number) => `${'n'.repeat(240)}${i}`
  const names = several(1900, (i) => `${long(i)}: key`).join(' ')
  const createOf = (text: string) => `mutation { sets { create { explore { ${text} } } } }`
  const set =
    'case(input: { filters: {}, set_type: instant, sort: [{ field: "files.file_size" }] }) { size }'
  const schema = several(9, (i) => `a${i}: fields { name type { fields { name } } }`).join(' ')
  return posted(operation, known, {
    'most names of a bucket': {
      query: ofCases(`aggregations { case_id { buckets { ${names} } } }`),
    },
    'most names of a record': {
      query: ofCases(
        `hits(first: 190) { edges { node { ${names.replaceAll(': key', ': case_id')} } } }`,
      ),
    },
    'most of the schema': { query: `{ __schema { types { ${schema} } } }` },
    'most counts': { query: ofCases(several(240, (i) => `a${i}: ${counts('case_id')}`).join(' ')) },
    'most aliases': { query: ofCases(several(10_000, (i) => `a${i}: hits { total }`).join(' ')) },
    'most records': {
      query: ofCases(
        'hits(first: 50000) { edges { node { files { hits { edges { node { id } } } } } } }',
      ),
    },
    'most values': { query: filtered, variables: { all: ids } },
    'most sets': { query: createOf(several(10, (i) => `s${i}: ${set}`).join(' ')) },
    'too many sets': { query: createOf(several(2000, (i) => `s${i}: ${set}`).join(' ')) },
    'longest text': { query: `${ofCases('hits { total }')} ${'#'.repeat(500 << 10)}` },
    ...longTexts((text) => ofCases(`hits${text} { total }`)),
    'most errors': { query: ofCases(several(6000, (i) => `x${i}`).join(' ')) },
  })
}

export const uploadInputs: MakeInputs = (operation, known) => {
  const part = (i: number) => `<Part><PartNumber>${i}</PartNumber><ETag>x</ETag></Part>`
  const parts = several(9990, (i) => part(i + 1)).join('')
  const inputs = posted(operation, known, {
    'many bytes': Buffer.alloc(4 * MIB),
    'most parts': `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`,
    'most blanks': `<CompleteMultipartUpload>${' '.repeat(MIB)}</CompleteMultipartUpload>`,
  })
  return inputs.map((input) => {
    const isList = !input.what.endsWith('bytes')
    return isList ? { ...input, target: `${input.target}?uploadId=${uuid(1)}` } : input
  })
}

export const exportInputs: MakeInputs = (operation, known) => {
  const { method, path } = operation
  const { entities } = known
  const asks = { node_label: 'case', format: 'json', with_children: 'true' }
  if (path.includes('{ids}')) {
    const target = targetOf(operation, {
      ...known,
      path: { ...known.path, ids: entities[0] ?? '' },
    })
    const ids = entities.slice(0, 1000).join()
    return [
      {
        what: `${method} ${path}: most ids`,
        method,
        target: target.replace(/[^/]+$/, ids),
        headers: {},
      },
    ]
  }
  if (/manifest$/.test(path)) {
    return asked(operation, known, { 'most ids': { ids: entities.slice(0, 990).join() } })
  }
  if (method !== 'POST') {
    return asked(operation, known, {
      'most ids': { ids: entities.slice(0, 1400).join() },
      'all of a kind': asks,
    })
  }
  return posted(operation, known, {
    'most ids': { ids: filled(entities, 10_000) },
    'all that there are': { ids: entities.slice(0, 10_000) },
    'all of a kind': asks,
  })
}
