import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../engine/commons/index.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { makeCohort } from '../../fixtures/cohort/make-cohort.ts'
import { PUBLIC } from '../../fixtures/cohort/read-cohort.ts'
import { DEMO_FILES, demoBytes } from '../../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../../fixtures/downloads.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { available } from '../available.ts'
import { md5Of } from '../commons/contract/support/download-records.ts'
import { copyDemo } from '../demo/copy-demo.ts'
import { sample } from '../depth.ts'
import { GenomicDataCommons, leaf } from './support/genomic-data-commons.ts'
import { type ServedEngine, serveEngine } from './support/served-engine.ts'

// Thirty-seven calls of the R package GenomicDataCommons (data-commons.md 8.2) in the order of a session: the
// requests that each sends, and what it needs from the answers.

const ENTITIES = [
  ...['projects', 'cases', 'files', 'annotations', 'ssms', 'ssm_occurrences', 'cnvs'],
  ...['cnv_occurrences', 'genes'],
]

/** A server and its expected contents. */
interface Asked {
  readonly project: string
  readonly otherProject: string
  readonly bam: string
  readonly region: string
  /** Every open file has bytes. */
  readonly hasAllBytes: boolean
  /** Prepares the data folder; otherwise it starts empty. */
  begin?(dataFolder: string): Promise<void>
  /** Fills the data folder, and returns ids of open files whose bytes are stored. */
  make(engine: Engine, folder: string): Promise<readonly string[]>
}

const DEMO: Asked = {
  project: 'DEMO-OPEN',
  otherProject: 'DEMO-ADRENAL',
  bam: DEMO_FILES[0].id,
  // This is the region in the README.
  region: 'chr17:7661779-7687550',
  hasAllBytes: true,
  begin: copyDemo,
  async make() {
    return DEMO_DOWNLOADS.filter(({ access }) => access === 'open').map(({ id }) => id)
  },
}

const HEART = { id: '5f0d6a52-9d3c-5c57-8a55-6c1d2a1f0b01', name: 'heart_slc25a3.rna.bam' }
const COHORT: Asked = {
  project: 'TCGA-LUAD',
  otherProject: 'TCGA-CHOL',
  bam: HEART.id,
  // samtools idxstats heart_slc25a3.rna.bam: all of its reads are of this reference.
  region: 'chr12',
  hasAllBytes: false,
  make: importCohort,
}

/** Imports the public LUAD cohort, and mutations, copy numbers and genes of other cohorts. */
async function importCohort(engine: Engine, folder: string): Promise<readonly string[]> {
  const counts = 2
  const {
    files,
    paths,
    counts: from,
  } = await makeCohort({ folder: join(folder, 'cohort'), counts })
  const { cart, sampleSheet, samples, aliquots } = paths
  const clinical = (['clinical', 'exposure', 'followUp', 'pathology'] as const).map((name) =>
    publicData(...PUBLIC[name]),
  )
  const others = [
    ['cases', 'tcga_cases_legacy.tsv.gz'],
    ['mutations', 'tcga_chol.grch38.gdc_somatic.maf.gz'],
    ['copy_number', 'tcga_acc_gistic_thresholded_by_gene.tsv.gz'],
    ['genes', 'gencode.v36.genes.tsv.gz'],
  ].map((path) => publicData('data', ...path))
  const path = publicData('data', 'bam', 'human', HEART.name)
  const heart = join(folder, 'heart.json')
  await writeFile(heart, JSON.stringify([await alignmentRecord(path)]))
  const sources = [cart, sampleSheet, samples, aliquots, heart, ...clinical, ...others]
  const { dataFolder } = engine.shared
  await importCommons({ sources, dataFolder, executor: engine.shared.executor })
  const stored = files.slice(0, counts).map(({ record }) => record)
  const lines = stored.map((one) =>
    [one.file_id, one.file_name, one.md5sum, one.file_size].join('\t'),
  )
  const manifest = join(folder, 'manifest.txt')
  await writeFile(manifest, `${['id\tfilename\tmd5\tsize', ...lines].join('\n')}\n`)
  await engine.commons.importFiles({ manifest, from })
  await engine.commons.importBam({ path, id: HEART.id })
  return stored.map((one) => one.file_id)
}

