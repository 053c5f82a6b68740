import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../engine/commons/index.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { nameUuid } from '../../engine/shared/catalogue/uuid.ts'
import { type Cohort, makeCohort } from '../../fixtures/cohort/make-cohort.ts'
import { PROJECT, PUBLIC, publicText } from '../../fixtures/cohort/read-cohort.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { available } from '../available.ts'
import { runPython } from '../peers/run-peer.ts'
import { type ServedEngine, serveEngine } from './support/served-engine.ts'

// Runs the R package of Debian's r-bioc-tcgabiolinks (data-commons.md 8.3) on the public LUAD cohort: its cart,
// sample sheet, biospecimen and clinical tables, imported in several ways.

/** The number of files that get bytes, and are downloaded and prepared. */
const PREPARED = 4

/** The facts that pandas reads in the tables themselves, in the package's forms. */
const EXPECTED = `
import json, sys
import pandas as pd
paths, prepared = json.loads(sys.argv[1])
table = lambda name: pd.read_csv(paths[name], sep='\\t', dtype=str, keep_default_na=False)
cart = pd.DataFrame([
  {'file_id': f['file_id'], 'file_name': f['file_name'], 'barcode': e['entity_submitter_id'], 'case_id': e['case_id']}
  for f in json.load(open(paths['cart'])) for e in f['associated_entities']])
cart['sample'] = cart.barcode.str[:16]
cart['case'] = cart.barcode.str[:12]
legacy = table('legacySamples').rename(columns={'id': 'sample', 'sample_id': 'sample_uuid'})
legacy['sample_uuid'] = legacy.sample_uuid.str.lower()
cart = cart.merge(legacy[['sample', 'sample_type', 'sample_uuid']], on='sample', validate='many_to_one')
clinical = table('clinical').replace("'--", 'NA')
people = clinical[['cases.submitter_id', 'demographic.vital_status']].drop_duplicates().set_index('cases.submitter_id')
one = table('oneEach').replace("'--", 'NA').merge(table('exposure').replace("'--", 'NA'), on='cases.submitter_id')
rows = lambda frame: sorted(frame.astype(str).values.tolist())
some = cart[cart.file_id.isin(prepared)].copy()
counts = [pd.read_csv(f"{paths['counts']}/{f.file_id}/{f.file_name}", sep='\\t', comment='#') for f in some.itertuples()]
genes = [one[one.gene_id.str.startswith('ENSG')] for one in counts]
some['reads'] = [str(one.unstranded.sum()) for one in genes]
some['letters'] = some['sample'].str[13:15].map({'01': 'TP', '02': 'TR', '11': 'NT'})
some['vital'] = some.case.map(people['demographic.vital_status'])
some['project'] = '${PROJECT}'
samples = cart.groupby(['sample', 'sample_uuid', 'sample_type']).barcode.agg(lambda all: ','.join(sorted(all))).reset_index()
print(json.dumps({
  'query': rows(cart[['file_id', 'barcode', 'sample_type', 'sample', 'case']]),
  'types': {t: rows(cart[cart.sample_type == t][['file_id', 'barcode']]) for t in cart.sample_type.unique()},
  'genes': str(len(genes[0])),
  'prepared': rows(some[['barcode', 'barcode', 'case', 'sample', 'letters', 'sample_type', 'sample_uuid', 'vital', 'project', 'reads']]),
  'diagnoses': clinical['diagnoses.diagnosis_id'].nunique(),
  'clinical': rows(one[['cases.submitter_id', 'demographic.vital_status', 'demographic.gender', 'demographic.days_to_death',
    'diagnoses.primary_diagnosis', 'diagnoses.ajcc_pathologic_stage', 'exposures.tobacco_smoking_status']]),
  'biospecimen': rows(samples[['sample', 'sample_uuid', 'sample_type', 'barcode']]),
}))
`

type Rows = readonly (readonly string[])[]

interface Expected {
  readonly query: Rows
  readonly types: Readonly<Record<string, Rows>>
  readonly genes: string
  readonly prepared: Rows
  readonly diagnoses: number
  readonly clinical: Rows
  readonly biospecimen: Rows
}

const WAYS = [
  'in the order of the portal',
  'backwards',
  'tables before the cart',
  'in four imports',
]

describe.skipIf(!available.tcgabiolinks || !available.shared || !available.pandas)(
  'TCGAbiolinks on an imported cohort',
  () => {
    let folder = ''
    let expected: Expected
    let reported: ReadonlyMap<string, Rows>
    const served: ServedEngine[] = []
    let executor: ThreadPool

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'casemill-cohort-'))
      executor = new ThreadPool({ threads: 2 })
      const cohort = await makeCohort({ folder: join(folder, 'cohort'), counts: PREPARED })
      const prepared = cohort.files.slice(0, PREPARED).map(({ record }) => record.file_id)
      const oneEach = join(folder, 'clinical-one-each.tsv')
      await writeFile(oneEach, oneDiagnosisEach(publicText('clinical')))
      const named = join(folder, 'exposure-named.tsv')
      await writeFile(named, namedExposures(publicText('exposure')))
      const paths = { ...cohort.paths, counts: cohort.counts, ...TABLES, oneEach }
      expected = JSON.parse(await runPython(EXPECTED, [JSON.stringify([paths, prepared])]))
      const supplements = join(folder, 'supplements.json')
      await writeFile(supplements, JSON.stringify(supplementsOf(cohort)))
      for (const way of waysOf(cohort, supplements)) served.push(await serve(cohort, way))
      const clinic = [cohort.paths.cart, supplements, oneEach, named]
      served.push(await serve(cohort, [clinic]))
      reported = await runScript(prepared)
    }, 600_000)
    afterAll(async () => {
      for (const { close } of served) await close()
      await executor?.close()
      await rm(folder, { recursive: true, force: true })
    })

    async function serve(
      cohort: Cohort,
      way: readonly (readonly string[])[],
    ): Promise<ServedEngine> {
      const dataFolder = join(folder, `data-${served.length}`)
      for (const sources of way) await importCommons({ sources, dataFolder, executor })
      const engine = await openEngine({ dataFolder, executor })
      await storeCounts(engine, cohort)
      return serveEngine(engine)
    }

    /** Returns the script's output by the index of the address and the name of the fact. */
    async function runScript(prepared: readonly string[]): Promise<ReadonlyMap<string, Rows>> {
      const cwd = join(folder, 'got')
      await mkdir(cwd)
      const library = join(import.meta.dirname, 'support', 'point-tcgabiolinks.R')
      const script = join(import.meta.dirname, 'tcgabiolinks-cohort.R')
      const addresses = served.map(({ address }) => address)
      expect(addresses).toHaveLength(WAYS.length + 1)
      const words = [script, library, cwd, PROJECT, prepared.join(','), ...addresses]
      // The package unpacks archives in its working directory.
      const { stdout } = await promisify(execFile)('Rscript', words, { cwd, maxBuffer: 64 << 20 })
      const lines = stdout.trimEnd().split('\n')
      const facts = lines.map((line) => line.split('\t'))
      const named = Map.groupBy(facts, ([place, name]) => `${place} ${name}`)
      return new Map([...named].map(([name, rows]) => [name, rows.map((row) => row.slice(2))]))
    }

    describe.each(WAYS.map((way, i) => ({ way, place: i + 1 })))('imported $way', ({ place }) => {
      const rowsOf = (name: string) => (reported.get(`${place} ${name}`) ?? []).map(sortable).sort()
      const sorted = (rows: Rows = []) => rows.map(sortable).sort()

      test('nothing fails but what the package takes for granted', () => {
        // The package assigns diagnoses to cases by position: those of the tables, and one for the case that the
        // clinical tables lack.
        const reason = `518 items to be assigned to ${expected.diagnoses + 1} items`
        expect(reported.get(`${place} failed`)).toEqual([
          ['clinical', expect.stringContaining(reason)],
        ])
        expect(served[place - 1]?.lines).toEqual([])
      })

      test('GDCquery has the barcode, the sample and the case of every file', () => {
        expect(expected.query).toHaveLength(601)
        expect(rowsOf('query')).toEqual(sorted(expected.query))
      })

      test('GDCquery by sample.type and by barcode', () => {
        const { types } = expected
        const [normal, primary, recurrent] = [
          'Solid Tissue Normal',
          'Primary Tumor',
          'Recurrent Tumor',
        ]
        expect(rowsOf(`of ${normal}`)).toEqual(sorted(types[normal]))
        const both = [...(types[recurrent] ?? []), ...(types[primary] ?? [])]
        expect(rowsOf(`of ${recurrent}+${primary}`)).toEqual(sorted(both))
        const [found = []] = reported.get(`${place} barcode`) ?? []
        expect(found.slice(0, -1)).toContain(found.at(-1))
      })

      test('GDCdownload and GDCprepare have the barcodes and the counts', () => {
        const assays = 'unstranded,stranded_first,stranded_second,tpm_unstrand,fpkm_unstrand'
        expect(reported.get(`${place} genes`)).toEqual([
          [expected.genes, `${assays},fpkm_uq_unstrand`],
        ])
        expect(rowsOf('prepared')).toEqual(sorted(expected.prepared))
      })

      test('GDCquery_clinic has the samples down to their aliquots', () => {
        expect(expected.biospecimen).toHaveLength(590)
        expect(rowsOf('biospecimen')).toEqual(sorted(expected.biospecimen))
        expect(reported.get(`${place} files of cases`)).toEqual([['518']])
      })
    })

    test('GDCquery_clinic has the people, where each has one diagnosis', () => {
      const place = WAYS.length + 1
      expect(reported.get(`${place} failed`) ?? []).toEqual([])
      const rows = reported.get(`${place} clinical`) ?? []
      expect(rows).toHaveLength(518)
      expect(expected.clinical.length).toBeGreaterThan(400)
      const known = new Set(expected.clinical.map(([name]) => name))
      const ofKnown = rows.filter(([name = '']) => known.has(name))
      expect(ofKnown.map(sortable).sort()).toEqual(expected.clinical.map(sortable).sort())
    })
  },
)