/** The record of an open alignment file in the public form. */
async function alignmentRecord(path: string): Promise<object> {
  const bytes = await readFile(path)
  return {
    file_id: HEART.id,
    file_name: HEART.name,
    file_size: bytes.length,
    md5sum: md5Of(bytes),
    access: 'open',
    acl: ['open'],
    state: 'released',
    data_format: 'BAM',
    data_category: 'Sequencing Reads',
    data_type: 'Aligned Reads',
    experimental_strategy: 'RNA-Seq',
  }
}

const isOpen = leaf('=', 'access', 'open')
const both = (one: object, other: object) => ({ op: 'and', content: [one, other] })
const either = (one: object, other: object) => ({ op: 'or', content: [one, other] })

const SERVED = [
  { name: 'the demo', asked: DEMO, isHere: true },
  { name: 'an imported cohort', asked: COHORT, isHere: available.shared },
]

describe.each(sample(SERVED, 1))('GenomicDataCommons on $name', ({ asked, isHere }) => {
  const { project, otherProject } = asked
  const ofProject = leaf('=', 'project.project_id', project)
  const here = test.skipIf(!isHere)
  let folder = ''
  let executor: ThreadPool | undefined
  let served: ServedEngine
  let client: GenomicDataCommons
  let stored: readonly string[] = []

  beforeAll(async () => {
    if (!isHere) return
    folder = await mkdtemp(join(tmpdir(), 'casemill-gdc-'))
    executor = new ThreadPool({ threads: 2 })
    const dataFolder = join(folder, 'data')
    await asked.begin?.(dataFolder)
    const engine = await openEngine({ dataFolder, executor, makeBytes: demoBytes() })
    stored = await asked.make(engine, folder)
    served = await serveEngine(engine)
    client = new GenomicDataCommons(served.address)
  })
  afterAll(async () => {
    const lines = served?.lines
    await served?.close()
    await executor?.close()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
    expect(lines ?? []).toEqual([])
  })

  const keysOf = async (entity: string, ...facets: string[]) => {
    const { aggregations } = await client.response(entity, { facets })
    expect(Object.keys(aggregations)).toEqual(facets)
    return facets.map((facet) => aggregations[facet]?.map(({ key }) => key) ?? [])
  }

  here('status()', async () => expect(await client.status()).toBe('OK'))

  here.each(ENTITIES)('default_fields() and count() of %s', async (entity) => {
    const id = `${entity.replace(/s$/, '')}_id`
    expect(await client.defaultFields(entity)).toContain(id)
    expect(await client.count(entity)).toBeGreaterThan(0)
  })

  here('filter() by ==, %in%, !=, %exclude%, | and missing()', async () => {
    const of = (name: string) => client.count('cases', leaf('=', 'project.project_id', name))
    const [one, other] = [await of(project), await of(otherProject)]
    expect(one).toBeGreaterThan(0)
    expect(other).toBeGreaterThan(0)
    const names = [project, otherProject]
    expect(await client.count('cases', leaf('in', 'project.project_id', names))).toBe(one + other)

    const all = await client.count('files')
    const format = (op: string, value: unknown) =>
      client.count('files', leaf(op, 'data_format', value))
    const [bam, tsv] = [await format('=', 'BAM'), await format('=', 'TSV')]
    expect(tsv).toBeGreaterThan(0)
    expect(await format('!=', 'BAM')).toBe(all - bam)
    expect(await format('exclude', ['BAM', 'TSV'])).toBe(all - bam - tsv)
    const anyOf = either(leaf('=', 'data_format', 'BAM'), leaf('=', 'data_format', 'TSV'))
    expect(await client.count('files', anyOf)).toBe(bam + tsv)

    const missing = leaf('is', 'demographic.days_to_death', 'MISSING')
    const lacking = await client.count('cases', missing)
    expect(lacking).toBeGreaterThan(0)
    expect(lacking).toBeLessThan(await client.count('cases'))
  })

  here('filter() by access and size, with ids()', async () => {
    const filters = both(isOpen, leaf('<', 'file_size', 10_000_000))
    const ids = await client.ids('files', { filters }, 3)
    expect(new Set(ids).size).toBe(3)
  })

  here('facet(), aggregations() and available_values()', async () => {
    for (const keys of await keysOf('cases', 'disease_type')) expect(keys.length).toBeGreaterThan(0)
    const [types = [], dataTypes = []] = await keysOf('files', 'type', 'data_type')
    expect(types.length).toBeGreaterThan(0)
    expect(dataTypes).toContain('Gene Expression Quantification')
    const [formats = []] = await keysOf('files', 'data_format')
    expect(formats).toContain('tsv')
  })

  here('select() and expand()', async () => {
    const fields = ['submitter_id', 'primary_site', 'case_id']
    const hits = await client.results('cases', { fields, filters: ofProject }, 2)
    const names = new Set(hits.flatMap((hit) => Object.keys(hit)))
    expect([...names].sort()).toEqual(['case_id', 'id', 'primary_site', 'submitter_id'])
    const query = { expand: ['demographic', 'diagnoses'], filters: ofProject }
    for (const hit of await client.results('cases', query, 2)) {
      expect(hit).toHaveProperty('demographic.demographic_id')
      expect(hit).toHaveProperty('diagnoses.0.diagnosis_id')
    }
  })

  here('response(from=, size=) and results_all()', async () => {
    expect((await client.response('files', {}, 2, 2)).pages).toMatchObject({ from: 2, count: 2 })
    const ids = (await client.resultsAll('projects')).map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([project, otherProject]))
    expect(ids).toHaveLength(await client.count('projects'))
  })

  here('manifest() has the columns of its file, and acl to be widened', async () => {
    const rows = await client.manifest(isOpen, 20)
    expect(rows).toHaveLength(20)
    for (const row of rows) {
      for (const column of ['id', 'file_name', 'md5sum', 'file_size', 'state']) {
        expect(row, column).toHaveProperty(column)
      }
      expect(Object.keys(row).length).toBeGreaterThanOrEqual(6)
      expect(row.acl ?? []).toEqual(expect.any(Array))
    }
  })

  here('gdc_clinical() has a demographic and lists of the rest', async () => {
    const ids = await client.ids('cases', { filters: ofProject }, 3)
    const expand = ['diagnoses', 'demographic', 'exposures']
    const more = [...expand, 'follow_ups.other_clinical_attributes']
    const query = { filters: leaf('in', 'case_id', ids), expand: more }
    const hits = await client.resultsAll('cases', query)
    expect(hits.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(hits.some(({ demographic }) => demographic !== undefined)).toBe(true)
    for (const hit of hits) {
      expect(Array.isArray(hit.demographic)).toBe(false)
      for (const group of ['diagnoses', 'exposures']) {
        expect(hit[group] ?? [], group).toEqual(expect.any(Array))
      }
    }
  })

  here('gdcdata() of one and of several open files', async () => {
    const first = asked.hasAllBytes ? await client.ids('files', { filters: isOpen }, 5) : []
    for (const ids of [stored.slice(0, 1), stored, first.slice(0, 1), first]) {
      if (ids.length === 0) continue
      const filters = both(isOpen, leaf('in', 'file_id', ids))
      const rows = await client.manifest(filters, ids.length)
      const files = await client.gdcdata(ids)
      expect(files.size).toBe(ids.length)
      for (const [name, bytes] of files) {
        const row = rows.find(({ file_name }) => file_name === name)
        expect({ md5sum: md5Of(bytes), file_size: bytes.length }).toEqual({
          md5sum: row?.md5sum,
          file_size: row?.file_size,
        })
      }
    }
  })

  here('slicing(regions=) is a BAM', async () => {
    const slice = await client.slicing(asked.bam, [asked.region])
    expect(slice.subarray(0, 4).toString('latin1')).toBe('\x1f\x8b\x08\x04')
    // The empty block at the end of every BAM (the SAM specification, 4.1.2).
    expect(slice.subarray(-28, -20).toString('hex')).toBe('1f8b080400000000')
    expect(slice.length).toBeGreaterThan(1000)
  })
})