const sortable = (row: readonly string[]) => row.join('\t')

const TABLES = {
  legacySamples: publicData(...PUBLIC.legacySamples),
  clinical: publicData(...PUBLIC.clinical),
  exposure: publicData(...PUBLIC.exposure),
}

/** The sources of a cohort, in the orders and imports of each way. */
function waysOf(
  { paths }: Cohort,
  supplements: string,
): readonly (readonly (readonly string[])[])[] {
  const { cart, sampleSheet, samples, aliquots } = paths
  const names = ['clinical', 'exposure', 'followUp', 'pathology'] as const
  const [people = '', ...others] = names.map((name) => publicData(...PUBLIC[name]))
  const all = [cart, supplements, sampleSheet, people, ...others, samples, aliquots]
  return [
    [all],
    [all.toReversed()],
    [[samples, people, ...others, aliquots, supplements, sampleSheet, cart]],
    [[aliquots, ...others], [sampleSheet, supplements], [cart, people], [samples]],
  ]
}

// The package assumes one diagnosis with one treatment and a named exposure for each case, as when it was
// written, so today's tables are converted to that form.

/** Keeps the row of the first diagnosis and first treatment of each case in a clinical table. */
function oneDiagnosisEach(text: string): string {
  return rowsWhere(text, (cell) => {
    const name = cell('cases.submitter_id')
    const treatment = cell('treatments.submitter_id')
    return (
      cell('diagnoses.submitter_id') === `${name}_diagnosis` &&
      [`${name}_treatment`, "'--"].includes(treatment)
    )
  })
}

type Cell = (column: string) => string

function rowsWhere(text: string, isTaken: (cell: Cell) => boolean): string {
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const columns = header.split('\t')
  const taken = lines.filter((line) => {
    const cells = line.split('\t')
    return isTaken((column) => cells[columns.indexOf(column)] ?? '')
  })
  return `${[header, ...taken].join('\n')}\n`
}

/** Adds a name after its case to each exposure in a table. */
function namedExposures(text: string): string {
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const columns = header.split('\t')
  const name = columns.indexOf('exposures.submitter_id')
  const caseName = columns.indexOf('cases.submitter_id')
  const named = lines.map((line) => {
    const cells = line.split('\t')
    return cells.with(name, `${cells[caseName]}_exposure`).join('\t')
  })
  return `${[header, ...named].join('\n')}\n`
}

/**
 * Records of one supplement of each kind per case, in the public form; the package counts them before it
 * requests clinical and biospecimen data.
 */
function supplementsOf({ files }: Cohort): readonly object[] {
  const cases = new Map(files.map(({ caseId, caseName }) => [caseId, caseName]))
  return [...cases].flatMap(([caseId, caseName]) =>
    ['Clinical', 'Biospecimen'].map((category) => ({
      file_id: nameUuid(category, caseName),
      file_name: `nationwidechildrens.org_${category.toLowerCase()}.${caseName}.xml`,
      file_size: 1000,
      md5sum: '0'.repeat(32),
      access: 'open',
      acl: ['open'],
      state: 'released',
      data_category: category,
      data_type: `${category} Supplement`,
      data_format: 'BCR XML',
      cases: [{ case_id: caseId, project: { project_id: PROJECT } }],
    })),
  )
}

/** Stores the bytes of the files to be downloaded. */
async function storeCounts(engine: Engine, { paths, counts }: Cohort): Promise<void> {
  const lines = (await readFile(paths.manifest, 'utf8')).split('\n').slice(0, PREPARED + 1)
  const manifest = join(counts, '..', 'stored.txt')
  await writeFile(manifest, `${lines.join('\n')}\n`)
  const stored = await engine.commons.importFiles({ manifest, from: counts })
  expect(stored).toMatchObject({ stored: PREPARED, issues: 0 })
}
